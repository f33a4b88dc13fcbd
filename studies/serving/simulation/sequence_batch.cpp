// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/simulation/sequence_batch.h"

#include <algorithm>

#include "model/base/error.h"
#include "studies/serving/simulation/kv_blocks.h"

namespace tahoma::runtime::serving {

// The step at count n needs a block if the sequence then has a whole number of blocks cached.
std::uint64_t SequenceBatch::phase_of(const Sequence& sequence) const {
  const std::uint64_t partial = sequence.cached % block_tokens_;
  return (sequence.joined_at + block_tokens_ - partial) % block_tokens_;
}

void SequenceBatch::join(RequestNumber number, std::uint64_t cached, std::uint64_t remaining) {
  const Sequence sequence{steps_, cached, steps_ + remaining};
  const bool fresh = sequences_.emplace(number, sequence).second;
  TAHOMA_INVARIANT(fresh && remaining > 0, "a sequence joins a batch twice, or has nothing to decode");
  ends_.emplace(sequence.ends_at, number);
  ++due_[phase_of(sequence)];
  if (cached % block_tokens_ == 0) ++joined_with_room_;
  cached_ += cached;
}

void SequenceBatch::step() {
  ++steps_;
  cached_ += size();
  joined_with_room_ = 0;
}

LeftSequence SequenceBatch::remove(RequestNumber number) {
  const auto found = sequences_.find(number);
  TAHOMA_INVARIANT(found != sequences_.end(), "a sequence leaves a batch that it is not in");
  const Sequence sequence = found->second;
  const std::uint64_t tokens = steps_ - sequence.joined_at, cached = sequence.cached + tokens;
  if (tokens == 0 && sequence.cached % block_tokens_ == 0) --joined_with_room_;
  --due_[phase_of(sequence)];
  cached_ -= cached;
  ends_.erase({sequence.ends_at, number});
  sequences_.erase(found);
  return {number, tokens, cached, blocks_for(std::max(cached, sequence.cached + 1), block_tokens_)};
}

std::optional<LeftSequence> SequenceBatch::take_finished() {
  if (ends_.empty() || ends_.begin()->first > steps_) return std::nullopt;
  return remove(ends_.begin()->second);
}

std::optional<RequestNumber> SequenceBatch::youngest() const {
  if (sequences_.empty()) return std::nullopt;
  return sequences_.rbegin()->first;
}

}  // namespace tahoma::runtime::serving
