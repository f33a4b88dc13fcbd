// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/timing_laws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "isa/table/activation_functions.h"

namespace tahoma::model {

using base::Clock, base::Cycles;

namespace {

bool is_16_bit(isa::DType d) { return isa::size_of(d) == 2; }

std::uint64_t ceil_divided(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::int64_t innermost_stride(const isa::Tile& t, const isa::Shape& s) {
  for (std::size_t d = isa::kFreeDims; d-- > 0;)
    if (s.count[d] > 1) return std::abs(t.stride[d]) * static_cast<std::int64_t>(isa::size_of(t.dtype));
  return 0;
}

bool long_stride(const isa::Tile& t, const isa::Shape& s, const SbufParams& p) {
  return innermost_stride(t, s) > static_cast<std::int64_t>(p.long_stride.count);
}

// A read-modify-write: the memory reads the word, inserts the element and writes the word back.
bool partial_write(const isa::Tile& t, const isa::Shape& s, const SbufParams& p) {
  return long_stride(t, s, p) && isa::size_of(t.dtype) < p.word.count;
}

bool all_in_sbuf(const isa::Instruction& i) {
  return i.dst.space == isa::Space::kSbuf && i.src0.space == isa::Space::kSbuf &&
         i.src1.space == isa::Space::kSbuf;
}

const LaneParams& lane_params(base::EngineKind kind, const CoreTiming& p) {
  if (kind == base::EngineKind::kVector) return p.vector;
  if (kind == base::EngineKind::kScalar) return p.scalar;
  return p.gpsimd;
}
const LaneTiming& lane_timing(base::EngineKind kind, const CoreTiming& p) {
  if (kind == base::EngineKind::kVector) return p.vector_lanes;
  if (kind == base::EngineKind::kScalar) return p.scalar_lanes;
  return p.gpsimd_lanes;
}

Cycles cycles_of(std::uint64_t n) { return {static_cast<std::int64_t>(n)}; }
std::uint64_t count_of(Cycles cycles) { return static_cast<std::uint64_t>(cycles.count); }
Cycles larger(Cycles a, Cycles b) { return {std::max(a.count, b.count)}; }

// Cycles of the engine that the memory takes for a tile's elements, one after the other. The vector engine
// has two streams in each direction (documented), which measurements show between SBUF and SBUF only. 0 if
// the memory keeps up with any engine.
Cycles memory_cycles(const isa::Instruction& i, const isa::Tile& tile, bool writes, base::EngineKind kind,
                     const CoreTiming& p) {
  if (!long_stride(tile, i.shape, p.sbuf)) return {0};
  const bool partial = writes && partial_write(tile, i.shape, p.sbuf);
  const auto each =
      static_cast<std::uint64_t>((partial ? p.sbuf.partial_write : p.sbuf.strided_access).count);
  const std::uint64_t streams =
      kind == base::EngineKind::kVector && all_in_sbuf(i) ? p.vector.sbuf_streams : 1;
  return cycles_of(
      ceil_divided(free_elements(i.shape) * each * lane_params(kind, p).clock.hz, p.sbuf.clock.hz * streams));
}

// Start-up before the first element: the fixed part and that of the operands.
Cycles start_up(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const Cycles engine = lane_params(kind, p).issue_overhead;
  if (kind == base::EngineKind::kScalar && i.src0.space == isa::Space::kSbuf)
    return engine + p.scalar.sbuf_source;
  return engine;
}

// Reading and writing overlap, within an instruction and between instructions; start-ups do not. Hence the
// rate of the lanes is the slower of reading sources and writing results, each with its pause. The front end
// is free once the sources have been read, so it takes the next instruction a little ahead of the lanes.
struct Lane {
  const isa::Instruction& i;
  base::EngineKind kind;
  const CoreTiming& p;

  Occupancy of(Cycles computing, Cycles extra_start = {0}) const {
    const LaneParams& params = lane_params(kind, p);
    const LaneTiming& timing = lane_timing(kind, p);
    const Cycles start = start_up(i, kind, p) + extra_start;
    const Cycles reading = larger(computing, larger(memory_cycles(i, i.src0, false, kind, p),
                                                    memory_cycles(i, i.src1, false, kind, p)));
    const Cycles writing = memory_cycles(i, i.dst, true, kind, p);
    const Cycles streamed = start + larger(reading, writing);
    const Cycles rewriting = partial_write(i.dst, i.shape, p.sbuf) ? timing.partial_write : Cycles{0};
    return {start + reading, larger(start + reading + params.turnaround, writing + params.write_turnaround),
            streamed, streamed + rewriting + timing.latency};
  }
  Occupancy of_elements(std::uint64_t numerator = 1, std::uint64_t denominator = 1,
                        Cycles extra_start = {0}) const {
    return of(cycles_of(ceil_divided(free_elements(i.shape) * numerator, denominator)), extra_start);
  }
  Occupancy of_two_inputs(std::uint64_t numerator, std::uint64_t denominator) const {
    return of_elements(numerator, denominator,
                       kind == base::EngineKind::kVector ? p.vector.second_operand : Cycles{0});
  }
};

// NeuronCore-v4's scalar engine copies 16-bit elements at twice the rate, as the vector engine does
// (documented); between which memories is not published, assumed SBUF.
unsigned scalar_rate(const isa::Instruction& i, const CoreParams& p) {
  const bool fast = is_16_bit(i.src0.dtype) && is_16_bit(i.dst.dtype) && all_in_sbuf(i) &&
                    !long_stride(i.dst, i.shape, p.sbuf) && !long_stride(i.src0, i.shape, p.sbuf);
  return fast ? static_cast<unsigned>(p.scalar.copy_rate) : 1;
}

Occupancy elementwise(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const unsigned rate = kind == base::EngineKind::kVector   ? vector_rate(i, p)
                        : kind == base::EngineKind::kScalar ? scalar_rate(i, p)
                                                            : 1;
  return Lane{i, kind, p}.of_elements(1, rate);
}

Occupancy two_input(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  if (kind == base::EngineKind::kGpSimd)
    return Lane{i, kind, p}.of_elements(count_of(p.costs.gpsimd_two_input));
  const bool predicate = i.op == isa::Opcode::kTensorCopyPredicated;  // published: N at best
  const bool fast = p.vector.fast_modes && !predicate && is_16_bit(i.dst.dtype) && is_16_bit(i.src0.dtype) &&
                    is_16_bit(i.src1.dtype) && i.src0.space == isa::Space::kSbuf &&
                    i.src1.space == isa::Space::kSbuf && !long_stride(i.dst, i.shape, p.sbuf) &&
                    !long_stride(i.src0, i.shape, p.sbuf) && !long_stride(i.src1, i.shape, p.sbuf);
  if (fast) return Lane{i, kind, p}.of_two_inputs(1, p.vector.two_input_rate);
  const bool psum = i.src0.space == isa::Space::kPsum || i.src1.space == isa::Space::kPsum;
  const bool narrow = is_16_bit(i.dst.dtype) && is_16_bit(i.src0.dtype) && is_16_bit(i.src1.dtype);
  return Lane{i, kind, p}.of_two_inputs(psum || narrow ? 1 : count_of(p.costs.two_input), 1);
}

Occupancy reduce(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const bool fast = p.vector.fast_modes && is_16_bit(i.dst.dtype) && is_16_bit(i.src0.dtype) &&
                    (i.op0 == isa::AluOp::kAdd || i.op0 == isa::AluOp::kMax) &&
                    !long_stride(i.src0, i.shape, p.sbuf);
  return Lane{i, kind, p}.of_elements(1, fast ? p.vector.reduce_rate : 1);
}

Occupancy activation(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p,
                     Cycles extra_start) {
  Occupancy o = Lane{i, kind, p}.of_elements(1, 1, extra_start);
  if (!isa::in_every_table_set(i.func)) o.complete = o.complete + p.activate - p.scalar_lanes.latency;
  return o;
}

Occupancy activation(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return activation(i, kind, p, {0});
}

// Published: one element a cycle, and MIN_II more to read out the accumulators. An instruction without a
// result column does not read them (assumed). MIN_II is 64 cycles of either engine's own clock.
Cycles accumulator_read(const isa::Instruction& i, const CoreTiming& p) {
  return i.result.present ? p.scalar.accumulator_read : Cycles{0};
}

Occupancy exponential(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(1, p.vector.exponential_rate, accumulator_read(i, p));
}

Occupancy quantise(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(1, p.vector.quantise_rate);
}

Occupancy random(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(1, p.vector.random_rate);
}

Occupancy reciprocal(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(count_of(p.costs.reciprocal));
}

// It takes half the cycles when zeroing 16-bit elements on the vector engine (published).
Occupancy memset(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const bool fast = kind == base::EngineKind::kVector && i.value == 0.0F && is_16_bit(i.dst.dtype);
  return Lane{i, kind, p}.of_elements(1, fast ? p.vector.memset_rate : 1);
}

// One element a cycle: patterns, searches, scans of one input, selections (published for most; for gathers,
// tensor_scalar_cumulative, select_reduce, random numbers, sequence_bounds and nonzero_with_count assumed).
Occupancy streaming(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements();
}

// Published: max(600, N) cycles from start to start. N is N + start-up here, as in all published costs; the
// sequencer computes addresses in the rest.
Occupancy dynamic_copy(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const Cycles least = p.costs.dynamic_copy - start_up(i, kind, p);
  return Lane{i, kind, p}.of(larger(least, cycles_of(free_elements(i.shape))));
}

// Published for NeuronCore-v2: two cycles for most operands. Measured: one in kernels of NKIBench (fp32 in
// SBUF) and in a profile with an operand in PSUM (643 ns from start to start for 512 elements).
Occupancy scalar_tensor_tensor(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_two_inputs(count_of(p.costs.scalar_tensor_tensor), 1);
}

Occupancy scan(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_two_inputs(count_of(p.costs.scan), 1);
}

Occupancy scalar_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(1, 1, accumulator_read(i, p));
}

Occupancy activation_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return activation(i, kind, p, accumulator_read(i, p));
}

Occupancy aggregate(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of_elements(count_of(p.costs.aggregate), kAggregateTriple);
}

// Each element passes once per halving of the partitions (assumed).
Occupancy partition_reduce(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(i.shape.partitions - 1U));
  return Lane{i, kind, p}.of_elements(std::max<std::uint64_t>(1, rounds));
}

