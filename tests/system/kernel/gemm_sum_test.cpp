// SPDX-License-Identifier: Apache-2.0
// Partial sums of a GEMM whose cores share the contraction: programs of all ranks run without time in random
// order, against the declared order of the sum in plain loops.
#include "workloads/gemm/kernel/gemm_sum.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/run/placement.h"
#include "tests/support/program/small_gemm.h"
#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"

using namespace tahoma;
using isa::DType;
using runtime::collective::Algorithm;
using tests::small_machine;
using tests::valid;
using workloads::GemmShape;

namespace {

// The first cores of the machine.
runtime::collective::Group group(std::uint32_t ranks) {
  return runtime::collective::groups_of(small_machine(), runtime::collective::RankKind::kCores,
                                        fmt::format("0-{}", ranks - 1))
      .front();
}

struct SumCase {
  GemmShape shape;
  std::uint32_t ranks;
  Algorithm algorithm = Algorithm::kRing;
};

// An element of rank r's rows of C, in the order that runtime/collective/algorithm/ring.h declares.
float ring_element(const std::vector<std::vector<float>>& partial, std::uint32_t rank, std::size_t element,
                   bool up) {
  const auto ranks = static_cast<std::uint32_t>(partial.size());
  const std::uint32_t step = up ? 1 : ranks - 1;
  float sum = partial[(rank + step) % ranks][element];
  for (std::uint32_t i = 2; i <= ranks; ++i) sum = partial[(rank + i * step) % ranks][element] + sum;
  return sum;
}

// The ranks of one tile of C on separate cores.
class SumRun {
 public:
  SumRun(const SumCase& c, std::uint32_t seed)
      : shape_(c.shape),
        interpreter_(machine_, seed),
        sum_(estimates_, group(c.ranks), {shape_.m, shape_.n, shape_.out}, c.algorithm) {
    GemmShape part = shape_;
    part.out = DType::kFp32;
    for (std::uint32_t r = 0; r < c.ranks; ++r) {
      place_inputs(r);
      ranks_.push_back({part, interpreter_.allocate(shape_.m * shape_.n * sizeof(float)),
                        interpreter_.allocate(own(r).count * shape_.n * isa::size_of(shape_.out)),
                        interpreter_.allocate(sum_.staging(r) * sizeof(float))});
    }
    std::vector<isa::Program> programs = sum_.programs(machine_, ranks_, workloads::GemmNest::kChosen);
    for (std::uint32_t r = 0; r < c.ranks; ++r)
      interpreter_.load(r, valid(machine_, std::move(programs[r])),
                        {inputs_[r].first, inputs_[r].second, ranks_[r].partial, r});
    interpreter_.run();
  }

  const GemmShape& shape() const { return shape_; }
  const workloads::GemmSum& sum() const { return sum_; }
  const std::vector<std::vector<float>>& partial() const { return partial_; }
  runtime::Part own(std::uint32_t rank) const { return runtime::part_of(shape_.m, sum_.ranks(), rank); }
  std::vector<float> rows_of(std::uint32_t rank) {
    return tests::load_all(interpreter_.at(ranks_[rank].c), own(rank).count * shape_.n, shape_.out);
  }

 private:
  void place_inputs(std::uint32_t rank) {
    const GemmShape& s = shape_;
    const auto a = tests::random_values(s.k * s.m, s.dtype, 10 + rank),
               b = tests::random_values(s.k * s.n, s.dtype, 90 + rank);
    partial_.emplace_back();
    for (std::size_t m = 0; m < s.m; ++m)
      for (std::size_t n = 0; n < s.n; ++n)
        partial_.back().push_back(
            tests::reference_element(a, s.m, b, s.n, m, n, 0, s.k, machine_.chip.core.tensor.rows, s.dtype));
    const std::size_t size = isa::size_of(s.dtype);
    inputs_.emplace_back(interpreter_.allocate(a.size() * size), interpreter_.allocate(b.size() * size));
    tests::store_all(interpreter_.at(inputs_.back().first), a, s.dtype);
    tests::store_all(interpreter_.at(inputs_.back().second), b, s.dtype);
  }

