// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing_laws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "isa/activation_functions.h"

namespace tahoma::model {

using base::Clock, base::Cycles;

namespace {

bool is_16_bit(isa::DType d) { return isa::size_of(d) == 2; }

// Innermost strides above 16 bytes halve the rate of a stream (nki performance guide).
bool long_stride(const isa::Tile& t, const isa::Shape& s) {
  for (std::size_t d = isa::kFreeDims; d-- > 0;)
    if (s.count[d] > 1) return static_cast<std::size_t>(std::abs(t.stride[d])) * isa::size_of(t.dtype) > 16;
  return false;
}

Cycles stretched(std::uint64_t n, std::uint64_t numerator, std::uint64_t denominator) {
  return {static_cast<std::int64_t>((n * numerator + denominator - 1) / denominator)};
}

struct Lane {
  const LaneParams& params;
  Occupancy of(Cycles streaming, Cycles extra_issue = {0}) const {
    const Clock clock(params.clock);
    return {streaming + params.issue_overhead + extra_issue,
            streaming + clock.nearest(params.latency) + extra_issue};
  }
};

Lane lane(base::EngineKind kind, const CoreParams& p) {
  if (kind == base::EngineKind::kVector) return {p.vector};
  if (kind == base::EngineKind::kScalar) return {p.scalar};
  return {p.gpsimd};
}

Occupancy elementwise(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const std::uint64_t n = free_elements(i.shape);
  const unsigned rate = kind == base::EngineKind::kVector ? vector_rate(i, p.vector) : 1;
  const bool slow = rate == 1 && (long_stride(i.dst, i.shape) || long_stride(i.src0, i.shape));
  return lane(kind, p).of(stretched(n, slow ? 2 : 1, rate));
}

Occupancy two_input(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const std::uint64_t n = free_elements(i.shape);
  if (kind == base::EngineKind::kGpSimd) return lane(kind, p).of(stretched(n, 2, 1));
  const bool predicate = i.op == isa::Opcode::kTensorCopyPredicated;  // published: N at best
  const bool fast = p.vector.fast_modes && !predicate && is_16_bit(i.dst.dtype) && is_16_bit(i.src0.dtype) &&
                    is_16_bit(i.src1.dtype) && i.src0.space == isa::Space::kSbuf &&
                    i.src1.space == isa::Space::kSbuf;
  return lane(kind, p).of(stretched(n, 1, fast ? 2 : 1));
}

Occupancy reduce(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const bool fast = p.vector.fast_modes && is_16_bit(i.dst.dtype) && is_16_bit(i.src0.dtype) &&
                    (i.op0 == isa::AluOp::kAdd || i.op0 == isa::AluOp::kMax);
  return lane(kind, p).of(stretched(free_elements(i.shape), 1, fast ? 2 : 1));
}

Occupancy activation(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  Occupancy o = lane(kind, p).of(stretched(free_elements(i.shape), 1, 1));
  const Clock clock(p.scalar.clock);
  if (!isa::in_every_table_set(i.func))
    o.complete = o.complete + clock.nearest(p.scalar.activate_latency) - clock.nearest(p.scalar.latency);
  return o;
}

// Published: 8 cycles per element on the vector engine.
Occupancy reciprocal(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(free_elements(i.shape), 8, 1));
}

// Published: half the cycles when zeroing 16-bit elements on the vector engine.
Occupancy memset(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const bool fast = kind == base::EngineKind::kVector && i.value == 0.0F && is_16_bit(i.dst.dtype);
  return lane(kind, p).of(stretched(free_elements(i.shape), 1, fast ? 2 : 1));
}

// One element a cycle: patterns, searches, scans of one input, selections (published for most; for gathers,
// tensor_scalar_cumulative, select_reduce, random numbers, sequence_bounds and nonzero_with_count assumed).
Occupancy streaming(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(free_elements(i.shape), 1, 1));
}

// Published: max(600, N) cycles from start to start. N takes the place of N + issue_overhead, as in all
// published costs; the sequencer computes addresses in the rest of the 600.
Occupancy dynamic_copy(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  constexpr std::int64_t kLeast = 600;
  const Lane engine = lane(kind, p);
  const std::int64_t least = std::max<std::int64_t>(0, kLeast - engine.params.issue_overhead.count);
  return engine.of(Cycles{std::max(least, stretched(free_elements(i.shape), 1, 1).count)});
}

// Published: one element a cycle for a subtraction and a product of an even number of bf16, else two cycles.
Occupancy scalar_tensor_tensor(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const bool fast = i.src0.dtype == isa::DType::kBf16 && i.src1.dtype == isa::DType::kBf16 &&
                    i.op0 == isa::AluOp::kSubtract && i.op1 == isa::AluOp::kMult &&
                    free_elements(i.shape) % 2 == 0;
  return lane(kind, p).of(stretched(free_elements(i.shape), fast ? 1 : 2, 1));
}

