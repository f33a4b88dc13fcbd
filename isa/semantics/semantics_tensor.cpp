// SPDX-License-Identifier: Apache-2.0
// The tensor engine: load_weights and matmul. Moves data to and from one kernel (isa/simd/matmul_loop.h).
#include <algorithm>
#include <string>

#include "isa/core/program_error.h"
#include "isa/semantics/arithmetic/matmul_operands.h"
#include "isa/semantics/arithmetic/micro_scales.h"
#include "isa/semantics/arithmetic/row_access.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

constexpr unsigned kTagBits = 4, kTagsPerElement = 4;

bool is_sparse(MatmulMode mode) { return row_of(mode).kept != 0; }

// Returns the slot for a new operand. Overlapping operands are removed; the new one reuses the
// buffers of the first.
LoadedWeights& make_room(Weights& weights, const Standing& standing) {
  if (!fits(standing.block, weights.array))
    throw ProgramError("E-ISA-401", "load_weights",
                       "occupies " + text_of(standing.block) + "; expected an operand inside the array of " +
                           std::to_string(weights.array.rows) + " x " +
                           std::to_string(weights.array.columns));
  const ArrayBlock tile = tile_of(standing.block, weights.array);
  const auto in_the_way = std::partition(
      weights.loaded.begin(), weights.loaded.end(),
      [&](const LoadedWeights& w) { return !overlap(tile_of(w.standing.block, weights.array), tile); });
  if (in_the_way == weights.loaded.end()) return weights.loaded.emplace_back();
  weights.loaded.erase(in_the_way + 1, weights.loaded.end());
  return weights.loaded.back();
}

// Copies the bits of src0 as [k][column]. A partition stores its slices one after another, and so does `raw`.
void copy_bits(const Instruction& i, const CoreView& core, LoadedWeights& w) {
  if (w.standing.dtype != i.src0.dtype) {  // quads of MXFP4
    w.raw = unpacked_quads(tile_operand(core, i.src0), i.shape);
    return;
  }
  const std::size_t size = size_of(i.src0.dtype), bytes = free_elements(i.shape) * size;
  w.raw.resize(i.shape.partitions * bytes);
  const Operand src = tile_operand(core, i.src0);
  for (unsigned p = 0; p < i.shape.partitions; ++p) {
    std::byte* raw = w.raw.data() + p * bytes;
    for_each_piece_of_partition(
        i.shape, src, p, kScratch,
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          copy_row(raw + index * size, static_cast<std::ptrdiff_t>(size), at, step, size, n);
        });
  }
}

// Unpacks four tags per element, the lowest column in the lowest bits.
void read_tags(const Instruction& i, const CoreView& core, LoadedWeights& w) {
  const ModeRow& mode = row_of(i.mode);
  const unsigned group = mode.kept * mode.slices, columns = w.standing.block.columns;
  w.selected.resize(w.k * columns);
  Shape shape = i.shape;
  shape.count = {1, 1, 1, static_cast<std::uint16_t>((columns + kTagsPerElement - 1) / kTagsPerElement)};
  const Operand tags = tile_operand(core, i.src1);
  for (unsigned p = 0; p < w.k; ++p) {
    std::array<std::uint16_t, kScratch> packed{};
    for_each_piece_of_partition(
        shape, tags, p, kScratch,
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          copy_row(reinterpret_cast<std::byte*>(packed.data() + index), sizeof packed[0], at, step,
                   sizeof packed[0], n);
        });
    for (unsigned m = 0; m < columns; ++m) {
      const unsigned tag = packed[m / kTagsPerElement] >> (m % kTagsPerElement * kTagBits) & 0xFU;
      if (tag >= group)
        throw ProgramError("E-ISA-403", "load_weights",
                           "row " + std::to_string(p) + " of column " + std::to_string(m) + " has tag " +
                               std::to_string(tag) + "; expected a position in a group of " +
                               std::to_string(group) + ", 0.." + std::to_string(group - 1));
      w.selected[p * columns + m] = static_cast<std::uint16_t>(p / mode.kept * group + tag);
    }
  }
}

void pack_once(LoadedWeights& w) {
  if (w.is_packed) return;
  const std::size_t columns = w.standing.block.columns;
  pack_weights(w.raw.data(), w.standing.dtype, w.k, columns, w.packed);
  if (w.standing.mode == MatmulMode::kMx)
    scale_weights(w.scales, w.k, row_of(w.standing.mode).slices, w.packed);
  if (is_sparse(w.standing.mode)) {
    w.offsets.assign(panel_floats(w.k, columns, kWeightPanel), 0);
    std::vector<std::uint32_t> row(columns);
    for (std::size_t k = 0; k < w.k; ++k) {
      for (std::size_t m = 0; m < columns; ++m) row[m] = w.selected[k * columns + m] * kMovingPanel;
      pack<kWeightPanel>(row.data(), 0, columns, k, w.k, w.offsets.data());
    }
  }
  w.is_packed = true;
}

