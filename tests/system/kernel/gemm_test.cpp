// SPDX-License-Identifier: Apache-2.0
// Compares the GEMM kernel's values, run without time in random order, with the declared arithmetic in plain
// loops.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/program/small_gemm.h"
#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

using namespace tahoma;
using isa::DType;
using tests::small_machine;
using tests::valid;
using workloads::GemmShape;

namespace {

struct OneCore {
  std::vector<float> got, want;
};

// [columns, rows] of [rows, columns].
std::vector<float> turned(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::vector<float> other;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) other.push_back(values[r * columns + c]);
  return other;
}

OneCore run_one_core(const model::MachineParams& machine, const GemmShape& s, std::uint32_t seed) {
  tests::Interpreter interpreter(machine, seed);
  const auto a = tests::random_values(s.k * s.m, s.dtype, 1),
             b = tests::random_values(s.k * s.n, s.dtype_of_b(), 2);
  const std::uint64_t at_a = interpreter.allocate(s.a_rows() * s.a_columns() * isa::size_of(s.dtype)),
                      at_b = interpreter.allocate(s.b_rows() * s.b_columns() * isa::size_of(s.dtype_of_b()));
  const std::uint64_t at_c = interpreter.allocate(s.m * s.n * isa::size_of(s.out));
  tests::store_all(interpreter.at(at_a), s.a_by_rows ? turned(a, s.k, s.m) : a, s.dtype);
  tests::store_all(interpreter.at(at_b), s.b_by_rows ? turned(b, s.k, s.n) : b, s.dtype_of_b());
  interpreter.load(0, valid(machine, workloads::gemm_program(machine, s)), {at_a, at_b, at_c});
  interpreter.run();
  const model::CoreParams& core = machine.chip.core;
  const std::uint64_t pass = std::min(core.tensor.rows, core.sbuf.partitions);
  OneCore result{tests::load_all(interpreter.at(at_c), s.m * s.n, s.out), {}};
  for (std::size_t m = 0; m < s.m; ++m)
    for (std::size_t n = 0; n < s.n; ++n)
      result.want.push_back(
          tests::rounded(tests::reference_element(a, s.m, b, s.n, m, n, 0, s.k, pass, s.dtype), s.out));
  return result;
}

}  // namespace

TEST_CASE("gemm: every shape gives the declared bits in any order of events", "[gemm]") {
  const GemmShape shapes[] = {{1, 1, 1},    {127, 129, 257}, {5, 700, 130},
                              {300, 3, 64}, {130, 513, 1},   {1, 1, 1000}};
  std::uint32_t seed = 0;
  for (const GemmShape& base : shapes)
    for (const DType dtype : {DType::kBf16, DType::kFp16, DType::kFp32}) {
      GemmShape shape = base;
      shape.dtype = shape.out = dtype;
      INFO(shape.m << "x" << shape.n << "x" << shape.k << " " << isa::name_of(dtype));
      const OneCore run = run_one_core(tests::default_machine(), shape, seed++);
      CHECK(run.got == run.want);
    }
}

// For operands that are stored by rows.
const GemmShape kShapesByRows[] = {{1, 1, 1}, {16, 600, 300}, {130, 33, 513}, {300, 3, 64}};

TEST_CASE("gemm: a stored by rows gives the declared bits", "[gemm][by_rows]") {
  std::uint32_t seed = 0;
  for (const GemmShape& base : kShapesByRows)
    for (const DType dtype : {DType::kBf16, DType::kFp16, DType::kFp32}) {
      GemmShape shape = base;
      shape.dtype = shape.out = dtype;
      shape.a_by_rows = true;
      INFO(shape.m << "x" << shape.n << "x" << shape.k << " " << isa::name_of(dtype));
      const OneCore run = run_one_core(tests::default_machine(), shape, seed++);
      CHECK(run.got == run.want);
    }
  // Strips of a that begin between multiples of 16.
  GemmShape shape{43, 65, 1000};
  shape.a_by_rows = true;
  const OneCore run = run_one_core(small_machine(), shape, seed);
  CHECK(run.got == run.want);
}

TEST_CASE("gemm: b of eight bits beside a of sixteen gives the declared bits", "[gemm][by_rows]") {
  std::uint32_t seed = 0;
  for (const GemmShape& base : kShapesByRows)
    for (const DType b : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4}) {
      GemmShape shape = base;
      shape.a_by_rows = true;
      shape.b_dtype = b;
      INFO(shape.m << "x" << shape.n << "x" << shape.k << " " << isa::name_of(b));
      const OneCore run = run_one_core(tests::default_machine(), shape, seed++);
      CHECK(run.got == run.want);
    }
}

