// SPDX-License-Identifier: Apache-2.0
// How fast values are computed: the tensor engine's matmul as programs use it (one load_weights and four
// accumulating matmuls of 128x128x512 tiles), in ratio to Eigen's float GEMM of the same shape, both timed in
// one benchmark so that a busy host slows both; and the instructions that flash attention spends its time in.
#include <benchmark/benchmark.h>

#include <ctime>
#include <random>
#include <vector>

#include "isa/semantics.h"
#include "tests/bench/eigen_gemm_v3.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Space, isa::Tile;

constexpr std::size_t kSbufStride = 229376, kPsumStride = 16384,
                      kPartitions = 128;  // as trn2_* machines have them
constexpr unsigned kRows = 128, kColumns = 128, kMoving = 512, kPasses = 4;
constexpr double kFlops = 2.0 * kRows * kColumns * kMoving * kPasses;

class Core {
 public:
  Core() : sbuf_(kPartitions * kSbufStride), psum_(kPartitions * kPsumStride) {}
  isa::CoreView view() { return {sbuf_.data(), kSbufStride, psum_.data(), kPsumStride, &weights_}; }

  // Numbers around zero in `columns` elements of every partition.
  void fill(const Tile& tile, unsigned columns) {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    for (unsigned p = 0; p < kPartitions; ++p) {
      std::byte* row = view().at(tile.space, p, tile.offset);
      for (unsigned c = 0; c < columns; ++c) {
        isa::store_from_fp32(row + c * isa::size_of(tile.dtype), tile.dtype, normal(engine));
      }
    }
  }

 private:
  std::vector<std::byte> sbuf_, psum_;
  isa::Weights weights_;
};

Tile tile(Space space, DType dtype, std::uint32_t offset) { return {space, dtype, 0, offset, {0, 0, 0, 1}}; }

Instruction instruction(Opcode op, const Tile& dst, const Tile& src, unsigned columns) {
  Instruction i;
  i.op = op;
  i.shape = {kPartitions, {1, 1, 1, static_cast<std::uint16_t>(columns)}};
  i.dst = dst;
  i.src0 = src;
  i.columns = kColumns;
  i.scalar0.imm = 1.0F;
  return i;
}

// Time of this process, which other load on the host does not stretch.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void functional_gemm(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  Core core;
  const Tile weights = tile(Space::kSbuf, dtype, 0), psum = tile(Space::kPsum, DType::kFp32, 0);
  core.fill(weights, kColumns);
  std::vector<Instruction> program{instruction(Opcode::kLoadWeights, {}, weights, kColumns)};
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    const Tile moving = tile(Space::kSbuf, dtype, 4096 + 4096 * pass);
    core.fill(moving, kMoving);
    program.push_back(instruction(Opcode::kMatmul, psum, moving, kMoving));
    program.back().accumulate = pass > 0;
  }
  std::vector<float> w(kRows * kColumns, 0.5F), x(kRows * kMoving, 0.25F), c(kColumns * kMoving);

  double ours = 0, eigen = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (const Instruction& i : program) isa::execute(i, core.view());
    benchmark::ClobberMemory();
    ours += cpu_seconds() - start;
    state.PauseTiming();
    if (bench::host_runs_eigen_v3()) {
      const double yardstick = cpu_seconds();
      for (unsigned pass = 0; pass < kPasses; ++pass) {
        bench::eigen_gemm_v3(kRows, kColumns, kMoving, w.data(), x.data(), c.data());
      }
      benchmark::DoNotOptimize(c.data());
      eigen += cpu_seconds() - yardstick;
    }
    state.ResumeTiming();
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = runs * kFlops / ours * 1e-9;
  if (eigen > 0) {
    state.counters["eigen_GFLOP/s"] = runs * kFlops / eigen * 1e-9;
    state.counters["ratio_to_eigen"] = eigen / ours;
  }
  state.SetLabel(std::string(isa::name_of(dtype)) + " 128x128x512, PSUM accumulation");
}
BENCHMARK(functional_gemm)->Arg(int(DType::kBf16))->Arg(int(DType::kFp16))->Arg(int(DType::kFp32));

