// SPDX-License-Identifier: Apache-2.0
// Recurrences along the free dimensions: tensor_tensor_scan and tensor_scalar_cumulative.
#include "isa/semantics/arithmetic/accumulators.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/semantics/semantics_rows.h"

namespace tahoma::isa {
namespace {

// Visits one partition's elements in ascending order; operand 0 is dst. compute(walk, first elements, n, out)
// fills a row of results.
template <std::size_t operands, class Compute>
void scan_partition(const Instruction& i, const CoreView& core, unsigned p,
                    const std::array<Operand, operands>& list, Compute&& compute) {
  const auto walk = lane_walk(i.shape, in_partition(list, p));
  for_each_result(walk, core, [&](const std::array<std::byte*, operands>& at, std::size_t n, float* out) {
    compute(walk, at, n, out);
  });
}

}  // namespace

void do_tensor_tensor_scan(const Instruction& i, const CoreView& core) {
  const std::array<Operand, 3> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    tile_operand(core, i.src1)};
  const Operand initial = scalar_operand(core, i.scalar0);
  ScratchRow a, b;
  for (unsigned p = 0; p < i.shape.partitions; ++p) {
    float state = load_as_fp32(in_partition(std::array{initial}, p)[0].at, DType::kFp32);
    scan_partition(i, core, p, list, [&](const Walk<3>& walk, const auto& at, std::size_t n, float* out) {
      const float* left = load_dense_row(at[1], walk.row_step(1), i.src0.dtype, n, a);
      const float* right = load_dense_row(at[2], walk.row_step(2), i.src1.dtype, n, b);
      for (std::size_t k = 0; k < n; ++k) {
        state = combine(i.op1, i.reverse1, combine(i.op0, i.reverse0, left[k], state), right[k]);
        out[k] = state;
      }
    });
  }
}

void do_tensor_scalar_cumulative(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, i.op1, &i.scalar1);
  const std::array<Operand, 3> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0)};
  ScratchRow x, s, first;
  for (unsigned p = 0; p < i.shape.partitions; ++p) {
    float state = lanes.start(p);
    scan_partition(i, core, p, list, [&](const Walk<3>& walk, const auto& at, std::size_t n, float* out) {
      combine_rows(i.op0, i.reverse0, source(walk, 1, at, n, x), source(walk, 2, at, n, s),
                   first.value.data(), n);
      for (std::size_t k = 0; k < n; ++k) {
        if (lanes.folding()) state = alu(i.op1, first.value[k], state);
        out[k] = state;
      }
    });
    lanes.finish(p, state);
  }
}

}  // namespace tahoma::isa
