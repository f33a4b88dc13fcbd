// SPDX-License-Identifier: Apache-2.0
// The operations of a kernel work on these: views of on-chip buffers and of arguments in HBM, pools, signals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/core/program.h"

namespace tahoma::runtime {

// A view of an on-chip buffer: partitions x up to 4 free dimensions. Kernel::take creates it;
// its methods narrow it.
struct TileView {
  std::uint32_t buffer = 0;  // identity for dependency tracking
  isa::Tile tile;
  isa::Shape shape;
  TileView partitions(unsigned first, unsigned count) const;  // rows [first, first + count)
  TileView columns(unsigned first, unsigned count) const;     // of the innermost dimension
  TileView broadcast_columns(unsigned count) const;           // a [P,1] column seen as [P,count], stride 0
  TileView every(unsigned first, unsigned step) const;        // columns first, first + step, ...
  // Returns columns first + r * pitch + c as `rows` x `width`: a box of an image that is stored in the
  // columns.
  TileView grid(unsigned first, unsigned rows, unsigned pitch, unsigned width) const;
  TileView as(isa::DType dtype) const;  // the same bytes; only for a tile without gaps
  // Consecutive runs of columns as `count` slices of [P, columns / count] each: operands of matmuls that hold
  // several rows of the contraction in each partition.
  TileView slices(unsigned count) const;
  // Column count * c + s as column c of slice s: elements that are transposed in pairs.
  TileView interleaved(unsigned count) const;
  TileView slice(unsigned number) const;  // slice `number` of slices(): [P, columns of a slice]
};

// A 2-D window of an HBM argument: rows x columns of a matrix, row-major unless the strides differ.
struct HbmView {
  std::uint8_t arg = isa::kNone;
  isa::DType dtype = isa::DType::kFp32;
  std::uint64_t offset = 0;  // bytes from the argument's address
  std::uint64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // elements
  std::int64_t distance = 0;  // bytes to the same address in a peer's tensor; 0: this core's own tensor
  // Repeats the rows `count` times, `stride` elements apart, outermost first.
  struct Repeat {
    std::uint64_t count = 1;
    std::int64_t stride = 0;
  };
  std::array<Repeat, 2> repeats{};
  bool repeated() const { return repeats[0].count > 1 || repeats[1].count > 1; }
  std::int64_t origin = 0;  // of a beside() tensor: bytes from the argument's address to the tensor
  // Identity for dependency tracking: the number of an argument or of a beside() tensor
  std::uint32_t buffer = 0;
  HbmView window(std::uint64_t row, std::uint64_t column, std::uint64_t rows, std::uint64_t columns) const;
  // Row count * p + s as slice s of row p, for loads into TileView::slices. `count` must divide the rows.
  HbmView slices(unsigned count) const;
  // As slices(), but each slice holds rows / count adjacent rows: row
  // s * (rows / count) + p is slice s of row p.
  HbmView stacked(unsigned count) const;
  // The view covers the same bytes; `dtype` must divide rows that are dense.
  HbmView as(isa::DType dtype) const;
  // Returns the same window of a peer's tensor, `bytes` away in the global address space
  // (isa/core/program.h); may be negative.
  HbmView of_peer(std::int64_t bytes) const;
};

// The source of a transfer to one window: one window, or up to 16 that dma_compute folds element by
// element in the given order.
struct Folded {
  std::vector<HbmView> sources;
  isa::AluOp op = isa::AluOp::kAdd;             // add, max or min
  Folded(const HbmView& one) : sources{one} {}  // NOLINT(google-explicit-constructor): a plain copy
  Folded(std::vector<HbmView> several, isa::AluOp how) : sources(std::move(several)), op(how) {}
};

// A semaphore that the programs of several cores share: the n-th signal of every program has the same number.
struct Signal {
  std::uint8_t semaphore = 0;
};

// Raises a signal by 16 (once per DMA engine) on the core whose number is the argument's value plus `peer`.
struct Delivery {
  std::uint8_t core = isa::kNone;  // argument from core_argument() or own_core()
  Signal signal;
  int peer = 0;
};

struct Pool {
  std::uint32_t id = 0;
};

// The stationary operand of a matmul. In double_row mode each partition holds two slices of it. A sparse
// operand is compressed, and `tags` are the positions of the kept elements (uint16 [P, columns / 4]):
// isa/table/table_tensor.h.
struct Stationary {
  TileView tile;
  isa::MatmulMode mode = isa::MatmulMode::kDense;
  std::optional<TileView> tags;
  Stationary(const TileView& dense) : tile(dense) {}  // NOLINT(google-explicit-constructor): the usual one
  Stationary(const TileView& weights, isa::MatmulMode how, const std::optional<TileView>& kept = {})
      : tile(weights), mode(how), tags(kept) {}
};

struct ScalarOperand {  // an immediate or a [P,1] column of fp32
  float imm = 0;
  const TileView* column = nullptr;
};

}  // namespace tahoma::runtime
