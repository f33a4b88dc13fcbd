// SPDX-License-Identifier: Apache-2.0
// The timing laws of the vector, scalar and GpSimd engines compared with the formulas that AWS publishes for
// each instruction (hardware/nki_costs.csv). A published max(MIN_II, N) stands for N + start-up, as on
// silicon; the tests measure the issue interval, start to start.
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/table/table.h"
#include "model/engine/pipeline/timing_laws.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using base::EngineKind;
using isa::AluOp;
using isa::DType;
using isa::Instruction;
using isa::Opcode;

namespace {

const model::CoreTiming& core() {
  static const model::CoreTiming timing(tests::default_machine().chip.core);
  return timing;
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

// Start-ups in cycles, published or measured: of the vector engine with one and with two tiles, of the scalar
// engine with a source in SBUF.
constexpr std::int64_t kStart = 48, kTwoStart = 58, kScalarStart = 113, kGpSimdStart = 150, kRead = 64;
constexpr std::uint16_t kSizes[] = {1, 2, 7, 64, 511, 512, 600, 2000};

}  // namespace

TEST_CASE("tensor_copy_dynamic: max(600, N) from start to start, on each of its engines", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    const Instruction i = rows(Opcode::kTensorCopyDynamic, n);
    CHECK(vector(i) == std::max<std::int64_t>(600, n + kStart));
    CHECK(cost(i, EngineKind::kScalar).issue.count == std::max<std::int64_t>(600, n + kScalarStart));
    CHECK(gpsimd(i) == std::max<std::int64_t>(600, n + kGpSimdStart));
    CHECK(cost(i, EngineKind::kVector).complete > cost(i, EngineKind::kVector).issue);
  }
}

TEST_CASE("tensor_copy_predicated: one element a cycle for any dtype", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    CHECK(vector(rows(Opcode::kTensorCopyPredicated, n)) == n + kTwoStart);
    CHECK(vector(rows(Opcode::kTensorCopyPredicated, n, DType::kUint16)) == n + kTwoStart);
  }
}

TEST_CASE("scalar_tensor_tensor and tensor_tensor_scan: an element a cycle", "[timing]") {
  for (const std::uint16_t n : kSizes)
    for (const DType dtype : {DType::kFp32, DType::kBf16}) {
      CHECK(vector(rows(Opcode::kScalarTensorTensor, n, dtype)) == n + kTwoStart);
      CHECK(vector(rows(Opcode::kTensorTensorScan, n, dtype)) == n + kTwoStart);
    }
}