// The passes of dense weights in their architected order. An operand that is declared to hold only zeros and
// ones, or that is narrower than fp32, has no low half.
struct Passes {
  std::array<Pass, 4> pass{};
  std::size_t count = 0;
  void add(const float* weights, const float* moving) { pass[count++] = {weights, moving}; }
};
Passes passes_of(const Halves& w, const Halves& x, MatmulMode mode) {
  const bool w_low = w.has_low && mode != MatmulMode::kOneZeroStationary;
  const bool x_low = x.has_low && mode != MatmulMode::kOneZeroMoving;
  Passes passes;
  if (w_low && x_low) passes.add(w.low.data(), x.low.data());
  if (x_low) passes.add(w.mixed(), x.low.data());
  if (w_low) passes.add(w.low.data(), x.mixed());
  passes.add(w.high.data(), x.high.data());
  return passes;
}

Preparation preparation_of(DType moving, const Standing& weights) {
  if (is_sparse(weights.mode)) return Preparation::kWhole;
  if (moving == DType::kFp32) return Preparation::kSplit;
  return weights.dtype == DType::kFp32 ? Preparation::kMeetsHalves : Preparation::kWhole;
}

void multiply(const Instruction& i, const LoadedWeights& w, const Halves& moving,
              const MatmulTarget& target) {
  const ModeRow& mode = row_of(mode_of(i));
  const MatmulShape shape{w.k, i.columns, moving_columns(i), std::size_t{i.shape.partitions} * mode.slices};
  if (is_sparse(i.mode))
    return matmul_selected(shape, {w.packed.high.data(), moving.high.data()}, w.offsets.data(), target);
  const Passes passes = passes_of(w.packed, moving, i.mode);
  matmul_panels(shape, {passes.pass.data(), passes.count}, target);
}

// Returns whether the kernel can write dst directly: rows of contiguous, aligned fp32.
bool has_dense_rows(const Operand& dst, const Walk<1>& row, std::size_t moving) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(dst.at) % alignof(float);
  return dst.dtype == DType::kFp32 && row.row_length() == moving && row.row_step(0) == sizeof(float) &&
         misaligned == 0 && dst.step[0] % static_cast<std::ptrdiff_t>(sizeof(float)) == 0;
}

// Any other destination goes through a dense copy, with the same accumulation.
void multiply_through_copy(const Instruction& i, const LoadedWeights& w, const Halves& packed,
                           const Operand& dst, const Shape& out) {
  thread_local PanelBuffer<float> dense;
  const std::size_t moving = moving_columns(i);
  dense.resize(i.columns * moving);
  ScratchRow scratch;
  for (unsigned m = 0; m < i.columns && i.accumulate; ++m)
    for_each_piece_of_partition(
        out, dst, m, kScratch,
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          std::copy_n(load_dense_row(at, step, dst.dtype, n, scratch), n, dense.data() + m * moving + index);
        });
  multiply(i, w, packed, {dense.data(), static_cast<std::ptrdiff_t>(moving), i.accumulate});
  for (unsigned m = 0; m < i.columns; ++m)
    for_each_piece_of_partition(out, dst, m, kScratch,
                                [&](std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
                                  store_row(at, step, dst.dtype, n, dense.data() + m * moving + index);
                                });
}

}  // namespace

LoadedWeights& weights_for(const Instruction& i, const CoreView& core, const char* mnemonic) {
  Weights& weights = *core.weights;
  const ArrayBlock used = used_block(i, weights.array);
  std::string reason = "no weights are loaded in " + text_of(used) + " of the array";
  for (LoadedWeights& w : weights.loaded) {
    if (!overlap(tile_of(w.standing.block, weights.array), used)) continue;
    reason = unusable(i, used, w.standing);
    if (reason.empty()) return w;
  }
  throw ProgramError("E-ISA-401", mnemonic, reason);
}

void do_load_weights(const Instruction& i, const CoreView& core) {
  const Standing standing = standing_of(i, core.weights->array);
  LoadedWeights& w = make_room(*core.weights, standing);
  w.standing = standing;
  w.k = std::size_t{weights_per_cell(standing.mode)} * standing.block.rows;
  w.is_packed = false;
  copy_bits(i, core, w);
  if (is_sparse(i.mode)) read_tags(i, core, w);
  if (standing.mode == MatmulMode::kMx) w.scales = read_scales(i, core);
}

void do_matmul(const Instruction& i, const CoreView& core) {
  LoadedWeights& w = weights_for(i, core, "matmul");
  pack_once(w);
  thread_local Halves packed;
  const unsigned slices = row_of(mode_of(i)).slices;
  const DType moving = array_dtype(i, i.src0.dtype);
  std::vector<std::byte> unpacked;
  if (moving != i.src0.dtype) unpacked = unpacked_quads(tile_operand(core, i.src0), i.shape);
  const Operand source = unpacked.empty() ? tile_operand(core, i.src0) : operand_of_quads(unpacked, i.shape);
  pack_moving(i.shape, source, slices, preparation_of(moving, w.standing), packed);
  if (mode_of(i) == MatmulMode::kMx) scale_moving(read_scales(i, core), w.k, slices, packed);
  const Operand dst = tile_operand(core, i.dst);
  Shape out = i.shape;
  out.partitions = 1;
  if (slices > 1) out.count[kSliceDim] = 1;
  auto row = make_walk<1>(out, {dst});
  row.merge();
  if (!has_dense_rows(dst, row, moving_columns(i))) return multiply_through_copy(i, w, packed, dst, out);
  multiply(i, w, packed,
           {reinterpret_cast<float*>(dst.at), dst.step[0] / static_cast<std::ptrdiff_t>(sizeof(float)),
            i.accumulate});
}

}  // namespace tahoma::isa
