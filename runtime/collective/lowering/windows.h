// SPDX-License-Identifier: Apache-2.0
// Where the data of a channel lie: what a transfer reads and where it writes, as its sender addresses them.
//
// Staging lies at the receiver: a slot holds the chunks of one arrival of one piece. Sums are never written
// to memory in between: a transfer folds the own input and all staged arrivals (n reads) straight into the
// next rank's staging (one write); the last fold goes to the output. One that takes several transfers has its
// sums so far in the output, or, where that has another dtype, in memory of its own.
#pragma once

#include <vector>

#include "runtime/collective/lowering/chunk_pipeline.h"

namespace tahoma::runtime::collective {

// By rank, elements that Windows takes from `allocate`.
std::vector<std::uint64_t> staging_of(const Channel& channel);

class Windows {
 public:
  // Takes the staging of all receivers from `allocate`.
  Windows(const Pipeline& pipeline, const Allocate& allocate);

  std::vector<HbmView> sources(std::uint32_t hop, std::uint32_t piece) const;
  HbmView target(std::uint32_t hop, std::uint32_t piece) const;
  // A hop's chunks in the output of a rank: its sender's where it settles, else its receiver's.
  HbmView output(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const;
  // Where a hop that settles more than a transfer folds keeps the sum so far.
  HbmView sum_so_far(std::uint32_t hop, std::uint32_t piece) const;

 private:
  struct Staging {
    std::uint64_t address = 0;  // global
    std::uint64_t slot_elements = 0;
  };

  isa::DType dtype() const { return pipeline_.channel().dtype(); }
  HbmView kept_sums(std::uint32_t rank, const Allocate& allocate) const;
  HbmView staged(std::uint32_t arrival, const ChunkSet& chunks, std::uint32_t piece,
                 const Seat& viewer) const;
  HbmView held(const Strip& strip, const Problem::Held& places, std::uint32_t hop, std::uint32_t piece) const;

  const Pipeline& pipeline_;
  std::vector<Staging> of_box_;
  std::vector<HbmView> sums_;  // by rank; empty where nothing is kept
};

}  // namespace tahoma::runtime::collective
