// SPDX-License-Identifier: Apache-2.0
// The timing laws of the vector, scalar and GpSimd engines against the formulas that AWS publishes for each
// instruction (hardware/nki_costs.csv). A published max(MIN_II, N) stands for N + issue_overhead, which is
// what silicon takes; what is measured here is the issue interval, start to start.
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/table.h"
#include "model/engine/timing_laws.h"
#include "tests/support/machine_fixture.h"

using namespace tahoma;
using base::EngineKind;
using isa::AluOp;
using isa::DType;
using isa::Instruction;
using isa::Opcode;

namespace {

const model::CoreParams& core() {
  static const model::MachineParams machine = tests::default_machine();
  return machine.chip.core;
}

Instruction rows(Opcode op, std::uint16_t n, DType dtype = DType::kFp32) {
  Instruction i;
  i.op = op;
  i.shape = {128, {1, 1, 1, n}};
  for (isa::Tile* t : {&i.dst, &i.src0, &i.src1}) {
    t->dtype = dtype;
    t->stride = {0, 0, 0, 1};
  }
  return i;
}

model::Occupancy cost(const Instruction& i, EngineKind kind) {
  return model::lane_law(isa::row_of(i.op).cost)(i, kind, core());
}
std::int64_t vector(const Instruction& i) { return cost(i, EngineKind::kVector).issue.count; }
std::int64_t gpsimd(const Instruction& i) { return cost(i, EngineKind::kGpSimd).issue.count; }
std::int64_t up(double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-9)); }

constexpr std::int64_t kStart = 60, kGpSimdStart = 150, kRead = 64;  // published or measured, in cycles
constexpr std::uint16_t kSizes[] = {1, 2, 7, 64, 511, 512, 600, 2000};

}  // namespace

TEST_CASE("tensor_copy_dynamic: max(600, N) from start to start, on each of its engines", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    const Instruction i = rows(Opcode::kTensorCopyDynamic, n);
    CHECK(vector(i) == std::max<std::int64_t>(600, n + kStart));
    CHECK(cost(i, EngineKind::kScalar).issue.count == std::max<std::int64_t>(600, n + kStart));
    CHECK(gpsimd(i) == std::max<std::int64_t>(600, n + kGpSimdStart));
    CHECK(cost(i, EngineKind::kVector).complete > cost(i, EngineKind::kVector).issue);
  }
}

TEST_CASE("tensor_copy_predicated: one element a cycle, whatever the dtype", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    CHECK(vector(rows(Opcode::kTensorCopyPredicated, n)) == n + kStart);
    CHECK(vector(rows(Opcode::kTensorCopyPredicated, n, DType::kUint16)) == n + kStart);
  }
}

TEST_CASE("scalar_tensor_tensor: N for (a - s) * b of an even number of bf16, else 2N", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    Instruction i = rows(Opcode::kScalarTensorTensor, n, DType::kBf16);
    i.op0 = AluOp::kSubtract;
    i.op1 = AluOp::kMult;
    CHECK(vector(i) == (n % 2 == 0 ? n : 2 * n) + kStart);
    Instruction other = i;
    other.op1 = AluOp::kAdd;
    CHECK(vector(other) == 2 * n + kStart);
    other = i;
    other.op0 = AluOp::kAdd;
    CHECK(vector(other) == 2 * n + kStart);
    other = i;
    other.src1.dtype = DType::kFp32;
    CHECK(vector(other) == 2 * n + kStart);
    other = i;
    other.src0.dtype = DType::kFp16;
    CHECK(vector(other) == 2 * n + kStart);
  }
}

TEST_CASE("tensor_tensor_scan: two cycles an element", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    CHECK(vector(rows(Opcode::kTensorTensorScan, n)) == 2 * n + kStart);
    CHECK(vector(rows(Opcode::kTensorTensorScan, n, DType::kBf16)) == 2 * n + kStart);
  }
}

