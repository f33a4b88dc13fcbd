// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/base/error.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

namespace {

// The experts of a token, drawn one after the other by `weights` without replacement.
template <class Draw>
void draw_token(std::vector<double> weights, std::uint64_t* chosen, std::uint64_t count, const Draw& draw) {
  for (std::uint64_t k = 0; k < count; ++k) {
    double all = 0;
    for (const double weight : weights) all += weight;
    double left = draw(k) * all;
    std::uint64_t expert = weights.size();
    for (std::uint64_t e = 0; e < weights.size() && left >= 0; ++e) {
      if (weights[e] == 0) continue;
      expert = e;
      left -= weights[e];
    }
    chosen[k] = expert;
    weights[expert] = 0;
  }
}

}  // namespace

ExpertRouting::ExpertRouting(const TransformerParams& params, std::uint64_t seed)
    : layers_(params.layers),
      rows_(params.all_rows()),
      rows_of_replica_(params.all_rows() / params.parallel.data),
      per_token_(params.model.experts_per_token),
      experts_(params.model.experts),
      chosen_(layers_ * rows_ * per_token_) {
  if (!params.inputs.of("routing").empty())
    load(params);
  else if (params.routing == RoutingChoice::kSkewed)
    draw(params.skew, seed);
  else
    balance();
}

void ExpertRouting::load(const TransformerParams& params) {
  const runtime::HostTensor given = runtime::load_input(params.inputs.of("routing"), "routing",
                                                        isa::DType::kInt32, {layers_, rows_, per_token_});
  for (std::uint64_t i = 0; i < chosen_.size(); ++i) {
    std::int32_t expert = 0;
    std::memcpy(&expert, given.values.data() + i * sizeof expert, sizeof expert);
    chosen_[i] = static_cast<std::uint64_t>(expert);
    const auto token = chosen_.begin() + static_cast<std::ptrdiff_t>(i / per_token_ * per_token_),
               here = chosen_.begin() + static_cast<std::ptrdiff_t>(i);
    if (expert < 0 || chosen_[i] >= experts_ || std::find(token, here, chosen_[i]) != here)
      throw base::UserError(
          "E-MDL-022", params.inputs.of("routing"),
          fmt::format("layer {}, token {}: expected different experts from 0 to {}, got {}",
                      i / per_token_ / rows_, i / per_token_ % rows_, experts_ - 1, expert));
  }
}

void ExpertRouting::balance() {
  for (std::uint64_t l = 0; l < layers_; ++l)
    for (std::uint64_t row = 0; row < rows_; ++row)
      for (std::uint64_t k = 0; k < per_token_; ++k)
        at(l, row, k) = (row % rows_of_replica_ * per_token_ + k) % experts_;
}

void ExpertRouting::draw(double skew, std::uint64_t seed) {
  std::vector<double> weights;
  for (std::uint64_t e = 0; e < experts_; ++e) weights.push_back(std::pow(static_cast<double>(e + 1), -skew));
  const runtime::GeneratedValues drawn(seed, "routing");
  for (std::uint64_t token = 0; token < layers_ * rows_; ++token) {
    const std::uint64_t first = token * per_token_;
    draw_token(weights, chosen_.data() + first, per_token_,
               [&](std::uint64_t k) { return (1 + static_cast<double>(drawn[first + k])) / 2; });
  }
}

bool ExpertRouting::alike(std::uint64_t replica, std::uint64_t other) const {
  const auto run = static_cast<std::ptrdiff_t>(rows_of_replica_ * per_token_);
  for (std::uint64_t l = 0; l < layers_; ++l) {
    const auto layer = chosen_.begin() + static_cast<std::ptrdiff_t>(l * rows_ * per_token_);
    const auto one = layer + static_cast<std::ptrdiff_t>(replica) * run,
               two = layer + static_cast<std::ptrdiff_t>(other) * run;
    if (!std::equal(one, one + run, two)) return false;
  }
  return true;
}

std::uint64_t ExpertRouting::most_tokens() const {
  const std::uint64_t run = rows_of_replica_ * per_token_;
  std::uint64_t most = 0;
  for (std::uint64_t first = 0; first < chosen_.size(); first += run) {
    std::vector<std::uint64_t> choices(experts_);
    for (std::uint64_t i = first; i < first + run; ++i) most = std::max(most, ++choices[chosen_[i]]);
  }
  return most;
}

double ExpertRouting::mean_tokens() const {
  return static_cast<double>(rows_of_replica_ * per_token_) / static_cast<double>(experts_);
}

}  // namespace tahoma::workloads
