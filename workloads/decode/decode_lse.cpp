// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_lse.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel, runtime::TileView;

DecodeLse::DecodeLse(Kernel& kernel, const DecodeShape& shape, const DecodeTiling& tiling, float scale,
                     const HbmView& lse)
    : kernel_(kernel),
      shape_(shape),
      scale_(scale),
      lse_(lse),
      row_max_pool_(kernel.sbuf("lse tops", isa::DType::kFp32, tiling.chunk, 2)),
      sums_pool_(kernel.sbuf("lse sums", isa::DType::kFp32, tiling.chunk, 2)) {}

void DecodeLse::record(const DecodeBatch& batch, const TileView& row_max, const TileView& sum) {
  if (batch.place == 0) {
    const auto columns = static_cast<unsigned>(batch.count * shape_.group);
    row_max_ = kernel_.take(row_max_pool_, 1, columns);
    sums_ = kernel_.take(sums_pool_, 1, columns);
  }
  kernel_.copy(of_sequence(shape_, batch, row_max_), row_max.partitions(0, 1), isa::Queue::kVector);
  kernel_.copy(of_sequence(shape_, batch, sums_), sum.partitions(0, 1), isa::Queue::kVector);
  if (batch.place + 1 == batch.count) finish(batch);
}

void DecodeLse::finish(const DecodeBatch& batch) {
  kernel_.activation(sums_, sums_, isa::ActFn::kLog);
  kernel_.scalar_tensor_tensor(row_max_, row_max_, isa::AluOp::kMult, {scale_, nullptr}, isa::AluOp::kAdd,
                               sums_);
  const std::uint64_t sequences = shape_.lengths.size();
  for (unsigned g = 0; g < shape_.group; ++g)
    kernel_.store(
        lse_.window(batch.first / sequences * shape_.group + g, batch.first % sequences, 1, batch.count),
        row_max_.columns(g * batch.count, batch.count), isa::Queue::kGpSimd);
}

}  // namespace tahoma::workloads
