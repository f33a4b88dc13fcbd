// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/separable_allocator.h"

namespace tahoma::model {

bool SeparableAllocator::Side::consider(std::uint32_t candidate, std::size_t candidates) {
  const auto wait = [&](std::uint32_t n) { return n >= turn ? n - turn : n + candidates - turn; };
  const bool first = best == kNone;
  if (first || wait(candidate) < wait(best)) best = candidate;
  return first;
}

void SeparableAllocator::request(std::uint32_t input, std::uint32_t output) {
  if (outputs_[output].consider(input, inputs_.size())) requested_.push_back(output);
}

const std::vector<SeparableAllocator::Match>& SeparableAllocator::allocate() {
  matches_.clear();
  for (const std::uint32_t output : requested_) {
    const std::uint32_t input = outputs_[output].best;
    if (inputs_[input].consider(output, outputs_.size())) granted_.push_back(input);
    outputs_[output].best = kNone;
  }
  for (const std::uint32_t input : granted_) {
    const std::uint32_t output = inputs_[input].best;
    matches_.push_back({input, output});
    outputs_[output].turn = (input + 1) % static_cast<std::uint32_t>(inputs_.size());
    inputs_[input].turn = (output + 1) % static_cast<std::uint32_t>(outputs_.size());
    inputs_[input].best = kNone;
  }
  requested_.clear();
  granted_.clear();
  return matches_;
}

}  // namespace tahoma::model
