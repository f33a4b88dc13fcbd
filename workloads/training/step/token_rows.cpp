// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/token_rows.h"

#include "workloads/transformer/phases/phase_programs.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {}  // namespace

RowExchange::RowExchange(Fleet& fleet, const TrainingParams& params)
    : fleet_(fleet),
      hidden_(params.model().hidden),
      microbatches_(params.microbatches()),
      sharding_{1, fleet.physical_cores(), fleet.ranks(),
                params.rows() / (fleet.physical_cores() * fleet.ranks())} {}

TokenRows RowExchange::make(const Cell& rank, const char* name) const {
  TokenRows rows;
  rows.all = fleet_.replica(rank).shared(rank.rank, name, kModelDType, sharding_.rows(), hidden_);
  for (std::size_t h = 0; h < fleet_.physical_cores() && fleet_.ranks() > 1; ++h)
    rows.own.push_back(own({rank.replica, rank.rank, h}, name));
  return rows;
}

Matrix RowExchange::own(const Cell& c, const char* name) const {
  return fleet_.replica(c).own(c.rank, c.physical_core, name, kModelDType, sharding_.run, hidden_);
}

HbmView RowExchange::own(const TokenRows& rows, const Cell& c) const {
  if (rows.own.empty())
    return rows_of(rows.all.of(c.physical_core), sharding_.first(0, c.physical_core, c.rank), sharding_.run);
  return rows.own[c.physical_core].of(c.physical_core);
}

End RowExchange::own_end(const TokenRows& rows, const Cell& c) const {
  return end_of(rows.own[c.physical_core], c.physical_core, 0, sharding_.run, 1);
}

End RowExchange::block_end(const TokenRows& rows, const Cell& c) const {
  return end_of(rows.all, c.physical_core, sharding_.first_of_block(0, c.physical_core), sharding_.run,
                sharding_.ranks);
}

void RowExchange::all_gather(const std::string& region, const Which& which) const {
  if (fleet_.ranks() > 1)
    fleet_.exchange(
        {Across::kRanks, region, Operation::kAllGather, kModelDType, sharding_.block() * hidden_},
        [&](const Cell& c) { return own_end(which(c), c); },
        [&](const Cell& c) { return block_end(which(c), c); });
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{
          rows_of(which(c).all.of(viewer), sharding_.first_of_block(0, writer), sharding_.block())};
    });
  });
}

void RowExchange::reduce_scatter(const std::string& region, const Which& which) const {
  if (fleet_.ranks() == 1) return;
  fleet_.exchange(
      {Across::kRanks, region, Operation::kReduceScatter, kModelDType, sharding_.block() * hidden_},
      [&](const Cell& c) { return block_end(which(c), c); },
      [&](const Cell& c) { return own_end(which(c), c); });
}

}  // namespace tahoma::workloads
