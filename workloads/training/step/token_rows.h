// SPDX-License-Identifier: Apache-2.0
// Activations with one row for each token of a replica. Products need all rows on every rank. Between them
// each cell has its own rows: a run for each rank of each physical core's block of rows
// (workloads/transformer/partition/rows.h, one slice). A single rank has them in the one tensor.
#pragma once

#include "workloads/training/step/fleet.h"
#include "workloads/transformer/partition/rows.h"

namespace tahoma::workloads {

struct TokenRows {
  Matrix all;               // [rows, hidden]
  std::vector<Matrix> own;  // by physical core: [run, hidden]; empty for a single rank
};

class RowExchange {
 public:
  RowExchange(Fleet& fleet, const TrainingParams& params);

  const RowSharding& sharding() const { return sharding_; }
  // Returns the first of a cell's rows of a micro-batch among the rows of the case.
  std::uint64_t first_row(const Cell& c, std::size_t microbatch) const {
    return (c.replica * microbatches_ + microbatch) * sharding_.rows() +
           sharding_.first(0, c.physical_core, c.rank);
  }
  TokenRows make(const Cell& rank, const char* name) const;
  // Only this cell uses the matrix.
  Matrix own(const Cell& cell, const char* name) const;
  runtime::HbmView own(const TokenRows& rows, const Cell& cell) const;

  using Which = std::function<const TokenRows&(const Cell&)>;
  // All cells have written their own rows; afterwards every physical core of every rank has all of them.
  void all_gather(const std::string& region, const Which& which) const;
  // The physical cores of a rank have synchronised on its part of all rows' sums; afterwards each cell has
  // its own rows.
  void reduce_scatter(const std::string& region, const Which& which) const;

 private:
  runtime::collective::End own_end(const TokenRows& rows, const Cell& cell) const;
  runtime::collective::End block_end(const TokenRows& rows, const Cell& cell) const;

  Fleet& fleet_;
  std::uint64_t hidden_, microbatches_;
  RowSharding sharding_;
};

}  // namespace tahoma::workloads