// Nanoseconds per element of one instruction over 128 x 512 elements.
void run_elementwise(benchmark::State& state, Core& core, const Instruction& i) {
  for (auto _ : state) {
    isa::execute(i, core.view());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kPartitions * i.shape.count[3]);
}

void softmax_exp(benchmark::State& state) {
  Core core;
  core.fill(tile(Space::kPsum, DType::kFp32, 0), 512);
  Instruction i = instruction(Opcode::kActivationReduce, tile(Space::kSbuf, DType::kBf16, 0),
                              tile(Space::kPsum, DType::kFp32, 0), 512);
  i.func = isa::ActFn::kExp;
  i.result = {true, Space::kSbuf, DType::kFp32, 0, 8192};
  i.scalar1 = {true, 0, Space::kSbuf, 0, 8196};
  run_elementwise(state, core, i);
}
BENCHMARK(softmax_exp);

void softmax_max(benchmark::State& state) {
  Core core;
  core.fill(tile(Space::kPsum, DType::kFp32, 0), 512);
  Instruction i = instruction(Opcode::kTensorReduce, tile(Space::kSbuf, DType::kFp32, 0),
                              tile(Space::kPsum, DType::kFp32, 0), 512);
  i.op0 = isa::AluOp::kMax;
  i.axes = 1;
  run_elementwise(state, core, i);
}
BENCHMARK(softmax_max);

void psum_to_bf16(benchmark::State& state) {
  Core core;
  core.fill(tile(Space::kPsum, DType::kFp32, 0), 512);
  run_elementwise(state, core,
                  instruction(Opcode::kTensorCopy, tile(Space::kSbuf, DType::kBf16, 0),
                              tile(Space::kPsum, DType::kFp32, 0), 512));
}
BENCHMARK(psum_to_bf16);

void rescale_rows(benchmark::State& state) {
  Core core;
  core.fill(tile(Space::kSbuf, DType::kFp32, 0), 512);
  const Tile values = tile(Space::kSbuf, DType::kFp32, 0);
  Instruction i = instruction(Opcode::kTensorScalar, values, values, 512);
  i.op0 = isa::AluOp::kMult;
  i.scalar0 = {true, 1.0F, Space::kSbuf, 0, 8192};
  run_elementwise(state, core, i);
}
BENCHMARK(rescale_rows);

void column_update(benchmark::State& state) {
  Core core;
  const Tile column = tile(Space::kSbuf, DType::kFp32, 0);
  Instruction i = instruction(Opcode::kTensorTensor, column, column, 1);
  i.src1 = tile(Space::kSbuf, DType::kFp32, 512);
  i.op0 = isa::AluOp::kMax;
  run_elementwise(state, core, i);
}
BENCHMARK(column_update);

void transpose_block(benchmark::State& state) {
  Core core;
  const Tile block = tile(Space::kSbuf, DType::kBf16, 0), identity = tile(Space::kSbuf, DType::kBf16, 4096);
  core.fill(block, 128);
  for (unsigned k = 0; k < kPartitions; ++k) {
    isa::store_from_fp32(core.view().at(Space::kSbuf, k, 4096 + 2 * k), DType::kBf16, 1.0F);
  }
  isa::execute(instruction(Opcode::kLoadWeights, {}, block, 128), core.view());
  run_elementwise(state, core,
                  instruction(Opcode::kTranspose, tile(Space::kPsum, DType::kBf16, 0), identity, 128));
}
BENCHMARK(transpose_block);

void accumulate_fp32(benchmark::State& state) {
  std::vector<float> a(1U << 20), b(1U << 20, 1.0F);
  const isa::DmaSide side{Space::kHbm, DType::kFp32, 0, 0, 0, 0, {0, 0, 0, 1}};
  const isa::Descriptor d{{1, 1, 1, 1U << 20}, side, side, true};
  for (auto _ : state) {
    isa::execute_dma(d, {}, reinterpret_cast<std::byte*>(a.data()),
                     reinterpret_cast<const std::byte*>(b.data()));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 3 * (4 << 20));
}
BENCHMARK(accumulate_fp32);

}  // namespace
