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
      share_((params.model.vocabulary + replica.ranks() - 1) / replica.ranks()) {
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    tables_.push_back(replica.shared(r, "embedding", kModelDType, share_ + 1, params.model.hidden));
    replica.declare_input(tables_.back().tensor);
    for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
      const std::uint64_t count = first_number(params.microbatches, 0, h);
      numbers_.push_back(
          replica.control(r, h, "token_rows", isa::DType::kInt32, std::max<std::uint64_t>(1, count), 1));
      replica.declare_input(numbers_.back().tensor);
    }
  }
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
  const runtime::Kernel::Scope scope(replica_.kernel(r, h));
  emit_take_rows(
      replica_.kernel(r, h), replica_.machine(),
      {tables_[r].of(h), rows_of(numbers(r, h).of(h), first_number(microbatch, slice, h), to.rows), to});
}

std::vector<std::int32_t> TokenEmbedding::numbers_of(std::size_t g, std::size_t r, std::size_t h,
                                                     const runtime::HostTensor& ids) const {
  std::vector<std::int32_t> result;
  for (std::size_t b = 0; b < params_.microbatches; ++b)
    for (std::size_t s = 0; s < slices_; ++s) {
      const auto [first, count] = rows_(s, h);
      for (std::uint64_t row = first; row < first + count; ++row) {
        const auto id = static_cast<std::uint64_t>(row_number(ids, case_row_(g, b, row)));
        result.push_back(static_cast<std::int32_t>(id / share_ == r ? id % share_ : share_));
      }
    }
  return result;
}

void TokenEmbedding::fill_control(runtime::Machine& machine, const runtime::HostTensor& ids) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const std::vector<std::int32_t> values = numbers_of(g, r, h, ids);
        if (!values.empty())
          machine.write(replica_.at(g, numbers(r, h).tensor), std::as_bytes(std::span(values)));
      }
}

void TokenEmbedding::fill(runtime::Machine& machine, const runtime::HostTensor& embedding) const {
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    const std::uint64_t first = std::min(r * share_, embedding.rows()),
                        count = std::min(share_, embedding.rows() - first);
    runtime::HostTensor part =
        runtime::make_tensor("embedding", kModelDType, {share_ + 1, embedding.columns()});
    copy_block(embedding, {first, 0, count, embedding.columns()}, part, {0, 0, count, embedding.columns()});
    fill_all(machine, replica_, tables_[r], part);
  }
}

}  // namespace tahoma::workloads
