// SPDX-License-Identifier: Apache-2.0
// The sequences of a server that decode. A step gives each of them one token. The work of a step does not
// depend on the number of sequences: the batch counts its steps, and stores for each sequence the count at
// which it ends and those at which it needs a further block.
//
// A sequence with c cached tokens holds blocks for c + 1 when it joins, so that its first step needs none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "studies/serving/input/request.h"

namespace tahoma::runtime::serving {

// A sequence that has left the batch.
struct LeftSequence {
  RequestNumber number = 0;
  std::uint64_t tokens = 0;  // generated since it joined
  std::uint64_t cached = 0;  // tokens in the cache
  std::uint64_t blocks = 0;  // that it held
};

class SequenceBatch {
 public:
  explicit SequenceBatch(std::uint64_t block_tokens) : block_tokens_(block_tokens), due_(block_tokens, 0) {}

  // `cached` counts the tokens in the cache, `remaining` those that it generates in the batch, at least 1.
  void join(RequestNumber number, std::uint64_t cached, std::uint64_t remaining);
  // Before a step: the blocks that it needs beyond those that the sequences hold.
  std::uint64_t blocks_due() const { return due_[steps_ % block_tokens_] - joined_with_room_; }
  void step();
  // After a step: a sequence that has generated all its tokens, in the order of numbers.
  std::optional<LeftSequence> take_finished();
  LeftSequence remove(RequestNumber number);

  std::uint64_t size() const { return sequences_.size(); }
  // Mean number of cached tokens of a sequence; the batch is not empty.
  double mean_context() const { return static_cast<double>(cached_) / static_cast<double>(size()); }
  // The last that arrived.
  std::optional<RequestNumber> youngest() const;

 private:
  struct Sequence {
    std::uint64_t joined_at, cached, ends_at;  // counts of steps; tokens when it joined
  };
  std::uint64_t phase_of(const Sequence& sequence) const;

  std::uint64_t block_tokens_;
  std::uint64_t steps_ = 0, cached_ = 0;
  std::uint64_t joined_with_room_ =
      0;  // of the sequences without a step: those that due_ counts for the next one
  std::vector<std::uint64_t> due_;  // by count of steps modulo block_tokens_: the sequences that need a block
  std::map<RequestNumber, Sequence> sequences_;
  std::set<std::pair<std::uint64_t, RequestNumber>> ends_;  // by count of steps
};

}  // namespace tahoma::runtime::serving
