// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/rope_tables.h"

namespace tahoma::workloads {

RopeTables::RopeTables(Fleet& fleet, const TrainingParams& params) : fleet_(fleet) {
  const auto make = [&](const Cell& c, const char* name) {
    Matrix table = fleet.replica(c).shared(c.rank, name, TransformerParams::kDType, params.forward.tokens,
                                           params.model().head_dim);
    fleet.replica(c).declare_input(table.tensor);
    return table;
  };
  fleet.each_rank([&](const Cell& c) {
    forward_.push_back(make(c, "rope_table"));
    back_.push_back(make(c, "rope_table_back"));
  });
}

void RopeTables::fill(const runtime::HostTensor& table) const {
  runtime::HostTensor negative = table;
  const std::size_t size = isa::size_of(table.dtype);
  for (std::uint64_t row = 0; row < table.rows(); ++row)
    for (std::uint64_t column = table.columns() / 2; column < table.columns(); ++column)
      isa::store_from_fp32(negative.values.data() + (row * table.columns() + column) * size, table.dtype,
                           -table.at(row, column));
  fleet_.each_rank([&](const Cell& c) {
    fleet_.machine().write(forward_[fleet_.rank_number(c)].tensor, table.values);
    fleet_.machine().write(back_[fleet_.rank_number(c)].tensor, negative.values);
  });
}

}  // namespace tahoma::workloads
