// SPDX-License-Identifier: Apache-2.0
// The timing laws against figures measured on silicon (device profiles of a trn2 core; hardware facts section
// 2) and against closed forms.
#include "model/engine/pipeline/timing_laws.h"

#include <catch2/catch.hpp>

#include "isa/table/activation_functions.h"
#include "isa/table/table.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using base::EngineKind;
using isa::DType;
using isa::Opcode;
using isa::Space;

namespace {

const model::CoreTiming& timed_core() {
  static const model::CoreTiming timing(tests::default_machine().chip.core);
  return timing;
}

isa::Instruction tiles(Opcode op, std::uint16_t n, DType dtype, Space src, Space dst) {
  isa::Instruction i;
  i.op = op;
  i.shape = {128, {1, 1, 1, n}};
  i.columns = 128;
  for (isa::Tile* t : {&i.dst, &i.src0, &i.src1}) {
    t->dtype = dtype;
    t->stride = {0, 0, 0, 1};
  }
  i.dst.space = dst;
  i.src0.space = src;
  return i;
}

double cycles_ns(base::Cycles c, base::Frequency f) { return base::Clock(f).length(c).ns(); }

}  // namespace

TEST_CASE("matmul: fp32 in four passes reads its columns twice, an overhead and its weights apart",
          "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  const auto i = tiles(Opcode::kMatmul, 420, DType::kFp32, Space::kSbuf, Space::kPsum);
  const auto hidden = model::matmul_cost(i, {DType::kFp32, {256}}, p);
  CHECK(hidden.streaming.count == 4 * 420);
  CHECK(hidden.reading.count == 2 * 840 + 6);
  CHECK(hidden.interval.count == 2 * 846);
  // The second weights start 4 cycles after the first part, and rows use them 4 cycles after their last
  // column.
  const auto short_rows = tiles(Opcode::kMatmul, 64, DType::kFp32, Space::kSbuf, Space::kPsum);
  CHECK(model::matmul_cost(short_rows, {DType::kFp32, {256}}, p).reading.count == 4 + 256 + 4 + 128);
}

TEST_CASE("matmul: runs of 16-bit elements that start at 2 mod 4 are counted, those of other widths not",
          "[timing]") {
  auto i = tiles(Opcode::kMatmul, 14, DType::kFp16, Space::kSbuf, Space::kPsum);
  const auto runs = [&](std::uint32_t offset, std::uint16_t outer, std::uint16_t rows, std::int16_t far,
                        std::int16_t pitch) {
    i.shape.count = {1, outer, rows, 14};
    i.src0.stride = {0, far, pitch, 1};
    i.src0.offset = offset;
    return model::misaligned_runs(i);
  };
  CHECK(runs(0, 1, 30, 0, 16) == 0);
  CHECK(runs(2, 1, 30, 0, 16) == 30);
  CHECK(runs(4, 1, 30, 0, 16) == 0);
  CHECK(runs(0, 1, 30, 0, 15) == 15);  // every other run
  CHECK(runs(0, 1, 31, 0, 15) == 15);
  CHECK(runs(2, 1, 31, 0, 15) == 16);
  CHECK(runs(0, 3, 4, 101, 16) == 4);  // those of the second four
  CHECK(runs(2, 3, 5, 101, 15) == 3 + 2 + 3);
  CHECK(runs(2, 1, 30, 0, 14) == 1);  // without gaps it is one run
  CHECK(runs(2, 4, 30, 0, 14) == 4);  // read four times
  i.src0.stride[3] = 2;
  CHECK(model::misaligned_runs(i) == 0);
  for (const DType other : {DType::kFp32, DType::kFp8E4M3}) {
    i.src0 = {Space::kSbuf, other, 0, 2, {0, 0, 16, 1}};
    CHECK(model::misaligned_runs(i) == 0);
  }
}