  model::MachineParams machine_ = small_machine();
  runtime::collective::Estimates estimates_{machine_};
  GemmShape shape_;
  tests::Interpreter interpreter_;
  workloads::GemmSum sum_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> inputs_;
  std::vector<workloads::GemmSum::Rank> ranks_;
  std::vector<std::vector<float>> partial_;  // by rank
};

void check_ring(const SumCase& c, std::uint32_t seed, std::size_t channels) {
  SumRun run(c, seed);
  const GemmShape& s = run.shape();
  const auto& planned = run.sum().planned();
  REQUIRE(planned.channels.size() == channels);
  const std::uint64_t up = channels == 1 ? planned.chunk_elements : planned.channels[1].first;
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    const std::vector<float> got = run.rows_of(r);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t element = run.own(r).first * s.n + i;
      INFO("rank " << r << " element " << i << " seed " << seed);
      REQUIRE(got[i] == tests::rounded(ring_element(run.partial(), r, element, i < up), s.out));
    }
  }
}

// For any order of the sum: the sum stays fp32, so the order hardly matters, and is rounded once to C.
void check_sum(const SumCase& c, std::uint32_t seed) {
  SumRun run(c, seed);
  const GemmShape& s = run.shape();
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    const std::vector<float> got = run.rows_of(r);
    for (std::size_t i = 0; i < got.size(); ++i) {
      double want = 0, size = 0;
      for (const std::vector<float>& of_rank : run.partial()) {
        want += of_rank[run.own(r).first * s.n + i];
        size += std::abs(of_rank[run.own(r).first * s.n + i]);
      }
      INFO(name_of(c.algorithm) << ", rank " << r << " of " << c.ranks << ", element " << i << ", seed "
                                << seed);
      const double moved = c.ranks * 0x1p-24 * size;
      REQUIRE(got[i] >= tests::rounded(static_cast<float>(want - moved), s.out));
      REQUIRE(got[i] <= tests::rounded(static_cast<float>(want + moved), s.out));
    }
  }
}

}  // namespace

TEST_CASE("gemm: the ring sums partial products in the declared order", "[gemm][collective]") {
  struct Want {
    SumCase c;
    std::size_t channels;
  };
  const Want wants[] = {{{{64, 10, 20}, 2}, 1},
                        {{{64, 300, 20}, 2}, 2},
                        {{{100, 33, 16, DType::kFp32, DType::kFp32}, 4}, 1},
                        {{{90, 1000, 5, DType::kFp32, DType::kFp32}, 7}, 2},
                        {{{257, 3, 9, DType::kFp16, DType::kFp16}, 8}, 1}};
  for (const Want& want : wants)
    for (std::uint32_t seed = 0; seed < 2; ++seed) check_ring(want.c, seed, want.channels);
}

TEST_CASE("gemm: fewer rows than ranks leave the last ranks without any", "[gemm][collective]") {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    check_ring({{3, 5, 8}, 6}, seed, 1);
    check_ring({{1, 1, 1}, 3}, seed, 1);
    check_ring({{5, 9000, 2}, 7}, seed, 2);
  }
}

TEST_CASE("gemm: every algorithm sums equal, unequal and empty chunks", "[gemm][collective][long]") {
  std::uint32_t seed = 0, turn = 0;
  for (const Algorithm algorithm : workloads::GemmSum::algorithms().values) {
    for (const GemmShape& shape :
         {GemmShape{24, 7, 5}, GemmShape{43, 50, 5}, GemmShape{3, 11, 4}, GemmShape{61, 1100, 3}}) {
      SumCase c{shape, 8, algorithm};
      c.shape.dtype = c.shape.out = turn++ % 2 == 0 ? DType::kBf16 : DType::kFp32;
      check_sum(c, seed++);
    }
    ++turn;  // the next algorithm has the other dtype of each shape
  }
}

// More contributions than one transfer folds: the partial sum stays fp32.
TEST_CASE("gemm: many ranks' contributions are rounded once", "[gemm][collective]") {
  for (std::uint32_t seed = 0; seed < 3; ++seed)
    for (const DType out : {DType::kBf16, DType::kFp32})
      check_sum({{80, 6, 4, DType::kFp32, out}, 40, Algorithm::kMesh}, seed);
}

TEST_CASE("gemm: an algorithm that does not support the parts of K is refused", "[gemm][collective]") {
  const model::MachineParams machine = small_machine();
  runtime::collective::Estimates estimates(machine);
  CHECK_THROWS_WITH(workloads::GemmSum(estimates, group(6), {}, Algorithm::kRecursive),
                    Catch::Contains("E-COL-003") && Catch::Contains("powers of two"));
  CHECK_NOTHROW(workloads::GemmSum(estimates, group(6), {}, Algorithm::kBest));
}
