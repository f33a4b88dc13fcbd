// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/vocabulary/token_embedding.h"

#include <algorithm>
#include <span>

#include "workloads/common/row_numbers.h"
#include "workloads/moe/expert_rows.h"
#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

TokenEmbedding::TokenEmbedding(Replica& replica, const TransformerParams& params, std::size_t slices,
                               RowsOfSlice rows, CaseRow case_row)
    : replica_(replica),
      params_(params),
      slices_(slices),
      rows_(std::move(rows)),
      case_row_(std::move(case_row)),
      tokens_(allocate("embedding", "token_rows", params.model.vocabulary)) {
  if (params.model.positions > 0) positions_ = allocate("positions", "position_rows", params.model.positions);
}

TokenEmbedding::Table TokenEmbedding::allocate(const char* name, const char* rows,
                                               std::uint64_t count) const {
  Table table{(count + replica_.ranks() - 1) / replica_.ranks(), {}, {}};
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    table.tables.push_back(replica_.shared(r, name, kModelDType, table.share + 1, params_.model.hidden));
    replica_.declare_input(table.tables.back().tensor);
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t numbers = first_number(params_.microbatches, 0, h);
      table.numbers.push_back(
          replica_.control(r, h, rows, isa::DType::kInt32, std::max<std::uint64_t>(1, numbers), 1));
      replica_.declare_input(table.numbers.back().tensor);
    }
  }
  return table;
}

std::uint64_t TokenEmbedding::first_number(std::size_t microbatch, std::size_t slice, std::size_t h) const {
  std::uint64_t of_microbatch = 0, before = 0;
  for (std::size_t s = 0; s < slices_; ++s) {
    if (s < slice) before += rows_(s, h).count;
    of_microbatch += rows_(s, h).count;
  }
  return microbatch * of_microbatch + before;
}

void TokenEmbedding::emit(std::size_t microbatch, std::size_t slice, std::size_t r, std::size_t h,
                          const runtime::HbmView& to) {
  if (to.rows == 0) return;
  const std::uint64_t first = first_number(microbatch, slice, h);
  emit(tokens_, first, r, h, to);
  if (params_.model.positions == 0) return;
  const Matrix more = replica_.own(r, h, "embedded_positions", kModelDType, to.rows, to.columns);
  emit(positions_, first, r, h, more.of(h));
  LayerPart{replica_.kernel(r, h), replica_.machine(), params_.model}.add(to, more.of(h), to);
}

void TokenEmbedding::emit(const Table& table, std::uint64_t first, std::size_t r, std::size_t h,
                          const runtime::HbmView& to) {
  const runtime::Kernel::Scope scope(replica_.kernel(r, h));
  emit_take_rows(replica_.kernel(r, h), replica_.machine(),
                 {table.tables[r].of(h), rows_of(numbers(table, r, h).of(h), first, to.rows), to});
}

std::vector<std::int32_t> TokenEmbedding::numbers_of(const Table& table, std::size_t g, std::size_t r,
                                                     std::size_t h, const RowOf& row_of) const {
  std::vector<std::int32_t> result;
  for (std::size_t b = 0; b < params_.microbatches; ++b)
    for (std::size_t s = 0; s < slices_; ++s) {
      const auto [first, count] = rows_(s, h);
      for (std::uint64_t row = first; row < first + count; ++row) {
        const std::uint64_t number = row_of(case_row_(g, b, row));
        result.push_back(
            static_cast<std::int32_t>(number / table.share == r ? number % table.share : table.share));
      }
    }
  return result;
}

void TokenEmbedding::fill_numbers(runtime::Machine& machine, const Table& table, const RowOf& row_of) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const std::vector<std::int32_t> values = numbers_of(table, g, r, h, row_of);
        if (!values.empty())
          machine.write(replica_.at(g, numbers(table, r, h).tensor), std::as_bytes(std::span(values)));
      }
}

void TokenEmbedding::fill_control(runtime::Machine& machine, const runtime::HostTensor& ids) const {
  fill_numbers(machine, tokens_,
               [&](std::uint64_t row) { return static_cast<std::uint64_t>(row_number(ids, row)); });
  if (params_.model.positions > 0)
    fill_numbers(machine, positions_, [&](std::uint64_t row) { return params_.position_of(row); });
}

void TokenEmbedding::fill(runtime::Machine& machine, const Table& table,
                          const runtime::HostTensor& values) const {
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    const std::uint64_t first = std::min(r * table.share, values.rows()),
                        count = std::min(table.share, values.rows() - first);
    runtime::HostTensor part =
        runtime::make_tensor(values.name, kModelDType, {table.share + 1, values.columns()});
    copy_block(values, {first, 0, count, values.columns()}, part, {0, 0, count, values.columns()});
    fill_all(machine, replica_, table.tables[r], part);
  }
}

void TokenEmbedding::fill(runtime::Machine& machine, const HostVocabulary& values) const {
  fill(machine, tokens_, values.embedding);
  if (params_.model.positions > 0) fill(machine, positions_, values.positions);
}

}  // namespace tahoma::workloads
