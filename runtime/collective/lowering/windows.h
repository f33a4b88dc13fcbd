// SPDX-License-Identifier: Apache-2.0
// Addresses of a channel's data: what a transfer reads and writes, as seen by its sender.
//
// Staging memory is at the receiver: a slot holds the chunks of one arrival of one piece, or a token of one
// access if they are lent and read from the sender's input. Partial sums are
// not written to memory: a transfer folds the own input and all staged arrivals (n reads) directly into the
// next rank's staging memory (one write); the last fold writes to the output. A fold that takes several
// transfers keeps its partial sum in the output, or, if the output has another dtype, in memory of its own.
#pragma once

#include <vector>

#include "runtime/collective/schedule/chunk_pipeline.h"

namespace tahoma::runtime::collective {

// Returns the elements that Windows allocates for each rank.
std::vector<std::uint64_t> staging_of(const Channel& channel);

class Windows {
 public:
  // Takes the staging memory of all receivers from `allocate`.
  Windows(const Pipeline& pipeline, const Allocate& allocate);

  std::vector<HbmView> sources(std::uint32_t hop, std::uint32_t piece) const;
  HbmView target(std::uint32_t hop, std::uint32_t piece) const;
  // Returns a hop's chunks in the output of a rank: the sender's if the hop settles, otherwise the
  // receiver's.
  HbmView output(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const;
  // Where a hop that settles more sources than a transfer can fold keeps its partial sum.
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
  HbmView seen_by(const Seat& viewer, const Strip& strip, HbmView view) const;
  HbmView token(HbmView view) const;  // its first access, sent when an input is lent
  HbmView input(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const;
  HbmView held(const Strip& strip, const Problem::Held& places, std::uint32_t hop, std::uint32_t piece) const;

  const Pipeline& pipeline_;
  std::vector<Staging> of_box_;
  std::vector<HbmView> sums_;  // by rank; empty if no partial sums are kept
};

}  // namespace tahoma::runtime::collective
