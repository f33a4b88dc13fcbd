// SPDX-License-Identifier: Apache-2.0
#include "isa/table/activation_functions.h"
#include "model/engine/pipeline/shared_use.h"
#include "model/engine/pipeline/timing_laws.h"
#include "model/memory/scratchpad/shared_port.h"
#include "tests/support/witness/witness.h"
#include "tests/support/witness/witness_tiles.h"

namespace tahoma::tests {
namespace {

using base::EngineKind;
using isa::CostClass, isa::DType, isa::Opcode;
using model::MachineParams;

using Part = base::Cycles model::Occupancy::*;
constexpr Part kIssue = &model::Occupancy::issue, kLanes = &model::Occupancy::lanes,
               kComplete = &model::Occupancy::complete;

std::function<double(const MachineParams&)> on(EngineKind kind, const isa::Instruction& i, Part part) {
  return [=](const MachineParams& m) {
    const model::CoreParams& core = m.chip.core;
    const base::Frequency clock = kind == EngineKind::kVector   ? core.vector.clock
                                  : kind == EngineKind::kScalar ? core.scalar.clock
                                                                : core.gpsimd.clock;
    return length_ns(model::lane_law(isa::row_of(i.op).cost)(i, kind, model::CoreTiming(core)).*part, clock);
  };
}

isa::Instruction copy(DType dtype) { return witness_tiles(Opcode::kTensorCopy, 128, dtype); }
isa::Instruction from_psum() {
  isa::Instruction i = copy(DType::kFp32);
  i.src0.space = isa::Space::kPsum;
  return i;
}
// Writes to every ninth element.
isa::Instruction scatter(DType dtype) {
  isa::Instruction i = copy(dtype);
  i.dst.stride = {0, 0, 0, 9};
  return i;
}
// Writes to every fourth element of fp32: 16 bytes apart, the longest stride that does not count as long.
isa::Instruction spread() {
  isa::Instruction i = copy(DType::kFp32);
  i.dst.stride = {0, 0, 0, 4};
  return i;
}
isa::Instruction narrowing() {
  isa::Instruction i = copy(DType::kBf16);
  i.dst.dtype = DType::kFp8E4M3;
  return i;
}
isa::Instruction sum() {
  isa::Instruction i = witness_tiles(Opcode::kTensorReduce, 1000, DType::kFp16);
  i.op0 = isa::AluOp::kAdd;
  return i;
}
// 1280 indices of two fp16 each.
isa::Instruction gather() {
  isa::Instruction i = witness_tiles(Opcode::kLocalGather, 2560, DType::kFp16);
  i.per_index = 2;
  i.valid = 1280;
  return i;
}
// The 8 largest of 100.
isa::Instruction largest() {
  isa::Instruction i = witness_tiles(Opcode::kTopk, 8, DType::kBf16);
  i.extent = 100;
  i.valid = 8;
  return i;
}
isa::Instruction quads() {
  isa::Instruction i = copy(DType::kBf16);
  i.op = Opcode::kQuantizeMx;
  i.shape.count = {1, 4, 1, 32};
  i.dst.stride = i.src0.stride = {0, 1, 0, 4};
  return i;
}
isa::Instruction exponential() {
  isa::Instruction i = witness_tiles(Opcode::kActivation, 128, DType::kBf16);
  i.func = isa::ActFn::kExp;
  return i;
}
isa::Instruction reduction() {
  isa::Instruction i = witness_tiles(Opcode::kTensorScalarReduce, 128, DType::kFp32);
  i.result.present = true;
  return i;
}

double table_load(const MachineParams& m) {
  const model::CoreTiming core(m.chip.core);
  const model::TableSwitch change = model::table_switch(isa::ActFn::kExp, isa::kNoTableSet, core.tables);
  return length_ns(change.cycles, core.scalar.clock);
}

// Tells whether an instruction that reads PSUM has to wait for its turn.
double bank_turns(const MachineParams& m) {
  return model::shares(from_psum(), EngineKind::kScalar, m.chip.core) ? 1 : 0;
}

// Tells whether an instruction that reads bank 0 of PSUM may conflict with one of the other lane engine in
// another bank.
double lane_path(const MachineParams& m) {
  isa::Instruction elsewhere = from_psum();
  elsewhere.src0.offset = static_cast<std::uint32_t>(m.chip.core.psum.bank.count);
  const auto banks = [&](const isa::Instruction& i, EngineKind kind) {
    return model::shared_use(i, kind, m.chip.core).banks;
  };
  return (banks(from_psum(), EngineKind::kScalar) & banks(elsewhere, EngineKind::kVector)) != 0 ? 1 : 0;
}

// The additional time of the later of two instructions that move 7680 bytes per partition in the same
// microsecond.
double port_conflict(const MachineParams& m) {
  model::SharedPort port(m.chip.core.sbuf.shared_port);
  const base::Time end{1'000'000'000};
  return port.reserve(0, {7680}, {0}, end).ns() + port.reserve(1, {7680}, {0}, end).ns();
}

std::vector<Witness> vector_witnesses() {
  const auto vector = [](const isa::Instruction& i, Part part) { return on(EngineKind::kVector, i, part); };
  const isa::Instruction add = witness_tiles(Opcode::kTensorTensor, 1000, DType::kFp32);
  const char* const kAdd = "silicon 1200..1202: tensor_tensor, fp32 N=1000";
  return {
      {"vector.clock", vector(add, kComplete), 1200.0, kAdd},
      {"vector.issue_overhead", vector(add, kComplete), 1200.0, kAdd},
      {"vector.second_operand", vector(add, kComplete), 1200.0, kAdd},
      {"vector.latency", vector(add, kComplete), 1200.0, kAdd},
      {"vector.turnaround", vector(add, kLanes), 1102.083, "silicon: N + 58 cycles between starts"},
      {"vector.write_turnaround", vector(scatter(DType::kFp16), kLanes), 280.208,
       "silicon: 269 cycles between the ends of scatters of 128 fp16"},
      {"vector.partial_write_latency", vector(scatter(DType::kFp16), kComplete), 447.917,
       "silicon 448.5: scatter of 128 fp16"},
      {"vector.fast_modes", vector(copy(DType::kFp16), kIssue), 83.333,
       "documented: four 16-bit elements a cycle"},
      {"vector.copy_rate", vector(copy(DType::kFp16), kIssue), 83.333,
       "documented: four 16-bit elements a cycle"},
      {"vector.narrowing_rate", vector(narrowing(), kIssue), 116.667, "silicon: bf16 to fp8, two a cycle"},
      {"vector.two_input_rate", vector(witness_tiles(Opcode::kTensorTensor, 1000, DType::kFp16), kIssue),
       581.25, "documented: two 16-bit elements a cycle, 58 cycles of start-up"},
      {"vector.reduce_rate", vector(sum(), kIssue), 570.833, "documented: two 16-bit elements a cycle"},
      {"vector.memset_rate", vector(witness_tiles(Opcode::kMemset, 1000, DType::kFp16), kIssue), 570.833,
       "published: half the cycles for 16-bit zeros"},
      {"vector.sbuf_streams", vector(scatter(DType::kFp16), kComplete), 447.917,
       "silicon 448.5: scatter of 128 fp16"},
      {"vector.exponential_rate", vector(witness_tiles(Opcode::kExponential, 128, DType::kFp32), kIssue),
       83.333, "documented: four elements a cycle, 48 cycles of start-up"},
      {"vector.quantise_rate", vector(quads(), kIssue), 83.333, "documented: four elements a cycle"},
      {"vector.random_rate", vector(witness_tiles(Opcode::kRand2, 128, DType::kFp32), kIssue), 83.333,
       "documented: four elements a cycle"},
      {"costs.two_input", vector(witness_tiles(Opcode::kTensorTensor, 128, DType::kFp32), kIssue), 193.75,
       "silicon: N + 58 cycles"},
      {"costs.reciprocal", vector(witness_tiles(Opcode::kReciprocal, 128, DType::kFp32), kIssue), 1116.667,
       "published: 8 N cycles"},
      {"costs.dynamic_copy", vector(witness_tiles(Opcode::kTensorCopyDynamic, 128, DType::kFp32), kIssue),
       625.0, "published: max(600, N) cycles"},
      {"costs.scalar_tensor_tensor",
       vector(witness_tiles(Opcode::kScalarTensorTensor, 128, DType::kFp32), kIssue), 193.75,
       "NKIBench: N + 58 cycles"},
      {"costs.scan", vector(witness_tiles(Opcode::kTensorTensorScan, 128, DType::kFp32), kIssue), 193.75,
       "NKIBench: N + 58 cycles"},
      {"costs.aggregate", vector(witness_tiles(Opcode::kBnAggr, 126, DType::kFp32), kIssue), 618.75,
       "published: 13 (N / 3) cycles"},
  };
}

std::vector<Witness> scalar_witnesses() {
  const auto scalar = [](const isa::Instruction& i, Part part) { return on(EngineKind::kScalar, i, part); };
  return {
      {"scalar.clock", scalar(from_psum(), kIssue), 156.667, "silicon: copies from PSUM, N=128, pitch"},
      {"scalar.issue_overhead", scalar(from_psum(), kIssue), 156.667,
       "silicon: copies from PSUM, N=128, pitch"},
      {"scalar.turnaround", scalar(from_psum(), kLanes), 170.0, "silicon: N + 76 cycles in bursts"},
      {"scalar.write_turnaround", scalar(scatter(DType::kFp16), kLanes), 546.667, "640 + 16 cycles"},
      {"scalar.latency", scalar(from_psum(), kComplete), 265.833, "silicon: copy from PSUM, N=128"},
      {"scalar.partial_write_latency", scalar(scatter(DType::kFp16), kComplete), 748.333,
       "silicon: scatter of 128 fp16"},
      {"scalar.sbuf_source", scalar(scatter(DType::kFp32), kComplete), 416.667,
       "silicon: scatter of 128 fp32"},
      {"scalar.activate_latency", scalar(exponential(), kComplete), 395.0,
       "silicon 400 +-10: exp, bf16 N=128"},
      {"scalar.table_load", table_load, 1283.333, "silicon: 10 of 10 loads"},
      {"scalar.accumulator_read", scalar(reduction(), kIssue), 254.167,
       "published: N and 64 cycles, beyond the start-up"},
      {"sbuf.shared_port", port_conflict, 1000.0, "assumed: 8 bytes in a cycle of 960 MHz"},
      {"psum.bank_turns", bank_turns, 1, "assumed: engines take turns"},
      {"psum.lane_turns", lane_path, 0, "documented: only NeuronCore-v2's engines take turns in other banks"},
      {"scalar.copy_rate", scalar(copy(DType::kFp16), kIssue), 200.833,
       "one element a cycle: 113 + 128 cycles"},
      {"sbuf.clock", scalar(scatter(DType::kFp16), kComplete), 748.333, "silicon: scatter of 128 fp16"},
      {"sbuf.long_stride", scalar(spread(), kComplete), 310.0, "113 + 128 + 131 cycles: no long stride"},
      {"sbuf.word", scalar(scatter(DType::kFp32), kComplete), 416.667, "silicon: scatter of 128 fp32"},
      {"sbuf.strided_access", scalar(scatter(DType::kFp32), kComplete), 416.667,
       "silicon: scatter of 128 fp32"},
      {"sbuf.partial_write", scalar(scatter(DType::kFp16), kComplete), 748.333,
       "silicon: scatter of 128 fp16"},
  };
}

std::vector<Witness> gpsimd_witnesses() {
  const auto gpsimd = [](const isa::Instruction& i, Part part) { return on(EngineKind::kGpSimd, i, part); };
  const char* const kGathered = "published: 2560 elements / C, C = (36 / 8) / 2";
  const isa::Instruction iota = witness_tiles(Opcode::kIota, 128, DType::kFp32);
  return {
      {"gpsimd.clock", gpsimd(iota, kIssue), 231.667, "published: 150 + N cycles"},
      {"gpsimd.issue_overhead", gpsimd(iota, kIssue), 231.667, "published: 150 + N cycles"},
      {"gpsimd.turnaround", gpsimd(iota, kLanes), 231.667, "published: 150 + N cycles"},
      {"gpsimd.write_turnaround", gpsimd(scatter(DType::kFp16), kLanes), 533.333, "640 cycles"},
      {"gpsimd.latency", gpsimd(iota, kComplete), 330.0, "assumed: as the vector engine's"},
      {"gpsimd.partial_write_latency", gpsimd(scatter(DType::kFp16), kComplete), 790.0,
       "assumed: as the vector engine's"},
      {"costs.gpsimd_two_input", gpsimd(witness_tiles(Opcode::kTensorTensor, 128, DType::kFp32), kIssue),
       338.333, "published: 2 N cycles"},
      {"costs.gather_fixed", gpsimd(gather(), kIssue), 1073.333, kGathered},
      {"costs.gather_element", gpsimd(gather(), kIssue), 1073.333, kGathered},
      {"costs.gather_word", gpsimd(gather(), kIssue), 1073.333, kGathered},
      {"costs.topk", gpsimd(largest(), kIssue), 465.0, "published: 4 n + k cycles"},
  };
}

}  // namespace

std::vector<Witness> lane_witnesses() {
  std::vector<Witness> all = vector_witnesses();
  for (const auto& more : {scalar_witnesses(), gpsimd_witnesses()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace tahoma::tests
