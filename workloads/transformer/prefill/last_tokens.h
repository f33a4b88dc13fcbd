// SPDX-License-Identifier: Apache-2.0
// The rows of the last layer's residual stream that belong to the last token of each sequence, without its
// padding, on every physical core of a group. In a block of a slice that holds such rows, each rank
// contributes those of its run that may be last tokens: one row, or, with several sequences, one
// of each. An all_gather of these rows is much smaller than one of all rows. Each physical core then copies
// the rows of the sequences.
#pragma once

#include <functional>

#include "workloads/transformer/partition/rows.h"
#include "workloads/transformer/phases/phase_programs.h"

namespace tahoma::workloads {

class LastTokens {
 public:
  // The rows of a physical core of a rank in a slice: the stream is the sum of both views.
  struct Stream {
    runtime::HbmView middle, sum;
  };
  using StreamOf = std::function<Stream(std::size_t rank, std::size_t physical_core, std::size_t slice)>;
  using Keep = std::function<void(std::size_t physical_core, runtime::collective::PlannedCollective planned)>;

  // `tokens`: of a sequence, a divisor or a multiple of the rows of a run.
  LastTokens(Replica& replica, const TransformerParams& params, const RowSharding& rows,
             std::uint64_t tokens);

  void emit(const StreamOf& stream, const Keep& keep);
  // [sequences of a microbatch, hidden]
  runtime::HbmView rows(std::size_t rank, std::size_t physical_core) const;

 private:
  struct Block {
    std::size_t slice, physical_core, number;
  };
  std::uint64_t gathered_rows() const { return per_rank_ * rows_.ranks; }  // of a block
  std::uint64_t first_row(const Block& block) const {
    return block.number * gathered_rows();
  }  // in `gathered`
  // The row of the group's last token of a sequence.
  std::uint64_t last_row(std::uint64_t sequence) const {
    return (sequence + 1) * tokens_ - params_.padding - 1;
  }
  void contribute(const Block& block, const StreamOf& stream);
  void gather(const Block& block, const Keep& keep);
  void copy_rows();

  Replica& replica_;
  const TransformerParams& params_;
  const RowSharding& rows_;
  std::uint64_t tokens_, per_rank_;  // rows that a rank contributes to a block
  std::vector<Block> blocks_;        // that hold last tokens
  struct OfRank {
    Matrix gathered;                // shared by its physical cores
    std::vector<Matrix> own, rows;  // by physical core; `own` by block
  };
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