TEST_CASE("tensor_scalar_reduce, activation_reduce: N, and MIN_II to read the accumulators out", "[timing]") {
  for (const std::uint16_t n : kSizes) {
    Instruction i = rows(Opcode::kTensorScalarReduce, n, DType::kBf16);
    i.result.present = true;
    CHECK(vector(i) == n + kStart + kRead);
    Instruction a = rows(Opcode::kActivationReduce, n);
    a.result.present = true;
    CHECK(cost(a, EngineKind::kScalar).issue.count == n + kScalarStart + kRead);
    const model::Occupancy with = cost(a, EngineKind::kScalar);
    i.result.present = a.result.present = false;  // no result is read out
    CHECK(vector(i) == n + kStart);
    CHECK(cost(a, EngineKind::kScalar).issue.count == n + kScalarStart);
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

TEST_CASE("gather_columns and scatter_columns: a cycle for each column, on every engine that has them",
          "[timing]") {
  for (const Opcode op : {Opcode::kGatherColumns, Opcode::kScatterColumns})
    for (const EngineKind kind : {EngineKind::kVector, EngineKind::kScalar, EngineKind::kGpSimd}) {
      const auto issue = [&](std::uint32_t columns) {
        Instruction i = rows(op, 256);
        i.extent = 4096;
        i.valid = columns;
        return cost(i, kind).issue.count;
      };
      CHECK(issue(3000) - issue(1000) == 2000);
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

// --- Against silicon: cycles of the engine's clock, device profiles of a trn2 core (hardware/trainium2.md
// section 2) unless said otherwise.

namespace {

struct Operands {
  DType dtype = DType::kFp32;
  isa::Space from = isa::Space::kSbuf;
  std::int16_t src_stride = 1, dst_stride = 1;
};

model::Occupancy copy(EngineKind kind, std::uint16_t n, const Operands& o) {
  Instruction i = rows(Opcode::kTensorCopy, n, o.dtype);
  i.src0.space = o.from;
  i.src0.stride[3] = o.src_stride;
  i.dst.stride[3] = o.dst_stride;
  return cost(i, kind);
}

model::Occupancy add(std::uint16_t n, isa::Space first) {
  Instruction i = rows(Opcode::kTensorTensor, n);
  i.src0.space = first;
  return cost(i, EngineKind::kVector);
}

double ns(base::Cycles cycles, EngineKind kind) {
  return static_cast<double>(cycles.count) / (kind == EngineKind::kVector ? 0.96 : 1.2);
}

constexpr auto kVector = EngineKind::kVector, kScalar = EngineKind::kScalar;
constexpr auto kPsum = isa::Space::kPsum, kSbuf = isa::Space::kSbuf;

}  // namespace

TEST_CASE("tensor_tensor on silicon: N + 152 cycles for any memory, a start every N + 58 at best",
          "[timing]") {
  for (const auto& [n, first, measured] :
       {std::tuple{420, kPsum, 595.8}, {444, kPsum, 620.8}, {1000, kSbuf, 1200.0}, {2000, kSbuf, 2242.7}}) {
    const auto o = add(static_cast<std::uint16_t>(n), first);
    CHECK(o.complete.count == n + 152);
    CHECK(ns(o.complete, kVector) == Approx(measured).epsilon(0.001));
  }
  CHECK(ns(add(444, kPsum).issue, kVector) == Approx(522.9).epsilon(0.001));  // the shortest
  CHECK(ns(add(420, kPsum).issue, kVector) == Approx(511.5).epsilon(0.03));   // one sample
  CHECK(add(420, kPsum).lanes == add(420, kPsum).issue);
}

TEST_CASE("two tiles: in SBUF the declared cycles for each element, one if either is in PSUM", "[timing]") {
  model::CoreParams params = tests::default_machine().chip.core;
  params.costs.two_input = base::Cycles{2};  // NeuronCore-v2
  const model::CoreTiming v2(params);
  const auto streamed = [&](isa::Space first, isa::Space second) {
    Instruction i = rows(Opcode::kTensorTensor, 1000);
    i.src0.space = first;
    i.src1.space = second;
    return model::lane_law(isa::row_of(i.op).cost)(i, kVector, v2).issue.count;
  };
  CHECK(streamed(kPsum, kSbuf) == 1000 + kTwoStart);
  CHECK(streamed(kSbuf, kPsum) == 1000 + kTwoStart);
  CHECK(streamed(kSbuf, kSbuf) == 2 * 1000 + kTwoStart);
}

TEST_CASE(
    "scalar tensor_copy on silicon: from PSUM N + 191 cycles, a start every N + 60, an end every N + 76",
    "[timing]") {
  for (const auto& [n, latency, start] : {std::tuple{128, 265.83, 156.67}, {64, 212.5, 103.33}}) {
    const auto o = copy(kScalar, static_cast<std::uint16_t>(n), {DType::kFp32, kPsum});
    CHECK(o.complete.count == n + 191);
    CHECK(o.lanes.count == n + 76);
    CHECK(ns(o.complete, kScalar) == Approx(latency).margin(0.01));
    CHECK(ns(o.issue, kScalar) == Approx(start).margin(0.01));
  }
}

TEST_CASE(
    "scatters over SBUF on silicon: a word takes 2 cycles at 1.2 GHz, less than a word 5, on the vector "
    "engine two at once",
    "[timing]") {
  const auto fp32 = Operands{DType::kFp32, kSbuf, 1, 9}, fp16 = Operands{DType::kFp16, kSbuf, 1, 9};
  CHECK(ns(copy(kScalar, 128, fp32).complete, kScalar) == Approx(416.7).epsilon(0.001));
  CHECK(ns(copy(kScalar, 128, fp16).complete, kScalar) == Approx(748.3).epsilon(0.001));
  CHECK(ns(copy(kVector, 128, fp32).complete, kVector) == Approx(281.2).epsilon(0.001));
  CHECK(ns(copy(kVector, 128, fp16).complete, kVector) == Approx(448.5).epsilon(0.002));
  CHECK(ns(copy(kVector, 128, fp16).lanes, kVector) == Approx(280.2).epsilon(0.001));
  // Closed forms, N elements.
  constexpr std::uint16_t kSeveral[] = {2, 16, 128, 511};
  for (const std::uint16_t n : kSeveral) {
    CHECK(copy(kScalar, n, fp32).complete.count == 2 * n + 244);
    CHECK(copy(kScalar, n, fp16).complete.count == 5 * n + 258);
    CHECK(copy(kVector, n, fp32).complete.count == n + 142);
    CHECK(copy(kVector, n, fp16).lanes.count == std::max(n + 48, 2 * n + 13));
    CHECK(copy(kVector, n, fp16).complete.count == 2 * n + 174);
  }
}

TEST_CASE("scatters and gathers on silicon: constants calibrated elsewhere hold in the check profile",
          "[timing]") {
  const auto within = [](double model, double measured, double share) {
    INFO("model " << model << " silicon " << measured);
    CHECK(std::abs(model / measured - 1) < share);
  };
  const auto gather32 = Operands{DType::kFp32, kSbuf, 9, 1}, gather16 = Operands{DType::kFp16, kSbuf, 9, 1};
  const auto scatter32 = Operands{DType::kFp32, kPsum, 1, 9}, scatter16 = Operands{DType::kFp16, kPsum, 1, 9};
  within(ns(copy(kVector, 128, gather32).lanes, kVector), 183.3, 0.01);
  within(ns(copy(kVector, 128, gather16).lanes, kVector), 185.4, 0.02);
  within(ns(copy(kScalar, 128, gather32).complete, kScalar), 417.9, 0.01);
  within(ns(copy(kScalar, 128, gather32).lanes, kScalar), 319.2, 0.01);
  within(ns(copy(kScalar, 128, scatter32).complete, kScalar), 387.0, 0.05);
  within(ns(copy(kScalar, 128, scatter32).lanes, kScalar), 231.2, 0.03);
  within(ns(copy(kScalar, 128, scatter16).complete, kScalar), 722.5, 0.05);
  within(ns(copy(kScalar, 128, scatter16).lanes, kScalar), 560.0, 0.03);
  within(ns(copy(kVector, 128, scatter32).complete, kVector), 376.0, 0.05);
  within(ns(copy(kVector, 128, scatter32).lanes, kVector), 231.2, 0.03);
  within(ns(copy(kVector, 128, scatter16).complete, kVector), 710.4, 0.02);
  within(ns(copy(kVector, 128, scatter16).lanes, kVector), 560.0, 0.03);
}
