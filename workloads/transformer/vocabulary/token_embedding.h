// SPDX-License-Identifier: Apache-2.0
// The embedding of token ids on the ranks of a group. Rank r of R has the table's rows [r n, (r + 1) n), n =
// the vocabulary / R, rounded up, and behind them a row of zeros, which stands for the tokens of other ranks.
// The sum of what the ranks gather is therefore the embedded token, exactly. The caller computes that sum.
//
// Row numbers are control values: the ids are known before the run, as those of a server are.
#pragma once

#include <functional>
#include <vector>

#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

class TokenEmbedding {
 public:
  // The rows of the group that a physical core of every rank gathers in a slice, and the row of the case of a
  // row of a group (by its number among the groups that run alike) in a microbatch.
  using RowsOfSlice = std::function<runtime::Part(std::size_t slice, std::size_t physical_core)>;
  using CaseRow = std::function<std::uint64_t(std::size_t group, std::size_t microbatch, std::uint64_t row)>;
  TokenEmbedding(Replica& replica, const TransformerParams& params, std::size_t slices, RowsOfSlice rows,
                 CaseRow case_row);

  // to [rows of the slice, hidden] gets this rank's contribution.
  void emit(std::size_t microbatch, std::size_t slice, std::size_t rank, std::size_t physical_core,
            const runtime::HbmView& to);

  void fill_control(runtime::Machine& machine, const runtime::HostTensor& ids) const;
  void fill(runtime::Machine& machine, const runtime::HostTensor& embedding) const;

 private:
  // The first of a slice's row numbers among those of the physical core.
  std::uint64_t first_number(std::size_t microbatch, std::size_t slice, std::size_t physical_core) const;
  std::vector<std::int32_t> numbers_of(std::size_t group, std::size_t rank, std::size_t physical_core,
                                       const runtime::HostTensor& ids) const;
  const Matrix& numbers(std::size_t rank, std::size_t physical_core) const {
    return numbers_[rank * replica_.physical_cores() + physical_core];
  }

  Replica& replica_;
  const TransformerParams& params_;
  std::size_t slices_;
  RowsOfSlice rows_;
  CaseRow case_row_;
  std::uint64_t share_;          // rows of the table on a rank, without the zeros
  std::vector<Matrix> tables_;   // by rank: [share + 1, hidden]
  std::vector<Matrix> numbers_;  // by rank and physical core
};

}  // namespace tahoma::workloads
