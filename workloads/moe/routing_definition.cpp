// SPDX-License-Identifier: Apache-2.0
#include "workloads/moe/routing_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/definition.h"
#include "workloads/gemm/golden_gemm.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::WantedRow;

namespace {

// Experts in descending order of logits; equal logits in ascending order of number.
std::vector<std::uint64_t> ranked(const HostTensor& logits, std::uint64_t token) {
  std::vector<std::uint64_t> order(logits.columns());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return logits.at(token, a) > logits.at(token, b);
  });
  return order;
}

WantedRow gates_of(const RoutingTensors& t, std::uint64_t token) {
  const std::vector<std::uint64_t> order = ranked(t.logits, token);
  const std::uint64_t k = t.gates.columns(), terms = t.normalised ? k : order.size();
  const double top = t.logits.at(token, order.front());
  double sum = 0, largest = 0;
  for (std::uint64_t i = 0; i < terms; ++i) sum += std::exp(t.logits.at(token, order[i]) - top);
  for (std::uint64_t i = 0; i < order.size(); ++i)
    largest = std::max(largest, std::fabs(double{t.logits.at(token, i)}));
  const double error =
      runtime::accumulation_slack(static_cast<double>(terms), 1) + (4 * largest + 16) * kUnit;
  WantedRow wanted;
  for (std::uint64_t i = 0; i < k; ++i) {
    wanted.want.push_back(std::exp(t.logits.at(token, order[i]) - top) / sum);
    wanted.slack.push_back(error * wanted.want.back());
  }
  return wanted;
}

// The decisions that follow from the logits: integers.
struct Decisions {
  HostTensor chosen, places, counts;
};
void put(HostTensor& tensor, std::uint64_t row, std::uint64_t column, std::uint64_t value) {
  const auto number = static_cast<std::int32_t>(value);
  std::memcpy(tensor.values.data() + (row * tensor.columns() + column) * sizeof number, &number,
              sizeof number);
}

Decisions decide(const RoutingTensors& t) {
  const auto like = [](const HostTensor& tensor) {
    return runtime::make_tensor(tensor.name, tensor.dtype, tensor.shape);
  };
  Decisions d{like(t.chosen), like(t.places), like(t.counts)};
  std::uint64_t token = 0;
  for (std::uint64_t core = 0; core < t.tokens_of_core.size(); ++core) {
    std::vector<std::uint64_t> count(t.logits.columns());
    for (const std::uint64_t end = token + t.tokens_of_core[core]; token < end; ++token) {
      const std::vector<std::uint64_t> order = ranked(t.logits, token);
      for (std::uint64_t i = 0; i < t.chosen.columns(); ++i) {
        put(d.chosen, token, i, order[i]);
        put(d.places, token, i, count[order[i]]++);
      }
    }
    for (std::uint64_t e = 0; e < count.size(); ++e) put(d.counts, core, e, count[e]);
  }
  return d;
}

}  // namespace

runtime::GoldenResult check_routing(const RoutingTensors& t, const MakerOfOutput& maker) {
  runtime::GoldenResult result = runtime::check_rows(
      t.gates, [&](std::uint64_t token) { return gates_of(t, token); },
      runtime::accumulation_slack(static_cast<double>(t.logits.columns()), 1) + 16 * kUnit,
      fmt::format(
          "experts, places and counts exact; gates: want +- ({:g} * 2^-24 * sqrt(n / 3) + (4 |logit| + "
          "16) * 2^-24) want",
          runtime::kGoldenDeviations),
      maker("gates"));
  const Decisions d = decide(t);
  result.add(runtime::check_moved(d.chosen, t.chosen, maker("chosen")));
  result.add(runtime::check_moved(d.places, t.places, maker("places")));
  result.add(runtime::check_moved(d.counts, t.counts, maker("counts")));
  if (t.x != nullptr) result.add(check_gemm(*t.x, *t.w, t.logits, maker("logits")));
  return result;
}

}  // namespace tahoma::workloads