// indices x e / C, C = ((fixed + t e) / (t e)) / min(word / size, e), e elements of an index.
Occupancy local_gather(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  const std::uint64_t e = i.per_index, size = isa::size_of(i.src0.dtype);
  const std::uint64_t wide = std::clamp<std::uint64_t>(p.costs.gather_word.count / size, 1, e);
  const std::uint64_t elements = count_of(p.costs.gather_element) * e;
  return Lane{i, kind, p}.of(cycles_of(
      ceil_divided(std::uint64_t{i.valid} * e * elements * wide, count_of(p.costs.gather_fixed) + elements)));
}

// As a copy without a faster mode (assumed).
Occupancy indirect_copy(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of(cycles_of(i.valid));
}

Occupancy topk(const isa::Instruction& i, base::EngineKind kind, const CoreTiming& p) {
  return Lane{i, kind, p}.of(cycles_of(count_of(p.costs.topk) * i.extent + i.valid));
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
                                {isa::CostClass::kExponential, exponential},
                                {isa::CostClass::kQuantise, quantise},
                                {isa::CostClass::kRandom, random},
                                {isa::CostClass::kReciprocal, reciprocal},
                                {isa::CostClass::kMemset, memset},
                                {isa::CostClass::kGpSimdPattern, streaming},
                                {isa::CostClass::kPartitionReduce, partition_reduce},
                                {isa::CostClass::kLocalGather, local_gather},
                                {isa::CostClass::kIndirectCopy, indirect_copy},
                                {isa::CostClass::kTopk, topk}};

}  // namespace