// The slices of a row are read side by side, however far apart they are and however many there are.
TEST_CASE("matmul: the slices of a sparse operand do not add misaligned runs", "[timing]") {
  auto i = tiles(Opcode::kMatmul, 14, DType::kBf16, Space::kSbuf, Space::kPsum);
  const auto runs = [&](isa::MatmulMode mode, std::uint16_t slices) {
    i.mode = mode;
    i.shape.count = {1, 1, 30, 14};
    i.shape.count[isa::kSliceDim] = slices;
    i.src0.stride = {0, 0, 15, 1};
    i.src0.stride[isa::kSliceDim] = 501;
    return model::misaligned_runs(i);
  };
  CHECK(runs(isa::MatmulMode::kDense, 1) == 15);
  CHECK(runs(isa::MatmulMode::kSparse1of2, 2) == 15);
  CHECK(runs(isa::MatmulMode::kSparse4of12, 3) == 15);
  CHECK(runs(isa::MatmulMode::kSparse1of4, 4) == 15);
}

TEST_CASE("matmul: zeros and ones halve the time of fp32, tf32 takes a quarter", "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  auto i = tiles(Opcode::kMatmul, 420, DType::kFp32, Space::kSbuf, Space::kPsum);
  const auto four = model::matmul_cost(i, {DType::kFp32}, p);
  for (const auto mode : {isa::MatmulMode::kOneZeroStationary, isa::MatmulMode::kOneZeroMoving}) {
    i.mode = mode;
    CHECK(2 * model::matmul_cost(i, {DType::kFp32}, p).interval.count == four.interval.count);
  }
  i.mode = isa::MatmulMode::kDense;
  CHECK(model::matmul_cost(i, {DType::kTf32}, p).streaming.count == 2 * 420);
  i.src0.dtype = DType::kTf32;
  CHECK(model::matmul_cost(i, {DType::kFp32}, p).streaming.count == 2 * 420);
  CHECK(model::matmul_cost(i, {DType::kTf32}, p).streaming.count == 420);
  CHECK(4 * 420 == four.streaming.count);
}

TEST_CASE("matmul: fp8 runs at the rate of bf16, double_row and sparse at that rate with more rows",
          "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  const auto bf16 = model::matmul_cost(tiles(Opcode::kMatmul, 512, DType::kBf16, Space::kSbuf, Space::kPsum),
                                       {DType::kBf16}, p);
  auto i = tiles(Opcode::kMatmul, 512, DType::kFp8E4M3, Space::kSbuf, Space::kPsum);
  CHECK(model::matmul_cost(i, {DType::kFp8E4M3}, p).interval == bf16.interval);
  CHECK(model::matmul_flops(i) == 2 * 128 * 128 * 512);
  for (const auto& [mode, slices, k] : {std::tuple{isa::MatmulMode::kDoubleRow, 2, 256},
                                        {isa::MatmulMode::kSparse4of16, 4, 128},
                                        {isa::MatmulMode::kSparse4of12, 3, 128},
                                        {isa::MatmulMode::kSparse1of2, 2, 128}}) {
    i.mode = mode;
    i.shape.count = {1, static_cast<std::uint16_t>(slices), 1, 512};
    const auto cost = model::matmul_cost(i, {DType::kFp8E4M3}, p);
    CHECK(cost.interval == bf16.interval);
    CHECK(cost.latency == bf16.latency);
    CHECK(model::matmul_flops(i) == std::uint64_t{2} * k * 128 * 512);  // only kept weights count
  }
}

TEST_CASE("matmul: fp32 counts its multiply-adds once, a transpose has none", "[timing]") {
  auto i = tiles(Opcode::kMatmul, 420, DType::kFp32, Space::kSbuf, Space::kPsum);
  CHECK(model::matmul_flops(i) == 2 * 128 * 128 * 420);
  i.op = Opcode::kTranspose;
  CHECK(model::matmul_flops(i) == 0);
}

