// SPDX-License-Identifier: Apache-2.0
// Transfers between HBM and the on-chip memories: copy, cast, accumulate, rows addressed by number, folds.
#include <algorithm>
#include <vector>

#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/arithmetic/row_access.h"
#include "isa/semantics/arithmetic/walk.h"
#include "isa/semantics/semantics.h"

namespace tahoma::isa {
namespace {

// A descriptor has four dimensions; the walk's outermost stays 1. On chip, one of them runs
// across partitions.
Operand dma_operand(const CoreView& core, const DmaSide& side, std::byte* hbm) {
  Operand o{hbm, side.dtype, {}};
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    o.step[d + 1] = side.stride[d] * static_cast<std::ptrdiff_t>(size_of(side.dtype));
  }
  if (side.space == Space::kHbm) return o;
  o.at = core.at(side.space, side.partition, side.offset);
  o.step[1U + side.across] =
      static_cast<std::ptrdiff_t>(side.space == Space::kPsum ? core.psum_stride : core.sbuf_stride);
  return o;
}

void copy(const Walk<2>& walk) {
  const std::size_t size = size_of(walk.operand[0].dtype);
  walk.for_each_row([&](const std::array<std::byte*, 2>& at) {
    copy_row(at[0], walk.row_step(0), at[1], walk.row_step(1), size, walk.row_length());
  });
}

void cast(const Walk<2>& walk) {
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    const float* row = load_dense_row(at[1], walk.row_step(1), walk.operand[1].dtype, n, scratch);
    store_row(at[0], walk.row_step(0), walk.operand[0].dtype, n, row);
  });
}

void fold(AluOp op, const Walk<2>& walk) {
  ScratchRow a, b, sum;
  const DType dtype = walk.operand[0].dtype;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    const float* held = load_dense_row(at[0], walk.row_step(0), dtype, n, a);
    const float* added = load_dense_row(at[1], walk.row_step(1), walk.operand[1].dtype, n, b);
    float* out = result_row(at[0], walk.row_step(0), dtype, sum);
    alu_row(op, dense_row(held), dense_row(added), out, n);
    store_row(at[0], walk.row_step(0), dtype, n, out);
  });
}

Walk<2> transfer_walk(const Descriptor& d, const Operand& dst, const Operand& src) {
  Walk<2> walk{{1, d.count[0], d.count[1], d.count[2], d.count[3]}, {dst, src}};
  walk.merge();
  walk.prefer_long_rows();
  return walk;
}

// Visits elements in the order of the transfer.
struct DenseElements {
  DType dtype;
  std::vector<std::byte> bytes;
  Operand operand;

  DenseElements(const Descriptor& d, DType type)
      : dtype(type), bytes(size_of(type) * d.count[0] * d.count[1] * d.count[2] * d.count[3]) {
    operand = {bytes.data(), dtype, {}};
    auto step = static_cast<std::ptrdiff_t>(size_of(dtype));
    for (std::size_t dim = kFreeDims; dim-- > 0; step *= d.count[dim]) operand.step[dim + 1] = step;
  }
};

bool is_signed(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
}

std::int64_t integer_at(const std::byte* at, DType dtype) {
  const std::size_t size = size_of(dtype);
  const std::uint32_t bits = load_bits(at, size);
  if (!is_signed(dtype)) return bits;
  const unsigned unused = 32 - 8 * static_cast<unsigned>(size);
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

void fold_integers(AluOp op, const Walk<2>& walk) {
  const DType dtype = walk.operand[0].dtype;
  const std::size_t size = size_of(dtype);
  walk.for_each_row([&](const std::array<std::byte*, 2>& at) {
    for (std::size_t i = 0; i < walk.row_length(); ++i) {
      std::byte* held = at[0] + static_cast<std::ptrdiff_t>(i) * walk.row_step(0);
      const std::byte* added = at[1] + static_cast<std::ptrdiff_t>(i) * walk.row_step(1);
      store_bits(held, size, exact_alu(op, integer_at(held, dtype), integer_at(added, dtype)));
    }
  });
}

bool is_exact(std::span<const Descriptor> sources) {
  const DType dtype = sources.front().dst.dtype;
  return !is_float(dtype) && std::all_of(sources.begin(), sources.end(),
                                         [&](const Descriptor& d) { return d.src.dtype == dtype; });
}

void convert(const Walk<2>& walk) {
  walk.operand[0].dtype == walk.operand[1].dtype ? copy(walk) : cast(walk);
}

}  // namespace

void execute_dma(const Descriptor& descriptor, const CoreView& core, std::byte* hbm_dst,
                 const std::byte* hbm_src) {
  // Operand is one type for sources and destinations; a walk only reads its source.
  auto* readable = const_cast<std::byte*>(hbm_src);
  const Walk<2> walk = transfer_walk(descriptor, dma_operand(core, descriptor.dst, hbm_dst),
                                     dma_operand(core, descriptor.src, readable));
  if (descriptor.accumulate) return fold(AluOp::kAdd, walk);
  if (descriptor.dst.dtype == descriptor.src.dtype) return copy(walk);
  cast(walk);
}

void execute_indirect(const Descriptor& descriptor, Indirection direction, std::span<const IndirectRow> rows,
                      const CoreView& core, std::byte* hbm) {
  Descriptor one = descriptor;
  one.count[0] = 1;
  const bool gather = direction == Indirection::kGather;
  DmaSide& tile = gather ? one.dst : one.src;
  const DmaSide& memory = gather ? one.src : one.dst;
  const auto first = tile.partition;
  const auto pitch = std::ptrdiff_t{memory.stride[0]} * static_cast<std::ptrdiff_t>(size_of(memory.dtype));
  for (const IndirectRow& row : rows) {
    tile.partition = static_cast<std::uint16_t>(first + row.index);
    std::byte* at = hbm + pitch * static_cast<std::ptrdiff_t>(row.number);
    execute_dma(one, core, gather ? nullptr : at, gather ? at : nullptr);
  }
}

void execute_dma_compute(std::span<const Descriptor> sources, AluOp op, const CoreView& core,
                         std::byte* hbm_dst, std::span<const std::byte* const> hbm_srcs) {
  const Descriptor& d = sources.front();
  if (sources.size() == 1) return execute_dma(d, core, hbm_dst, hbm_srcs.front());
  const bool exact = is_exact(sources);
  DenseElements result(d, exact ? d.dst.dtype : DType::kFp32);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    auto* readable = const_cast<std::byte*>(hbm_srcs[s]);
    const Walk<2> walk = transfer_walk(d, result.operand, dma_operand(core, sources[s].src, readable));
    if (s == 0)
      convert(walk);
    else
      exact ? fold_integers(op, walk) : fold(op, walk);
  }
  convert(transfer_walk(d, dma_operand(core, d.dst, hbm_dst), result.operand));
}

}  // namespace tahoma::isa
