// SPDX-License-Identifier: Apache-2.0
// Activations with a row for each token of a replica. Products need all rows on every rank; between them each
// cell has some rows for itself: of each physical core's block of rows a run for each rank
// (workloads/transformer/partition/rows.h, one slice). A rank alone has them in the one tensor.
#pragma once

#include "workloads/training/step/fleet.h"
#include "workloads/transformer/partition/rows.h"

namespace tahoma::workloads {

struct TokenRows {
  Matrix all;               // [rows, hidden]
  std::vector<Matrix> own;  // by physical core: [run, hidden]; none on a rank alone
};

class RowExchange {
 public:
  RowExchange(Fleet& fleet, const TrainingParams& params);

  const RowSharding& sharding() const { return sharding_; }
  TokenRows make(const Cell& rank, const char* name) const;
  // Of one cell alone, which nobody else has.
  Matrix own(const Cell& cell, const char* name) const;
  runtime::HbmView own(const TokenRows& rows, const Cell& cell) const;

  using Which = std::function<const TokenRows&(const Cell&)>;
  // All cells have written their own rows; afterwards every physical core of every rank finds all.
  void all_gather(const std::string& region, const Which& which) const;
  // The physical cores of a rank have met about its part of all rows' sums; afterwards each cell has its own
  // rows.
  void reduce_scatter(const std::string& region, const Which& which) const;

 private:
  runtime::collective::End own_end(const TokenRows& rows, const Cell& cell) const;
  runtime::collective::End block_end(const TokenRows& rows, const Cell& cell) const;

  Fleet& fleet_;
  std::uint64_t hidden_;
  RowSharding sharding_;
};

}  // namespace tahoma::workloads