TEST_CASE("matmul: a smaller array fills sooner and streams as long", "[timing]") {
  auto p = timed_core().tensor;
  const auto i = tiles(Opcode::kMatmul, 512, DType::kBf16, Space::kSbuf, Space::kPsum);
  const auto large = model::matmul_cost(i, {i.src0.dtype}, model::TensorTiming(p));
  p.rows = p.columns = 32;
  const auto small = model::matmul_cost(i, {i.src0.dtype}, model::TensorTiming(p));
  CHECK(small.interval == large.interval);
  CHECK(large.latency.count - small.latency.count == 2 * (128 - 32));
}

TEST_CASE("weight load: latency of an idle array by dtype and stride is that of silicon", "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  const auto latency = [&](DType dtype, std::int16_t stride) {
    auto i = tiles(Opcode::kLoadWeights, 128, dtype, Space::kSbuf, Space::kSbuf);
    i.src0.stride[3] = stride;
    const auto cost = model::weight_cost(i, p);
    return cycles_ns(std::max(cost.read, cost.shift) + cost.latency, p.clock);
  };
  CHECK(latency(DType::kFp16, 1) == Approx(95.0).epsilon(0.01));
  CHECK(latency(DType::kFp16, 9) == Approx(136.67).epsilon(0.01));
  CHECK(latency(DType::kFp32, 1) == Approx(189.17).epsilon(0.001));
  CHECK(latency(DType::kFp32, 9) == Approx(311.67).epsilon(0.002));
  CHECK(latency(DType::kUint32, 1) == Approx(137.5).epsilon(0.015));  // fp32 that is transposed
}

TEST_CASE("weight load: a stride slows the reader and not the array", "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  auto i = tiles(Opcode::kLoadWeights, 128, DType::kFp16, Space::kSbuf, Space::kSbuf);
  const auto in_order = model::weight_cost(i, p);
  i.src0.stride[3] = 9;
  const auto strided = model::weight_cost(i, p);
  CHECK(in_order.read.count == 32);
  CHECK(strided.read.count == 128);
  CHECK(in_order.shift.count == 32);
  CHECK(strided.shift.count == 32);
}

TEST_CASE("weight load: fp8 as 16-bit, double_row by its columns, tf32 as one word a column", "[timing]") {
  const model::TensorTiming p(timed_core().tensor);
  const auto cycles = [&](const isa::Instruction& i) { return model::weight_cost(i, p).read.count; };
  auto i = tiles(Opcode::kLoadWeights, 128, DType::kBf16, Space::kSbuf, Space::kSbuf);
  const auto bf16 = cycles(i);
  CHECK(bf16 == 32);
  i.src0.dtype = DType::kFp8E5M2;
  CHECK(cycles(i) == bf16);
  i.mode = isa::MatmulMode::kDoubleRow;
  i.shape.count = {1, 2, 1, 128};
  i.src0.stride = {0, 128, 0, 1};
  CHECK(cycles(i) == bf16);
  i = tiles(Opcode::kLoadWeights, 128, DType::kTf32, Space::kSbuf, Space::kSbuf);
  CHECK(cycles(i) == 128);
}

TEST_CASE("vector modes: 4x in SBUF, 2x with PSUM, 1x for fp32", "[timing]") {
  const auto& p = timed_core();
  CHECK(model::vector_rate(tiles(Opcode::kTensorCopy, 512, DType::kBf16, Space::kSbuf, Space::kSbuf), p) ==
        4);
  CHECK(model::vector_rate(tiles(Opcode::kTensorCopy, 512, DType::kBf16, Space::kPsum, Space::kSbuf), p) ==
        2);
  CHECK(model::vector_rate(tiles(Opcode::kTensorCopy, 512, DType::kFp32, Space::kSbuf, Space::kSbuf), p) ==
        1);
  auto gaps = tiles(Opcode::kTensorCopy, 512, DType::kBf16, Space::kSbuf, Space::kSbuf);
  gaps.src0.stride[3] = 2;
  CHECK(model::vector_rate(gaps, p) == 2);
}

