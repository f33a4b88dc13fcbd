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
  void fill(runtime::Machine& machine, const HostVocabulary& values) const;

 private:
  // The first of a slice's row numbers among those of the physical core.
  std::uint64_t first_number(std::size_t microbatch, std::size_t slice, std::size_t physical_core) const;
  // A matrix of which each rank has some rows and, behind them, one of zeros; and the rows that the physical
  // cores gather.
  struct Table {
    std::uint64_t share = 0;      // rows on a rank, without the zeros
    std::vector<Matrix> tables;   // by rank: [share + 1, hidden]
    std::vector<Matrix> numbers;  // by rank and physical core
  };
  using RowOf = std::function<std::uint64_t(std::uint64_t row)>;  // of the matrix, of a row of the case
  Table allocate(const char* table, const char* rows, std::uint64_t count) const;
  void emit(const Table& table, std::uint64_t first, std::size_t rank, std::size_t physical_core,
            const runtime::HbmView& to);
  std::vector<std::int32_t> numbers_of(const Table& table, std::size_t group, std::size_t rank,
                                       std::size_t physical_core, const RowOf& row_of) const;
  void fill_numbers(runtime::Machine& machine, const Table& table, const RowOf& row_of) const;
  void fill(runtime::Machine& machine, const Table& table, const runtime::HostTensor& values) const;
  const Matrix& numbers(const Table& table, std::size_t rank, std::size_t physical_core) const {
    return table.numbers[rank * replica_.physical_cores() + physical_core];
  }

  Replica& replica_;
  const TransformerParams& params_;
  std::size_t slices_;
  RowsOfSlice rows_;
  CaseRow case_row_;
  Table tokens_, positions_;  // the second one if the model has learned positions
};

}  // namespace tahoma::workloads
