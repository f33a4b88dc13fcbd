// SPDX-License-Identifier: Apache-2.0
// The batch, which does constant work for a step, against one that counts every token of every sequence.
#include "studies/serving/simulation/sequence_batch.h"

#include <catch2/catch.hpp>
#include <map>

#include "studies/serving/input/random_source.h"
#include "studies/serving/simulation/kv_blocks.h"

using namespace tahoma::runtime::serving;

namespace {

// Each sequence by itself.
class CountedBatch {
 public:
  explicit CountedBatch(std::uint64_t block_tokens) : block_tokens_(block_tokens) {}
  void join(RequestNumber number, std::uint64_t cached, std::uint64_t remaining) {
    sequences_[number] = {cached, remaining, 0, blocks_for(cached + 1, block_tokens_)};
  }
  std::uint64_t blocks_due() const {
    std::uint64_t due = 0;
    for (const auto& [number, s] : sequences_) due += blocks_for(s.cached + 1, block_tokens_) - s.blocks;
    return due;
  }
  void step() {
    for (auto& [number, s] : sequences_) {
      s.blocks = blocks_for(s.cached + 1, block_tokens_);
      ++s.cached;
      ++s.tokens;
      --s.remaining;
    }
  }
  std::optional<LeftSequence> take_finished() {
    for (const auto& [number, s] : sequences_)
      if (s.remaining == 0) return remove(number);
    return std::nullopt;
  }
  LeftSequence remove(RequestNumber number) {
    const Sequence s = sequences_.at(number);
    sequences_.erase(number);
    return {number, s.tokens, s.cached, s.blocks};
  }
  std::uint64_t size() const { return sequences_.size(); }
  double mean_context() const {
    double sum = 0;
    for (const auto& [number, s] : sequences_) sum += static_cast<double>(s.cached);
    return sum / static_cast<double>(size());
  }

 private:
  struct Sequence {
    std::uint64_t cached, remaining, tokens, blocks;
  };
  std::uint64_t block_tokens_;
  std::map<RequestNumber, Sequence> sequences_;
};

void check_same(const LeftSequence& a, const LeftSequence& b) {
  CHECK(a.number == b.number);
  CHECK(a.tokens == b.tokens);
  CHECK(a.cached == b.cached);
  CHECK(a.blocks == b.blocks);
}

}  // namespace

TEST_CASE("sequence batch: counts of steps and of every token agree", "[serving]") {
  for (const std::uint64_t block_tokens : {1U, 3U, 16U}) {
    SequenceBatch batch(block_tokens);
    CountedBatch counted(block_tokens);
    RandomSource random(11, block_tokens);
    const auto below = [&](std::uint64_t most) { return random.bits() % most; };
    RequestNumber next = 0;
    for (int round = 0; round < 2000; ++round) {
      if (below(3) == 0) {
        const std::uint64_t cached = 1 + below(40), remaining = 1 + below(50);
        batch.join(next, cached, remaining);
        counted.join(next++, cached, remaining);
      }
      if (batch.size() > 0 && below(9) == 0) {
        const RequestNumber youngest = *batch.youngest();
        check_same(batch.remove(youngest), counted.remove(youngest));
      }
      REQUIRE(batch.size() == counted.size());
      if (batch.size() == 0) continue;
      CHECK(batch.mean_context() == Approx(counted.mean_context()).epsilon(1e-12));
      CHECK(batch.blocks_due() == counted.blocks_due());
      batch.step();
      counted.step();
      for (auto left = batch.take_finished(); left; left = batch.take_finished()) {
        const auto expected = counted.take_finished();
        REQUIRE(expected);
        check_same(*left, *expected);
      }
      CHECK_FALSE(counted.take_finished());
    }
  }
}
