// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the instructions other than matmul that dominate flash attention.
#include <benchmark/benchmark.h>

#include <vector>

#include "tests/bench/bench_core.h"

namespace {

using namespace tahoma;
using bench::Core, bench::instruction, bench::kPartitions, bench::tile;
using isa::DType, isa::Instruction, isa::Opcode, isa::Space, isa::Tile;

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
