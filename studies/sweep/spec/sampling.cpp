// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "model/base/error.h"
#include "model/base/units.h"

namespace tahoma::runtime {
namespace {

using base::Uint128;

constexpr int kPositionBits = 53;
constexpr int kJitterBits = 32;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}
  // The number is uniform in [0, bound): numbers beyond the last multiple of the bound are rejected.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t surplus = (UINT64_MAX % bound + 1) % bound;
    std::uint64_t number = bits_();
    while (number > UINT64_MAX - surplus) number = bits_();
    return number % bound;
  }
  double position() {
    return std::ldexp(static_cast<double>(bits_() >> (64 - kPositionBits)), -kPositionBits);
  }
  std::uint64_t jitter() { return bits_() >> (64 - kJitterBits); }

 private:
  std::mt19937_64 bits_;
};

bool discrete(const std::vector<std::size_t>& sizes) {
  return std::none_of(sizes.begin(), sizes.end(), [](std::size_t size) { return size == 0; });
}

// Counts the points of the grid; unset if the number exceeds 64 bits.
std::optional<std::uint64_t> grid_size(const std::vector<std::size_t>& sizes) {
  std::uint64_t grid = 1;
  for (const std::size_t size : sizes)
    if (__builtin_mul_overflow(grid, std::uint64_t{size}, &grid)) return std::nullopt;
  return grid;
}

Coordinates at(std::uint64_t number, const std::vector<std::size_t>& sizes) {
  Coordinates point(sizes.size());
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    point[axis].index = number % sizes[axis];
    number /= sizes[axis];
  }
  return point;
}

// Returns the first numbers of a shuffled 0 .. grid - 1; only moved entries are stored.
std::vector<Coordinates> without_repetition(std::uint64_t points, std::uint64_t grid,
                                            const std::vector<std::size_t>& sizes, Generator& generator) {
  std::map<std::uint64_t, std::uint64_t> moved;
  const auto card = [&](std::uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<Coordinates> drawn;
  for (std::uint64_t i = 0; i < points; ++i) {
    const std::uint64_t other = i + generator.below(grid - i);
    drawn.push_back(at(card(other), sizes));
    moved[other] = card(i);
  }
  return drawn;
}

std::vector<Coordinates> random_points(const SweepSample& sample, const std::vector<std::size_t>& sizes) {
  Generator generator(sample.seed);
  if (const auto grid = grid_size(sizes); grid && discrete(sizes))
    return without_repetition(sample.points, *grid, sizes, generator);
  std::vector<Coordinates> drawn(sample.points, Coordinates(sizes.size()));
  for (Coordinates& point : drawn)
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] > 0) {
        point[axis].index = generator.below(sizes[axis]);
      } else {
        point[axis].position = generator.position();
      }
    }
  return drawn;
}

// Returns a random position in stratum `stratum` of `strata`, rounded up so that it never falls into the
// stratum below.
double position_in(std::uint64_t stratum, std::uint64_t strata, Generator& generator) {
  const Uint128 numerator = (static_cast<Uint128>(stratum) << kJitterBits) + generator.jitter();
  const Uint128 denominator = static_cast<Uint128>(strata) << kJitterBits;
  const Uint128 position = ((numerator << kPositionBits) + denominator - 1) / denominator;
  return std::ldexp(static_cast<double>(position), -kPositionBits);
}

// Returns a random value in the stratum.
std::size_t index_in(std::uint64_t stratum, std::uint64_t strata, std::size_t size, Generator& generator) {
  const auto edge = [&](std::uint64_t n) {
    return static_cast<std::size_t>(static_cast<Uint128>(n) * size / strata);
  };
  const std::size_t first = edge(stratum), end = edge(stratum + 1);
  return end > first + 1 ? first + generator.below(end - first) : first;
}

std::vector<std::uint64_t> shuffled(std::uint64_t count, Generator& generator) {
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t i = 0; i < count; ++i) order[i] = i;
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator.below(i)]);
  return order;
}