TEST_CASE("gemm: b stored by rows gives the declared bits with either layout of a", "[gemm][by_rows]") {
  std::uint32_t seed = 0;
  for (const GemmShape& base : kShapesByRows)
    for (const DType dtype : {DType::kBf16, DType::kFp16, DType::kFp32})
      for (const bool both : {false, true}) {
        GemmShape shape = base;
        shape.dtype = shape.out = dtype;
        shape.a_by_rows = both;
        shape.b_by_rows = true;
        INFO(shape.m << "x" << shape.n << "x" << shape.k << " " << isa::name_of(dtype) << both);
        const OneCore run = run_one_core(tests::default_machine(), shape, seed++);
        CHECK(run.got == run.want);
      }
  // Panels of b that begin between multiples of 16; SBUF has tiles for streaming.
  for (const GemmShape& base : {GemmShape{65, 43, 1000}, GemmShape{70, 150, 3000}}) {
    GemmShape shape = base;
    shape.b_by_rows = true;
    INFO(shape.m << "x" << shape.n << "x" << shape.k);
    const OneCore run = run_one_core(small_machine(), shape, seed++);
    CHECK(run.got == run.want);
  }
}

TEST_CASE("gemm: a small machine streams operands that its SBUF does not hold", "[gemm]") {
  const model::MachineParams machine = small_machine();
  std::uint32_t seed = 0;
  for (const GemmShape& shape : {GemmShape{70, 150, 3000}, GemmShape{100, 100, 100}, GemmShape{33, 65, 17}}) {
    INFO(shape.m << "x" << shape.n << "x" << shape.k);
    const OneCore run = run_one_core(machine, shape, seed++);
    CHECK(run.got == run.want);
  }
  CHECK_FALSE(workloads::choose_blocking(machine, {70, 150, 3000}).resident);
}

TEST_CASE("gemm: arrays and memories of 16 to 512 rows, columns and partitions give the declared bits",
          "[gemm]") {
  std::mt19937 random(65);
  const auto size = [&] { return std::uint64_t{16} << random() % 6; };
  for (std::uint32_t n = 0; n < 16; ++n) {
    model::MachineParams machine = tests::default_machine();
    model::CoreParams& core = machine.chip.core;
    core.tensor.rows = size();
    core.tensor.columns = size();
    core.sbuf.partitions = size();
    const std::uint64_t rows = std::min(core.tensor.rows, core.sbuf.partitions),
                        columns = std::min(core.tensor.columns, core.sbuf.partitions);
    GemmShape shape{1 + random() % (2 * columns), 1 + random() % 30, 1 + random() % (2 * rows)};
    shape.a_by_rows = random() % 2 == 0;
    shape.b_by_rows = random() % 2 == 0;
    CAPTURE(core.tensor.rows, core.tensor.columns, core.sbuf.partitions, shape.m, shape.n, shape.k);
    const OneCore run = run_one_core(machine, shape, n);
    CHECK(run.got == run.want);
  }
}

TEST_CASE("gemm: one program gives the same values for every order of events", "[gemm]") {
  const GemmShape shape{40, 70, 100, DType::kFp32, DType::kFp32};
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const OneCore run = run_one_core(small_machine(), shape, seed);
    INFO("seed " << seed);
    REQUIRE(run.got == run.want);
  }
}

namespace {

GemmShape by_rows(GemmShape shape) {
  shape.a_by_rows = true;
  return shape;
}

}  // namespace

