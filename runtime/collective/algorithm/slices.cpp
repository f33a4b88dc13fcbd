// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/slices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

namespace tahoma::runtime::collective {

namespace {

using Row = std::vector<double>;
constexpr double kExact = 1e-9;

// The share of a slice that crosses each axis.
Row crossing(const Grid& grid, const AxisOrder& order) {
  Row part(grid.axes.size(), 0);
  double left = 1;
  for (const std::size_t a : order) {
    const double n = grid.axes[a].size;
    part[a] = left * (n - 1) / n;
    left /= n;
  }
  return part;
}

double capacity(const GridAxis& axis) { return axis.rate * axis.ways(); }

// Weights that are equal but for rounding become equal, so that a choice between them does not depend on
// rounding.
double without_rounding(double weight) { return std::round(weight * 0x1p36) * 0x1p-36; }

// Some y with G y = right, for a symmetric positive semi-definite G of a few rows and a right side in its
// range: elimination with the largest pivots, of which those that are 0 but for rounding leave their unknown
// 0. Written here because Eigen's decompositions take 12 s to compile.
Row solved(std::vector<Row> gram, Row right) {
  const std::size_t n = right.size();
  Row y(n, 0);
  std::vector<bool> eliminated(n, false);
  double largest = 0;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!eliminated[i] && (pivot == n || gram[i][i] > gram[pivot][pivot])) pivot = i;
    largest = std::max(largest, gram[pivot][pivot]);
    if (gram[pivot][pivot] <= kExact * largest) break;
    eliminated[pivot] = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == pivot) continue;
      const double factor = gram[i][pivot] / gram[pivot][pivot];
      for (std::size_t j = 0; j < n; ++j) gram[i][j] -= factor * gram[pivot][j];
      right[i] -= factor * right[pivot];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (eliminated[i]) y[i] = right[i] / gram[i][i];
  return y;
}

// The changes of least norm to the weights of `columns` that add `missing` to the loads of the axes.
Row least_change(const std::vector<Row>& columns, const Row& missing) {
  const std::size_t axes = missing.size();
  std::vector<Row> gram(axes, Row(axes, 0));
  for (const Row& column : columns)
    for (std::size_t a = 0; a < axes; ++a)
      for (std::size_t b = 0; b < axes; ++b) gram[a][b] += column[a] * column[b];
  const Row y = solved(gram, missing);
  Row change;
  for (const Row& column : columns)
    change.push_back(std::inner_product(column.begin(), column.end(), y.begin(), 0.0));
  return change;
}

// Returns, for each axis, `wanted` minus `columns` weighted by `weights`.
Row missing_load(const Row& wanted, const std::vector<Row>& columns, const Row& weights) {
  Row missing = wanted;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t a = 0; a < missing.size(); ++a) missing[a] -= columns[c][a] * weights[c];
  return missing;
}

// The weights nearest to equal ones that sum to 1 and load every axis by its part of the capacity; empty if
// there are none. `crossings`: per order; all its rows have the same sum, so the loads of all axes together
// fix the sum of the weights.
Row balanced(const Grid& grid, const std::vector<Row>& crossings) {
  double capacities = 0;
  for (const GridAxis& axis : grid.axes) capacities += capacity(axis);
  const double all = std::accumulate(crossings[0].begin(), crossings[0].end(), 0.0);
  Row wanted;
  for (const GridAxis& axis : grid.axes) wanted.push_back(all * capacity(axis) / capacities);

  std::vector<std::size_t> live(crossings.size());
  std::iota(live.begin(), live.end(), 0);
  while (!live.empty()) {
    std::vector<Row> columns;
    for (const std::size_t order : live) columns.push_back(crossings[order]);
    Row weights(live.size(), 1 / static_cast<double>(live.size()));
    const Row change = least_change(columns, missing_load(wanted, columns, weights));
    std::transform(weights.begin(), weights.end(), change.begin(), weights.begin(),
                   [](double weight, double add) { return without_rounding(weight + add); });
    const Row left = missing_load(wanted, columns, weights);
    if (std::sqrt(std::inner_product(left.begin(), left.end(), left.begin(), 0.0)) > kExact * all) return {};
    const auto least = std::min_element(weights.begin(), weights.end());
    if (*least < -kExact) {
      live.erase(live.begin() + (least - weights.begin()));
      continue;
    }
    Row result(crossings.size(), 0);
    for (std::size_t i = 0; i < live.size(); ++i) result[live[i]] = weights[i];
    return result;
  }
  return {};
}