std::vector<std::size_t> indices_of(const Coordinates& point) {
  std::vector<std::size_t> indices;
  for (const Coordinate& coordinate : point) indices.push_back(coordinate.index);
  return indices;
}

// Exchanges single coordinates between points until all points differ: each axis keeps its strata.
class Separation {
 public:
  Separation(std::vector<Coordinates>& points, Generator& generator)
      : points_(points), generator_(generator) {
    for (const Coordinates& point : points_) ++copies_[indices_of(point)];
  }

  bool separate() {
    const std::size_t most = kPatience * points_.size();
    for (std::size_t turn = 0, i = 0; turn < most && copies_.size() < points_.size();
         i = (i + 1) % points_.size())
      if (copies_[indices_of(points_[i])] > 1) turn += exchange(i);
    return copies_.size() == points_.size();
  }

 private:
  static constexpr std::size_t kPatience = 1000;  // attempted exchanges per point

  // Keeps the exchange unless it leaves fewer distinct points.
  std::size_t exchange(std::size_t i) {
    const std::size_t axis = generator_.below(points_[i].size()), j = generator_.below(points_.size());
    const std::size_t before = copies_.size();
    swap(i, j, axis);
    if (copies_.size() < before) swap(i, j, axis);
    return 1;
  }

  void swap(std::size_t i, std::size_t j, std::size_t axis) {
    for (const std::size_t k : {i, j}) count(k, -1);
    std::swap(points_[i][axis], points_[j][axis]);
    for (const std::size_t k : {i, j}) count(k, 1);
  }

  void count(std::size_t i, int change) {
    const auto copies = copies_.try_emplace(indices_of(points_[i]), 0).first;
    copies->second += change;
    if (copies->second == 0) copies_.erase(copies);
  }

  std::vector<Coordinates>& points_;
  Generator& generator_;
  std::map<std::vector<std::size_t>, int> copies_;
};

[[noreturn]] void refuse_sample(const SweepSample& sample, const std::string& why) {
  throw base::UserError("E-SWP-032", sample.place,
                        fmt::format("a sample of {} points: {}", sample.points, why));
}

std::vector<Coordinates> latin_hypercube(const SweepSample& sample, const std::vector<std::size_t>& sizes) {
  Generator generator(sample.seed);
  const auto grid = grid_size(sizes);
  // The whole grid is the only possible sample.
  if (discrete(sizes) && grid == sample.points)
    return without_repetition(sample.points, *grid, sizes, generator);
  std::vector<Coordinates> drawn(sample.points, Coordinates(sizes.size()));
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::vector<std::uint64_t> strata = shuffled(sample.points, generator);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (sizes[axis] > 0) {
        drawn[i][axis].index = index_in(strata[i], sample.points, sizes[axis], generator);
      } else {
        drawn[i][axis].position = position_in(strata[i], sample.points, generator);
      }
    }
  }
  if (discrete(sizes) && !Separation(drawn, generator).separate())
    refuse_sample(sample, "found no Latin hypercube without equal points; use fewer points or method random");
  return drawn;
}

struct Method {
  const char* name;
  std::vector<Coordinates> (*draw)(const SweepSample&, const std::vector<std::size_t>&);
};
constexpr Method kMethods[] = {{"random", random_points}, {"latin_hypercube", latin_hypercube}};

}  // namespace

std::vector<std::string> sampling_methods() {
  std::vector<std::string> names;
  for (const Method& method : kMethods) names.emplace_back(method.name);
  return names;
}

std::vector<Coordinates> draw(const SweepSample& sample, const std::vector<std::size_t>& sizes) {
  const auto grid = grid_size(sizes);
  if (discrete(sizes) && grid && *grid < sample.points)
    refuse_sample(
        sample,
        fmt::format("the axes have only {} different points; omit 'sample' to use all of them", *grid));
  for (const Method& method : kMethods)
    if (method.name == sample.method) return method.draw(sample, sizes);
  TAHOMA_INVARIANT(false, "method of sampling '" + sample.method + "'");
}

}  // namespace tahoma::runtime