TEST_CASE("reciprocal: eight cycles an element, as published", "[timing]") {
  const auto law = model::lane_law(isa::CostClass::kReciprocal);
  const auto a = law(tiles(Opcode::kReciprocal, 100, DType::kFp32, Space::kSbuf, Space::kSbuf),
                     EngineKind::kVector, timed_core());
  const auto b = law(tiles(Opcode::kReciprocal, 200, DType::kFp32, Space::kSbuf, Space::kSbuf),
                     EngineKind::kVector, timed_core());
  CHECK((b.issue - a.issue).count == 800);
}

TEST_CASE("function tables: a switch costs 1283.3 ns, and only a function outside the loaded set switches",
          "[timing]") {
  using isa::ActFn;
  // Returns whether running `next` right after `first` on a fresh engine loads a set.
  const auto switches = [&](ActFn first, ActFn next) {
    const unsigned loaded = model::table_switch(first, isa::kNoTableSet, timed_core().tables).loaded;
    const auto change = model::table_switch(next, loaded, timed_core().tables);
    CHECK((change.cycles.count != 0) == (change.loaded != loaded));
    return change.cycles.count != 0;
  };
  CHECK(cycles_ns(model::table_switch(ActFn::kExp, isa::kNoTableSet, timed_core().tables).cycles,
                  timed_core().scalar.clock) == Approx(1283.3).epsilon(0.001));
  CHECK_FALSE(switches(ActFn::kExp, ActFn::kExp));
  CHECK_FALSE(switches(ActFn::kExp, ActFn::kTanh));
  CHECK_FALSE(switches(ActFn::kTanh, ActFn::kExp));
  CHECK_FALSE(switches(ActFn::kSigmoid, ActFn::kArctan));
  CHECK_FALSE(switches(ActFn::kSilu, ActFn::kSin));
  CHECK_FALSE(switches(ActFn::kGelu, ActFn::kGeluDx));
  CHECK(switches(ActFn::kExp, ActFn::kGelu));
  CHECK(switches(ActFn::kSilu, ActFn::kSiluDx));
  CHECK(switches(ActFn::kGeluSigmoid, ActFn::kGeluSigmoidDx));
  // log takes the lowest of its sets, which lacks exp; so the two switch whenever they alternate, although a
  // set with both exists.
  CHECK(switches(ActFn::kLog, ActFn::kExp));
  CHECK(switches(ActFn::kExp, ActFn::kLog));
  // A set that has the function is kept: tanh is in sets 1 and 11.
  CHECK_FALSE(switches(ActFn::kGelu, ActFn::kTanh));
}

TEST_CASE("function tables: copy, square, relu, prelu, abs and sign never load or drop a set", "[timing]") {
  using isa::ActFn;
  for (const ActFn cheap :
       {ActFn::kCopy, ActFn::kSquare, ActFn::kRelu, ActFn::kPrelu, ActFn::kAbs, ActFn::kSign}) {
    for (unsigned loaded = isa::kNoTableSet; loaded <= isa::kTableSets; ++loaded) {
      const auto change = model::table_switch(cheap, loaded, timed_core().tables);
      CHECK(change.loaded == loaded);
      CHECK(change.cycles.count == 0);
    }
  }
}

TEST_CASE("cost classes: every class of the instruction table has a law or is the sequencer's", "[timing]") {
  for (const isa::OpRow& row : isa::all_rows()) {
    INFO(row.mnemonic);
    switch (row.cost) {
      case isa::CostClass::kNone:
      case isa::CostClass::kDoorbell:
      case isa::CostClass::kRendezvous:
      case isa::CostClass::kSemaphore:
      case isa::CostClass::kRegister:
      case isa::CostClass::kRegisterMemory:
      case isa::CostClass::kBranch:
      case isa::CostClass::kWeightLoad:
      case isa::CostClass::kMatmul:
        CHECK(model::lane_law(row.cost) == nullptr);
        break;
      default:
        CHECK(model::lane_law(row.cost) != nullptr);
    }
  }
}