TEST_CASE("gemm: the blocking fits every machine that holds one tile", "[gemm][blocking]") {
  for (const std::uint64_t sbuf : {1024, 2048, 10'000, 65'536, 212'984})
    for (const std::uint64_t edge : {16, 64, 128})
      for (const GemmShape& shape :
           {GemmShape{1, 1, 1}, GemmShape{4096, 4096, 4096}, GemmShape{77, 5000, 300},
            GemmShape{1 << 14, 3, 1 << 16, DType::kFp32, DType::kFp32}, by_rows({16, 5000, 300}),
            by_rows({1000, 77, 5000})}) {
        model::MachineParams machine = tests::default_machine();
        machine.chip.core.sbuf.usable = {sbuf};
        machine.chip.core.tensor.rows = machine.chip.core.tensor.columns = edge;
        const workloads::Blocking b = workloads::choose_blocking(machine, shape);
        INFO(sbuf << " bytes, array " << edge << ", " << shape.m << "x" << shape.n << "x" << shape.k);
        CHECK(b.sbuf_bytes <= sbuf);
        CHECK((b.kt <= edge && b.mt <= edge && b.nt <= 512));
        CHECK(b.psum_copies * 2048UL <= machine.chip.core.psum.per_partition.count);
        CHECK(b.group_m * b.group_n <= b.psum_copies);
      }
}

TEST_CASE("gemm: with many rows a narrow b is loaded once", "[gemm][blocking]") {
  // 512 ranks, 4096 tokens: a's 128 MiB stream past b's 6.5 MiB, which SBUF holds together with a few tiles
  // of a.
  const GemmShape shape = by_rows({4096, 208, 16384});
  const isa::Program program = workloads::gemm_program(tests::default_machine(), shape);
  std::uint64_t loaded = 0;
  for (const isa::Descriptor& d : program.descriptors)
    if (d.src.space == isa::Space::kHbm && d.src.arg == 1) {
      std::uint64_t elements = 1;
      for (const std::uint32_t count : d.count) elements *= count;
      loaded += elements;
    }
  CHECK(loaded == shape.n * shape.k);
}

TEST_CASE("gemm: an SBUF too small for any tile is refused", "[gemm][blocking]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable = {128};
  CHECK_THROWS_WITH(workloads::choose_blocking(machine, {512, 512, 512}), Catch::Contains("E-RUN-024"));
}

TEST_CASE("gemm: a program that would be too long is refused", "[gemm]") {
  CHECK_THROWS_WITH(workloads::gemm_program(tests::default_machine(), {1 << 17, 1 << 17, 1 << 17}),
                    Catch::Contains("E-RUN-031"));
}

TEST_CASE("gemm: blocks that SBUF does not hold are refused with an alternative", "[gemm]") {
  // A block of 1024 columns of 2 bytes takes 64 KiB of a partition at K = 4096; two blocks fit into the 208
  // KiB.
  const model::MachineParams machine = tests::default_machine();
  for (const auto nest : {workloads::GemmNest::kBlocked, workloads::GemmNest::kRowLoads}) {
    CHECK_NOTHROW(workloads::gemm_program(machine, {1024, 1024, 4096}, nest));
    CHECK_THROWS_WITH(workloads::gemm_program(machine, {1024, 1024, 8192}, nest),
                      Catch::Contains("E-RUN-024") && Catch::Contains("'chosen'"));
  }
  CHECK_THROWS_WITH(workloads::gemm_program(machine, {1 << 20, 1 << 20, 128}, workloads::GemmNest::kNaive),
                    Catch::Contains("E-RUN-031"));
}

// With few rows, loads of b are worth their latency, and a does not delay them.
TEST_CASE("gemm: for 16 tokens tiles of b share loads of 4 KiB a partition", "[gemm][by_rows]") {
  const isa::Program p = workloads::gemm_program(tests::default_machine(), by_rows({16, 288, 16384}));
  std::uint64_t loads = 0;
  for (const isa::Instruction& i : p.stream(isa::Queue::kSync)) {
    CHECK(i.op != isa::Opcode::kDmaTranspose);
    if (i.op == isa::Opcode::kDmaCopy) ++loads;
  }
  CHECK(loads == (128 + 6) / 7);  // tiles of K; 7 x 288 x 2 bytes of a partition
}

TEST_CASE("gemm: groups that PSUM does not hold are refused", "[gemm]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.psum.per_partition = {2 * machine.chip.core.psum.bank.count};
  const GemmShape shape{256, 1024, 128};
  CHECK_NOTHROW(workloads::gemm_program(machine, shape, workloads::GemmNest::kBlocked));
  CHECK_THROWS_WITH(workloads::gemm_program(machine, shape, workloads::GemmNest::kRowLoads),
                    Catch::Contains("E-RUN-024") && Catch::Contains("PSUM has 2 banks"));
}

// Bytes and transfers of the published kernels at 4096^3 in bf16, which follow from the definition of the
// nests.
TEST_CASE("gemm: the published nests move the bytes of their loops", "[gemm]") {
  const model::MachineParams machine = tests::default_machine();
  const auto moved = [&](workloads::GemmNest nest, isa::Queue queue) {
    const isa::Program p = workloads::gemm_program(machine, {4096, 4096, 4096}, nest);
    std::uint64_t bytes = 0, transfers = 0;
    for (const isa::Instruction& i : p.stream(queue)) {
      if (i.op != isa::Opcode::kDmaCopy) continue;
      CHECK(i.dge == isa::Dge::kHw);
      const auto& count = p.descriptors[i.descriptor].count;
      bytes += std::uint64_t{count[0]} * count[1] * count[2] * count[3] * 2;
      ++transfers;
    }
    return std::pair{bytes, transfers};
  };
  const std::uint64_t matrix = std::uint64_t{4096} * 4096 * 2;
  using Moved = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [nest, loads] :
       {std::pair{workloads::GemmNest::kNaive, Moved{(8 + 32) * matrix, 2 * 32 * 8 * 32}},
        {workloads::GemmNest::kBlocked, Moved{(1 + 4) * matrix, 1024 + 4 * 256}},
        {workloads::GemmNest::kRowLoads, Moved{(1 + 4) * matrix, 128 + 4 * 128}}}) {
    CHECK(moved(nest, isa::Queue::kSync) == loads);
    CHECK(moved(nest, isa::Queue::kScalar) == Moved{matrix, 256});
  }
}