TEST_CASE("tensor_scalar_reduce, activation_reduce: N, and MIN_II to read the accumulators out", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    Instruction i = rows(Opcode::kTensorScalarReduce, n, DType::kBf16);
    i.result.present = true;
    CHECK(vector(i) == n + kStart + kRead);
    Instruction a = rows(Opcode::kActivationReduce, n);
    a.result.present = true;
    CHECK(cost(a, EngineKind::kScalar).issue.count == n + kStart + kRead);
    const model::Occupancy with = cost(a, EngineKind::kScalar);
    i.result.present = a.result.present = false;  // nothing is read out
    CHECK(vector(i) == n + kStart);
    CHECK(cost(a, EngineKind::kScalar).issue.count == n + kStart);
    CHECK((with.complete - cost(a, EngineKind::kScalar).complete).count == kRead);
  }
}

TEST_CASE("one element a cycle: searches, statistics, selections, shuffles and random numbers", "[timing]") {
  for (const Opcode op : {Opcode::kMax8, Opcode::kFindIndex8, Opcode::kMatchReplace8, Opcode::kBnStats,
                          Opcode::kVectorTranspose, Opcode::kStreamShuffle, Opcode::kDropout, Opcode::kRng,
                          Opcode::kTensorScalarCumulative, Opcode::kSelectReduce, Opcode::kRangeSelect}) {
    INFO(isa::row_of(op).mnemonic);
    for (const std::uint16_t n : kSizes) {
      CHECK(vector(rows(op, n)) == n + kStart);
      CHECK(vector(rows(op, n, DType::kBf16)) == n + kStart);
    }
  }
}

TEST_CASE("bn_aggr: 13 cycles for each triple", "[timing]") {
  for (std::uint16_t triples = 1; triples <= 64; ++triples) {
    CHECK(vector(rows(Opcode::kBnAggr, static_cast<std::uint16_t>(3 * triples))) == 13 * triples + kStart);
  }
}

TEST_CASE("GpSimd patterns and gathers: 150 + N", "[timing]") {
  for (const Opcode op : {Opcode::kIota, Opcode::kAffineSelect, Opcode::kNGather, Opcode::kSequenceBounds,
                          Opcode::kNonzeroWithCount}) {
    INFO(isa::row_of(op).mnemonic);
    for (const std::uint16_t n : kSizes) CHECK(gpsimd(rows(op, n)) == n + kGpSimdStart);
  }
}

TEST_CASE("tensor_partition_reduce: 150 + N for each halving of the partitions", "[timing]") {
  for (unsigned partitions = 1; partitions <= 128; ++partitions) {
    Instruction i = rows(Opcode::kTensorPartitionReduce, 100);
    i.shape.partitions = static_cast<std::uint8_t>(partitions);
    const std::int64_t halvings = std::max<std::int64_t>(1, up(std::log2(partitions)));
    CHECK(gpsimd(i) == 100 * halvings + kGpSimdStart);
  }
}

TEST_CASE("local_gather: 150 + indices * elements / C, as published", "[timing]") {
  for (const DType dtype : {DType::kFp32, DType::kBf16, DType::kUint8}) {
    for (std::uint8_t e = 1; e <= 32; e = static_cast<std::uint8_t>(2 * e)) {
      for (const std::uint32_t indices : {1U, 16U, 100U, 4096U}) {
        Instruction i = rows(Opcode::kLocalGather, 256, dtype);
        i.per_index = e;
        i.valid = indices;
        const double te = 4.0 * e, size = static_cast<double>(isa::size_of(dtype));
        const double c = (28 + te) / te / std::min(4 / size, static_cast<double>(e));
        CHECK(gpsimd(i) == up(indices * e / c) + kGpSimdStart);
      }
    }
  }
}

TEST_CASE("topk: 4n + k", "[timing]") {
  for (const std::uint32_t n : {8U, 1000U, 65535U}) {
    for (const std::uint32_t k : {1U, 8U}) {
      Instruction i = rows(Opcode::kTopk, 4096, DType::kBf16);
      i.extent = n;
      i.valid = k;
      CHECK(gpsimd(i) == 4 * std::int64_t{n} + k + kGpSimdStart);
    }
  }
}