// Published: two cycles per element.
Occupancy scan(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(free_elements(i.shape), 2, 1));
}

// Published: one element a cycle, and MIN_II more to read the accumulators out, which an instruction without
// a column for the result does not do (assumed). MIN_II is 64 cycles of either engine's own clock.
Cycles accumulator_read(const isa::Instruction& i, const CoreParams& p) {
  return i.result.present ? p.scalar.accumulator_read : Cycles{0};
}

Occupancy scalar_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(free_elements(i.shape), 1, 1), accumulator_read(i, p));
}

Occupancy activation_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const Occupancy o = activation(i, kind, p);
  const Cycles read = accumulator_read(i, p);
  return {o.issue + read, o.complete + read};
}

// Published: 13 cycles for each of the N / 3 triples.
Occupancy aggregate(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(free_elements(i.shape), 13, 3));
}

// Assumed: each element passes once per halving of the partitions.
Occupancy partition_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(i.shape.partitions - 1U));
  return lane(kind, p).of(stretched(free_elements(i.shape), std::max<std::uint64_t>(1, rounds), 1));
}

// Published: indices x elements / C, C = ((28 + t e) / (t e)) / min(4 / size, e) with t = 4.
Occupancy local_gather(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  const std::uint64_t e = i.per_index, size = isa::size_of(i.src0.dtype);
  const std::uint64_t wide = std::min<std::uint64_t>(4 / size, e);
  return lane(kind, p).of(stretched(std::uint64_t{i.valid} * e, 4 * e * wide, 28 + 4 * e));
}

// Published: 4 n + k.
Occupancy topk(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return lane(kind, p).of(stretched(4 * std::uint64_t{i.extent} + i.valid, 1, 1));
}

struct LawRow {
  isa::CostClass cost;
  LaneLaw law;
};
constexpr LawRow kLaneLaws[] = {{isa::CostClass::kElementwise, elementwise},
                                {isa::CostClass::kDynamicCopy, dynamic_copy},
                                {isa::CostClass::kTwoInput, two_input},
                                {isa::CostClass::kScalarTensorTensor, scalar_tensor_tensor},
                                {isa::CostClass::kScan, scan},
                                {isa::CostClass::kReduce, reduce},
                                {isa::CostClass::kScalarReduce, scalar_reduce},
                                {isa::CostClass::kStreaming, streaming},
                                {isa::CostClass::kAggregate, aggregate},
                                {isa::CostClass::kActivation, activation},
                                {isa::CostClass::kActivationReduce, activation_reduce},
                                {isa::CostClass::kReciprocal, reciprocal},
                                {isa::CostClass::kMemset, memset},
                                {isa::CostClass::kGpSimdPattern, streaming},
                                {isa::CostClass::kPartitionReduce, partition_reduce},
                                {isa::CostClass::kLocalGather, local_gather},
                                {isa::CostClass::kTopk, topk}};

}  // namespace

bool contiguous(const isa::Tile& tile, const isa::Shape& shape) {
  std::int64_t expected = 1;
  for (std::size_t d = isa::kFreeDims; d-- > 0;) {
    if (shape.count[d] == 1) continue;
    if (tile.stride[d] != expected) return false;
    expected *= shape.count[d];
  }
  return true;
}

unsigned vector_rate(const isa::Instruction& i, const VectorParams& p) {
  if (!p.fast_modes || !is_16_bit(i.dst.dtype) || !is_16_bit(i.src0.dtype)) return 1;
  if (long_stride(i.dst, i.shape) || long_stride(i.src0, i.shape)) return 1;
  const bool sbuf = i.dst.space == isa::Space::kSbuf && i.src0.space == isa::Space::kSbuf;
  return sbuf && contiguous(i.dst, i.shape) && contiguous(i.src0, i.shape) ? 4 : 2;
}

LaneLaw lane_law(isa::CostClass cost) {
  const auto* row = std::find_if(std::begin(kLaneLaws), std::end(kLaneLaws),
                                 [&](const LawRow& r) { return r.cost == cost; });
  return row == std::end(kLaneLaws) ? nullptr : row->law;
}

TableSwitch table_switch(isa::ActFn fn, unsigned loaded, const ScalarParams& p) {
  const unsigned set = isa::table_set_for(fn, loaded);
  return {set, set == loaded ? Cycles{0} : Clock(p.clock).nearest(p.table_load)};
}

}  // namespace tahoma::model