LaneTiming::LaneTiming(const LaneParams& p)
    : latency(Clock(p.clock).nearest(p.latency)),
      partial_write(Clock(p.clock).nearest(p.partial_write_latency)) {}

CoreTiming::CoreTiming(const CoreParams& p)
    : CoreParams(p),
      vector_lanes(p.vector),
      scalar_lanes(p.scalar),
      gpsimd_lanes(p.gpsimd),
      activate(Clock(p.scalar.clock).nearest(p.scalar.activate_latency)),
      tables(Clock(p.scalar.clock).nearest(p.scalar.table_load)) {}

bool contiguous(const isa::Tile& tile, const isa::Shape& shape) {
  std::int64_t expected = 1;
  for (std::size_t d = isa::kFreeDims; d-- > 0;) {
    if (shape.count[d] == 1) continue;
    if (tile.stride[d] != expected) return false;
    expected *= shape.count[d];
  }
  return true;
}

unsigned vector_rate(const isa::Instruction& i, const CoreParams& p) {
  if (!p.vector.fast_modes || !is_16_bit(i.src0.dtype) || isa::size_of(i.dst.dtype) > 2) return 1;
  if (long_stride(i.dst, i.shape, p.sbuf) || long_stride(i.src0, i.shape, p.sbuf)) return 1;
  const auto best =
      static_cast<unsigned>(is_16_bit(i.dst.dtype) ? p.vector.copy_rate : p.vector.narrowing_rate);
  const bool sbuf = i.dst.space == isa::Space::kSbuf && i.src0.space == isa::Space::kSbuf;
  return sbuf && contiguous(i.dst, i.shape) && contiguous(i.src0, i.shape) ? best : best / 2;
}

LaneLaw lane_law(isa::CostClass cost) {
  const auto* row = std::find_if(std::begin(kLaneLaws), std::end(kLaneLaws),
                                 [&](const LawRow& r) { return r.cost == cost; });
  return row == std::end(kLaneLaws) ? nullptr : row->law;
}

TableSwitch table_switch(isa::ActFn fn, unsigned loaded, Cycles tables) {
  const unsigned set = isa::table_set_for(fn, loaded);
  return {set, set == loaded ? Cycles{0} : tables};
}

}  // namespace tahoma::model
