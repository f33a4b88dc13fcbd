// SPDX-License-Identifier: Apache-2.0
#include "runtime/huggingface/layout_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/report/summary/peak_flops.h"

namespace tahoma::runtime {

namespace {

double d(std::uint64_t n) { return static_cast<double>(n); }

constexpr double kBytes = 2;  // of an element of weights and caches, bf16

// Elements of the weights that a token uses, without the embedding, of which it reads one row.
double weights_of_token(const ModelConfig& c) {
  const double attention = d(c.hidden) * d(c.head_dim) * d(2 * c.heads + 2 * c.kv_heads),
               experts = c.experts == 0 ? 1 : d(c.experts_per_token);
  return d(c.layers) * (attention + 3 * d(c.hidden) * d(c.ffn) * experts + d(c.hidden) * d(c.experts));
}

struct Peak {
  double bandwidth = 0, flops = 0;  // of all chips; 0: ideal
};

Peak peak_of(const ModelConfig& config, const ModelPoint& point, const std::vector<std::string>& overrides) {
  const auto resolved = resolved_case(config, point, ModelPhase::kDecode, overrides);
  const model::ChipParams& chip = resolved->machine.chip;
  const double hbm_rate = chip.hbm.bandwidth.ideal ? 0 : d(chip.hbm.bandwidth.bytes_per_second);
  return {d(point.layout.chips) * d(chip.hbm.stacks) * hbm_rate,
          d(point.layout.chips) * d(chip.cores) *
              core_peak_flops(chip.core.tensor, isa::DType::kBf16, isa::MatmulMode::kDense)};
}

double longer(double bytes, double flops, const Peak& peak) {
  const double memory = peak.bandwidth > 0 ? bytes / peak.bandwidth : 0,
               arithmetic = peak.flops > 0 ? flops / peak.flops : 0;
  return std::max(memory, arithmetic);
}

// The quantities of the front, all such that less is better.
struct Quantities {
  double ttft, tpot, seconds_of_chip;  // the last one: chip-seconds per token
};
Quantities bound_quantities(const SearchedPoint& p) {
  return {p.bounds.ttft, p.bounds.tpot, p.bounds.tpot * d(p.point.layout.chips) / d(p.point.demand.batch)};
}
Quantities executed_quantities(const SearchedPoint& p) {
  return {p.figures->ttft(), p.figures->tpot(), d(p.point.layout.chips) / p.figures->tokens_per_second()};
}

bool beats(const Quantities& a, const Quantities& b) {
  const bool as_good = a.ttft <= b.ttft && a.tpot <= b.tpot && a.seconds_of_chip <= b.seconds_of_chip,
             better = a.ttft < b.ttft || a.tpot < b.tpot || a.seconds_of_chip < b.seconds_of_chip;
  return as_good && better;
}

// Points for prompts or contexts of other lengths answer another question.
bool comparable(const SearchedPoint& a, const SearchedPoint& b) {
  return a.point.demand.prompt == b.point.demand.prompt && a.point.demand.context == b.point.demand.context;
}

bool within(const LayoutLimits& limits, double ttft, double tpot) {
  return (limits.ttft == 0 || ttft <= limits.ttft) && (limits.tpot == 0 || tpot <= limits.tpot);
}

std::string reason_to_prune(const SearchedPoint& p, const std::vector<SearchedPoint>& all,
                            const LayoutLimits& limits) {
  if (limits.ttft > 0 && p.bounds.ttft > limits.ttft)
    return fmt::format("TTFT is at least {}", seconds_text(p.bounds.ttft));
  if (limits.tpot > 0 && p.bounds.tpot > limits.tpot)
    return fmt::format("TPOT is at least {}", seconds_text(p.bounds.tpot));
  for (const SearchedPoint& other : all)
    if (comparable(other, p) && other.within && beats(executed_quantities(other), bound_quantities(p)))
      return fmt::format("{}, {}, batch {} beat its bounds", other.point.layout.chips_text(),
                         other.point.layout.text(), other.point.demand.batch);
  return "";
}

void mark_front(std::vector<SearchedPoint>& points) {
  for (SearchedPoint& p : points)
    p.front = p.within && std::none_of(points.begin(), points.end(), [&](const SearchedPoint& other) {
                return comparable(other, p) && other.within &&
                       beats(executed_quantities(other), executed_quantities(p));
              });
}

}  // namespace

LayoutBounds bounds_of(const ModelConfig& c, const ModelPoint& point,
                       const std::vector<std::string>& overrides) {
  const Peak peak = peak_of(c, point, overrides);
  const double weights = weights_of_token(c), logits = d(c.hidden) * d(c.vocabulary),
               replicas = d(point.layout.data), keys = 2 * d(c.layers) * d(c.kv_heads) * d(c.head_dim),
               heads = d(c.layers) * d(c.heads) * d(c.head_dim);
  const double prompt = d(point.demand.prompt), batch = d(point.demand.batch),
               context = d(point.demand.context);
  // Every replica reads its weights once; causal attention counts half.
  const double of_replicas = kBytes * replicas * (weights + logits);
  LayoutBounds bounds;
  bounds.ttft = longer(
      of_replicas, replicas * (2 * weights * prompt + 2 * heads * prompt * (prompt + 1) + 2 * logits), peak);
  bounds.tpot = longer(of_replicas + kBytes * batch * context * keys,
                       batch * (2 * weights + 4 * heads * (context + 1) + 2 * logits), peak);
  return bounds;
}

std::vector<SearchedPoint> search_layouts(std::vector<SearchedPoint> points, const LayoutSearch& search,
                                          const ExecutePoints& execute) {
  std::vector<std::size_t> left(points.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return bound_quantities(points[a]).seconds_of_chip < bound_quantities(points[b]).seconds_of_chip;
  });
  while (!left.empty()) {
    std::vector<std::size_t> chosen, later;
    for (const std::size_t i : left) {
      if (!search.exhaustive) points[i].pruned = reason_to_prune(points[i], points, search.limits);
      if (!points[i].pruned.empty()) continue;
      (chosen.size() < search.at_once ? chosen : later).push_back(i);
    }
    std::vector<ModelPoint> wanted;
    for (const std::size_t i : chosen) wanted.push_back(points[i].point);
    if (wanted.empty()) break;
    std::vector<ModelFigures> figures = execute(wanted);
    for (std::size_t n = 0; n < chosen.size(); ++n) {
      SearchedPoint& point = points[chosen[n]];
      point.figures = std::move(figures[n]);
      point.within = within(search.limits, point.figures->ttft(), point.figures->tpot());
    }
    left = std::move(later);
  }
  mark_front(points);
  return points;
}

}  // namespace tahoma::runtime
