// SPDX-License-Identifier: Apache-2.0
// Which rows of the residual stream, sequences and tokens of a decoding step a group of ranks, a rank and a
// physical core have.
#pragma once

#include "workloads/transformer/partition/share.h"

namespace tahoma::workloads {

struct DecodeSharding {
  DecodeSharding(const TransformerParams& params, const RankShare& share, std::uint64_t rank_count,
                 std::uint64_t group);

  std::uint64_t rows, hidden;  // of the residual stream
  std::uint64_t ranks, physical_cores, sharers;
  std::uint64_t groups;   // that share sequences
  std::uint64_t context;  // tokens of a sequence in the cache of this group
  bool has_new;           // whether this group, the last one, has the new token

  runtime::Part sequences_of(std::size_t rank, std::size_t physical_core) const;
  runtime::Part reduced_rows(std::size_t physical_core) const {  // of an all_reduce
    return runtime::part_of(rows, physical_cores, physical_core);
  }
  // The run of a rank in a physical core's rows of the stream, flat, as [rows, columns] of this shape.
  struct Run {
    std::uint64_t row = 0, column = 0, rows = 0, columns = 0;
  };
  Run run_of(std::size_t rank, std::size_t physical_core) const;
};

}  // namespace tahoma::workloads
