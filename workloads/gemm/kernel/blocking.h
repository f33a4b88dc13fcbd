// SPDX-License-Identifier: Apache-2.0
// The division of one core's GEMM: tiles of a matmul, tiles accumulated side by side in PSUM, and operands
// that stay in SBUF. A search over the shapes that fit uses an estimate of tensor time, DMA time and
// start-up. The machine's sizes and rates are the only inputs, so other arrays, SBUFs and clocks get their
// own blockings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "isa/table/table.h"
#include "model/system/machine/machine_params.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

// The epilogue of a sum on its way out of PSUM: activation(sum + bias) + residual, in fp32; `squared`: the
// square of relu, without a residual or a bias of rows.
enum class BiasOf : std::uint8_t { kNone, kRows, kColumns };
struct GemmEpilogue {
  BiasOf bias = BiasOf::kNone;
  isa::ActFn activation = isa::ActFn::kCopy;
  bool residual = false, squared = false;
  bool only_rounds() const { return bias == BiasOf::kNone && activation == isa::ActFn::kCopy && !residual; }
};

// out[m, n] = sum over k of a[k, m] * b[k, n], on one core. `a_by_rows`: a is token-major in HBM, [m, k], and
// is transposed on its way into SBUF (workloads/common/transposed_load.h: rows up to the next multiple of 16
// are read). `b_by_rows`: likewise b, [n, k], weights [in, out] through which gradients are propagated. These
// support dense mode, 2- or 4-byte elements, and the chosen nest. a by rows also supports double_row with an
// even k: the DMA engines transpose pairs of adjacent 8-bit elements, which are the two rows that a partition
// holds.
struct GemmShape {
  std::uint64_t m = 1, n = 1, k = 1;
  isa::DType dtype = isa::DType::kBf16;  // of a, and of b unless `b_dtype` says otherwise
  isa::DType out = isa::DType::kBf16;    // fp32 for partial sums
  isa::MatmulMode mode = isa::MatmulMode::kDense;
  GemmEpilogue epilogue{};
  bool a_by_rows = false, b_by_rows = false;
  // Type of b, if it differs: weights of 8 bits with activations of 16. It needs dense mode, b not by rows,
  // and the chosen nest. The array multiplies both at the rate of dense mode; double_row needs 8-bit elements
  // on both sides.
  std::optional<isa::DType> b_dtype{};

  isa::DType dtype_of_b() const { return b_dtype.value_or(dtype); }
  bool sparse() const { return isa::row_of(mode).kept > 0; }
  // Counts the rows of the contraction per partition: of b, and of a, which is compressed if it is sparse.
  unsigned b_slices() const { return isa::row_of(mode).slices; }
  unsigned a_slices() const { return sparse() ? 1 : b_slices(); }
  // Partitions of the whole contraction, tiles stacked: a and b have that many rows times their slices in
  // HBM, and the last ones are zero if k does not fill a group of the mode.
  std::uint64_t partitions() const {
    const std::uint64_t kept = std::max<unsigned>(1, isa::row_of(mode).kept), group = kept * b_slices();
    return (k + group - 1) / group * kept;
  }
  std::uint64_t a_rows() const { return a_by_rows ? transposed_load_rows(m) : partitions() * a_slices(); }
  std::uint64_t a_columns() const { return a_by_rows ? k : m; }
  std::uint64_t b_rows() const { return b_by_rows ? transposed_load_rows(n) : partitions() * b_slices(); }
  std::uint64_t b_columns() const { return b_by_rows ? k : n; }
  // Counts the elements of a per partition for that many columns of out's rows.
  std::uint64_t a_width(std::uint64_t rows) const {
    return (a_by_rows ? transposed_load_rows(rows) : rows) * a_slices();
  }
  // Counts the elements of b for that many of out's columns.
  std::uint64_t b_width(std::uint64_t columns) const {
    return b_by_rows ? transposed_load_rows(columns) : columns * b_slices();
  }
  bool turns_pairs() const {
    return a_by_rows && !b_by_rows && mode == isa::MatmulMode::kDoubleRow && k % 2 == 0;
  }
  bool may_turn() const {
    const std::size_t size = isa::size_of(dtype);
    return turns_pairs() || (mode == isa::MatmulMode::kDense && (size == 2 || size == 4));
  }
  // Positions of the elements that a sparse a keeps, four in a uint16.
  static std::uint64_t tag_columns(std::uint64_t columns) { return (columns + 3) / 4; }
  static std::uint64_t tag_bytes(std::uint64_t columns) {
    return tag_columns(columns) * sizeof(std::uint16_t);
  }
};

// One matmul: contraction rows, output rows, output columns.
struct GemmTiles {
  unsigned kt = 0, mt = 0, nt = 0;
};
// Returns the capacity of the array, the partitions and a PSUM bank.
GemmTiles largest_tiles(const model::CoreParams& core);

// Panels whose column bias is in SBUF at once: the current one and the next.
inline constexpr unsigned kPanelsOfBias = 2;

struct Blocking {
  unsigned kt = 0, mt = 0, nt = 0;  // one matmul: contraction rows, output rows, output columns
  unsigned group_m = 1,
           group_n = 1;           // tiles that accumulate side by side: a weight load serves group_n matmuls
  unsigned strip = 0, panel = 0;  // columns of a in a strip, of b in a panel
  bool resident = false;          // strip and panel hold all of K; otherwise both are streamed tile by tile,
  bool panel_stays = false;       // or only a is, if b is one tile wide
  bool next_panel = false;        // the next panel is loaded while this one is used
  bool all_strips = false;        // all of a stays, for every panel
  unsigned b_stack = 1;           // stacked tiles of b in one load
  // There are so many copies of loads of a and b, of rows of tiles of c, of banks.
  unsigned a_copies = 0, b_copies = 0, c_copies = 0, psum_copies = 0;
  // Every tile of a is loaded once, before the first sums leave.
  bool a_first(const GemmShape& shape) const {
    return strip >= shape.m && (resident || (panel >= shape.n && std::uint64_t{group_m} * mt >= shape.m));
  }
  std::uint64_t sbuf_bytes = 0;  // per partition
  double estimate_ns = 0;        // for the choice, not a prediction
};

// The fastest blocking that fits, the smallest one among those within 0.2 %. Throws UserError E-RUN-024 if
// SBUF or PSUM cannot hold even the smallest tiles.
Blocking choose_blocking(const model::MachineParams& machine, const GemmShape& shape);

}  // namespace tahoma::workloads
