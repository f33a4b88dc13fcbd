// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the tensor engine's values relative to Eigen's float GEMM on the same host core: one
// load_weights and four accumulating matmuls of 128 x 128 x 512, as programs use them. Both are timed
// alternately in one run, in processor time, and the ratio is that of the medians: a busy host slows both.
// Every case runs with the host's SIMD and with the scalar fallback.
//
// ratio_to_eigen counts useful multiply-adds (the kept ones of sparse weights, one for the four passes of
// fp32); ratio_per_pass counts each pass of fp32.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "hwy/targets.h"
#include "isa/table/table_fields.h"
#include "tests/bench/bench_core.h"
#include "tests/bench/eigen_gemm_v3.h"

namespace {

using namespace tahoma;
using bench::Core, bench::kColumns, bench::kPartitions, bench::tile;
using isa::DType, isa::Instruction, isa::MatmulMode, isa::Opcode, isa::Space, isa::Tile;

constexpr unsigned kMoving = 512, kMatmuls = 4;

struct Case {
  std::string name;
  DType dtype;
  MatmulMode mode = MatmulMode::kDense;
  unsigned passes = 1;
};

// The tags of a group in ascending order, the same for all columns.
void write_tags(Core& core, const Tile& tags, const isa::ModeRow& mode) {
  for (unsigned p = 0; p < kPartitions; ++p) {
    const auto element = static_cast<std::uint16_t>(0x1111U * (p % mode.kept * mode.slices));
    for (unsigned m = 0; m < kColumns / 4; ++m)
      std::memcpy(core.view().at(Space::kSbuf, p, tags.offset + 2 * m), &element, sizeof element);
  }
}

std::vector<Instruction> program_of(const Case& c, Core& core) {
  const isa::ModeRow& mode = isa::row_of(c.mode);
  const unsigned slices = mode.slices, weight_slices = c.mode == MatmulMode::kDoubleRow ? 2 : 1;
  Tile weights = tile(Space::kSbuf, c.dtype, 0);
  weights.stride[isa::kSliceDim] = kColumns;
  core.fill(weights, weight_slices * kColumns);
  std::vector<Instruction> program{bench::instruction(Opcode::kLoadWeights, {}, weights, kColumns)};
  program[0].shape.count[isa::kSliceDim] = static_cast<std::uint16_t>(weight_slices);
  program[0].mode = c.mode;
  if (mode.kept > 0) {
    program[0].src1 = tile(Space::kSbuf, DType::kUint16, 1024);
    write_tags(core, program[0].src1, mode);
  }
  for (unsigned n = 0; n < kMatmuls; ++n) {
    Tile moving = tile(Space::kSbuf, c.dtype, 4096 + 16384 * n);
    moving.stride[isa::kSliceDim] = kMoving;
    core.fill(moving, slices * kMoving);
    Instruction i = bench::instruction(Opcode::kMatmul, tile(Space::kPsum, DType::kFp32, 0), moving, kMoving);
    i.shape.count[isa::kSliceDim] = static_cast<std::uint16_t>(slices);
    i.mode = c.mode;
    i.accumulate = n > 0;
    program.push_back(i);
  }
  return program;
}

// Processor time of this process, which other load on the host does not increase.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void restrict_targets(bool simd) {
  const std::int64_t all = hwy::SupportedTargets();
  std::int64_t least = all;
  while ((least & (least - 1)) != 0) least &= least - 1;  // the highest bit is the fallback
  hwy::SetSupportedTargetsForTest(simd ? 0 : least);
  hwy::GetChosenTarget().DeInit();
}

void functional_gemm(benchmark::State& state, const Case& c, bool simd) {
  Core core;
  const std::vector<Instruction> program = program_of(c, core);
  std::vector<float> w(kPartitions * kColumns, 0.5F), x(kPartitions * kMoving, 0.25F), y(kColumns * kMoving);
  restrict_targets(simd);
  std::vector<double> ours, eigen;
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (const Instruction& i : program) isa::execute(i, core.view());
    benchmark::ClobberMemory();
    const double middle = cpu_seconds();
    ours.push_back(middle - start);
    state.SetIterationTime(middle - start);
    if (!bench::host_runs_eigen_v3()) continue;
    for (unsigned n = 0; n < kMatmuls; ++n)
      bench::eigen_gemm_v3(kPartitions, kColumns, kMoving, w.data(), x.data(), y.data());
    benchmark::DoNotOptimize(y.data());
    eigen.push_back(cpu_seconds() - middle);
  }
  restrict_targets(true);
  const double k = kPartitions * (c.mode == MatmulMode::kDoubleRow ? 2.0 : 1.0);
  const double rate = 2 * k * kColumns * kMoving * kMatmuls / median(ours) * 1e-9;
  state.counters["GFLOP/s"] = rate;
  if (eigen.empty()) return;
  const double yardstick = 2.0 * kPartitions * kColumns * kMoving * kMatmuls / median(eigen) * 1e-9;
  state.counters["eigen_GFLOP/s"] = yardstick;
  state.counters["ratio_to_eigen"] = rate / yardstick;
  if (c.passes > 1) state.counters["ratio_per_pass"] = rate * c.passes / yardstick;
}

const bool kRegistered = [] {
  const std::vector<Case> cases{{"bf16", DType::kBf16},
                                {"fp16", DType::kFp16},
                                {"tf32", DType::kTf32},
                                {"fp8_e4m3", DType::kFp8E4M3},
                                {"fp32", DType::kFp32, MatmulMode::kDense, 4},
                                {"fp32_onezero", DType::kFp32, MatmulMode::kOneZeroMoving, 2},
                                {"double_row", DType::kFp8E4M3, MatmulMode::kDoubleRow},
                                {"sparse_4_16_bf16", DType::kBf16, MatmulMode::kSparse4of16},
                                {"sparse_1_2_bf16", DType::kBf16, MatmulMode::kSparse1of2}};
  for (const Case& c : cases)
    for (const bool simd : {true, false})
      benchmark::RegisterBenchmark(("functional_gemm/" + c.name + (simd ? "/simd" : "/scalar")).c_str(),
                                   functional_gemm, c, simd)
          ->UseManualTime();
  return true;
}();

}  // namespace