// Solves the two-player game: one player mixes orders to minimise the load of the most loaded axis,
// the other chooses axes. Multiplicative weights; the average of the orders' best responses
// converges to the best mixture.
Row played(const Grid& grid, const std::vector<Row>& crossings) {
  constexpr double kStep = 0.004;
  constexpr int kRounds = 100000;
  Row axis_weight(grid.axes.size(), 1), chosen(crossings.size(), 0);
  double worst = 0;
  for (const Row& row : crossings)
    for (std::size_t a = 0; a < row.size(); ++a) worst = std::max(worst, row[a] / capacity(grid.axes[a]));
  for (int t = 0; t < kRounds; ++t) {
    std::size_t best = 0;
    double least = 0;
    for (std::size_t o = 0; o < crossings.size(); ++o) {
      double cost = 0;
      for (std::size_t a = 0; a < axis_weight.size(); ++a)
        cost += axis_weight[a] * crossings[o][a] / capacity(grid.axes[a]);
      if (o == 0 || cost < least) {
        best = o;
        least = cost;
      }
    }
    chosen[best] += 1.0 / kRounds;
    double sum = 0;
    for (std::size_t a = 0; a < axis_weight.size(); ++a) {
      axis_weight[a] *= std::exp(kStep * crossings[best][a] / capacity(grid.axes[a]) / worst);
      sum += axis_weight[a];
    }
    for (double& weight : axis_weight) weight /= sum;
  }
  return chosen;
}

std::vector<AxisOrder> orders_of(const Grid& grid) {
  AxisOrder order(grid.axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<AxisOrder> orders;
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

// The orders that `channels` channels can use if each order needs one channel per direction.
std::vector<std::size_t> worth_a_channel(const Row& weights, std::uint32_t channels) {
  std::vector<std::size_t> by_weight(weights.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  by_weight.resize(std::clamp<std::size_t>(channels / 2, 1, by_weight.size()));
  std::erase_if(by_weight, [&](std::size_t o) { return weights[o] <= 1e-6; });
  return by_weight;
}

// The game takes milliseconds, and the groups of a machine ask about the same grid again and again.
Row played_once(const Grid& grid, const std::vector<Row>& crossings) {
  static std::mutex mutex;
  static std::map<std::vector<Row>, Row> known;  // by capacities and crossings
  std::vector<Row> key(1);
  for (const GridAxis& axis : grid.axes) key[0].push_back(capacity(axis));
  key.insert(key.end(), crossings.begin(), crossings.end());
  const std::lock_guard lock(mutex);
  const auto [entry, added] = known.try_emplace(std::move(key));
  if (added) entry->second = played(grid, crossings);
  return entry->second;
}

Row mixed(const Grid& grid, const std::vector<Row>& crossings) {
  Row weights = balanced(grid, crossings);
  if (weights.empty()) weights = played_once(grid, crossings);
  return weights;
}

}  // namespace

std::vector<Slice> slices_of(const Grid& grid, std::uint32_t channels) {
  if (grid.axes.empty()) return std::vector<Slice>(channels, Slice{{}, true, 1.0 / channels});
  std::vector<AxisOrder> orders = orders_of(grid);
  std::vector<Row> crossings;
  for (const AxisOrder& order : orders) crossings.push_back(crossing(grid, order));
  // Fewer channels than orders: mix again among the kept orders.
  Row weights = mixed(grid, crossings);
  std::vector<AxisOrder> kept;
  std::vector<Row> kept_crossings;
  for (const std::size_t o : worth_a_channel(weights, channels)) {
    kept.push_back(orders[o]);
    kept_crossings.push_back(crossings[o]);
  }
  weights = mixed(grid, kept_crossings);

  // Pairs of channels (up and down): one for each order; the others go where the load per
  // pair is largest so far.
  std::vector<std::uint32_t> taken(kept.size(), 0), order_of(channels);
  for (std::uint32_t pair = 0; pair < (channels + 1) / 2; ++pair) {
    std::size_t most = 0;
    const auto burden = [&](std::size_t o) { return weights[o] / (taken[o] + 1e-9); };
    for (std::size_t o = 1; o < kept.size(); ++o)
      if (burden(o) > burden(most)) most = o;
    for (std::uint32_t c = 2 * pair; c < std::min(channels, 2 * pair + 2); ++c)
      order_of[c] = static_cast<std::uint32_t>(most);
    ++taken[most];
  }
  std::vector<std::uint32_t> users(kept.size(), 0);
  for (const std::uint32_t o : order_of) ++users[o];
  std::vector<Slice> slices;
  double sum = 0;
  for (std::uint32_t c = 0; c < channels; ++c) {
    slices.push_back({kept[order_of[c]], c % 2 == 0, weights[order_of[c]] / users[order_of[c]]});
    sum += slices.back().share;
  }
  for (Slice& slice : slices) slice.share /= sum;
  return slices;
}

std::vector<double> axis_loads(const Grid& grid, const std::vector<Slice>& slices) {
  std::vector<double> loads(grid.axes.size(), 0);
  for (const Slice& slice : slices) {
    const Row part = crossing(grid, slice.order);
    for (std::size_t a = 0; a < loads.size(); ++a) loads[a] += slice.share * part[a];
  }
  return loads;
}

}  // namespace tahoma::runtime::collective
