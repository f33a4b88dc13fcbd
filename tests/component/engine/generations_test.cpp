// SPDX-License-Identifier: Apache-2.0
// Compares the times of features that differ in NeuronCore-v2 and NeuronCore-v4 with closed forms.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/engine/pipeline/shared_use.h"
#include "model/engine/pipeline/timing_laws.h"
#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"
#include "tests/support/witness/witness_tiles.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::EngineKind;
using isa::CoreVersion, isa::DType, isa::Opcode, isa::Queue;

namespace {

model::MachineParams machine_with(CoreVersion version) {
  model::MachineParams m = flat_chip();
  m.chip.core.version = version;
  m.chip.core.tensor.throttle = false;
  return m;
}

base::Cycles issue_of(const isa::Instruction& i, EngineKind kind, const model::CoreParams& core) {
  return model::lane_law(isa::row_of(i.op).cost)(i, kind, model::CoreTiming(core)).issue;
}

double ns_between(base::Time from, base::Time to) { return (to - from).ns(); }

// Applies `of` to a program's events, with or without transposes in the background.
double measured(const std::string& text, bool background, double (*of)(const ActivityLog&)) {
  return std::stod(in_child([&] {
    model::MachineParams m = machine_with(CoreVersion::kV4);
    m.chip.core.tensor.background_transpose = background;
    return std::to_string(of(activity_of(text, m)));
  }));
}

}  // namespace

TEST_CASE(
    "NeuronCore-v4: a matmul of MXFP8 takes the cycles of one pass and does four times the work of bf16",
    "[engine]") {
  const model::MachineParams m = machine_with(CoreVersion::kV4);
  isa::Instruction bf16 = witness_tiles(Opcode::kMatmul, 512, DType::kBf16), mx = bf16;
  mx.op = Opcode::kMatmulMx;
  mx.shape.count = {1, 4, 1, 512};
  mx.src0.dtype = DType::kFp8E4M3Fn;
  mx.src0.stride = {0, 1, 0, 4};
  const model::TensorTiming timing(m.chip.core.tensor);
  CHECK(model::matmul_cost(mx, {DType::kFp8E4M3Fn, {}}, timing).streaming ==
        model::matmul_cost(bf16, {DType::kBf16, {}}, timing).streaming);
  CHECK(model::matmul_flops(bf16) == 2ULL * 128 * 128 * 512);
  CHECK(model::matmul_flops(mx) == 4 * model::matmul_flops(bf16));
  CHECK(model::matmul_cell_cycles(mx, DType::kFp8E4M3Fn) == model::matmul_cell_cycles(bf16, DType::kBf16));
}

TEST_CASE("NeuronCore-v4: a chain of transposes in the background takes half of the time", "[system]") {
  std::string text = ".program p\ntensor:\n";
  for (int n = 0; n < 64; ++n)
    text += fmt::format(
        "load_weights shape=128x128 src=sbuf[0, 0]:bf16\n"
        "transpose shape=128x128 columns=128 dst=psum[0, {}]:bf16 src=sbuf[0, 4096]:bf16\n",
        n % 8 * 2048);
  const auto time = [&](bool background) {
    return measured(text, background, [](const ActivityLog& log) {
      return ns_between(log.at(Queue::kTensor, 17).start, log.at(Queue::kTensor, 97).start) / 40;
    });
  };
  CHECK(time(false) == Approx(134 / 2.4).margin(0.5));  // 128 columns and 6 cycles
  CHECK(time(true) == Approx(67 / 2.4).margin(0.5));
}

TEST_CASE("NeuronCore-v4: a transpose streams beside a matmul, a matmul behind it", "[system]") {
  const auto starts = [](bool background, const std::string& second) {
    return measured(
        ".program p\ntensor:\nload_weights shape=128x128 src=sbuf[0, 0]:bf16\n"
        "matmul shape=128x512 columns=128 dst=psum[0, 0]:fp32 src=sbuf[0, 4096]:bf16\n"
        "load_weights shape=128x128 src=sbuf[0, 0]:bf16\n" +
            second,
        background, [](const ActivityLog& log) {
          return ns_between(log.at(Queue::kTensor, 1).start, log.at(Queue::kTensor, 3).start);
        });
  };
  const std::string transpose =
                        "transpose shape=128x128 columns=128 dst=psum[0, 2048]:bf16 src=sbuf[0, 4096]:bf16\n",
                    matmul =
                        "matmul shape=128x128 columns=128 dst=psum[0, 2048]:fp32 src=sbuf[0, 4096]:bf16\n";
  CHECK(starts(false, transpose) >= 518 / 2.4 - 0.01);
  CHECK(starts(true, transpose) < 200 / 2.4);
  CHECK(starts(true, matmul) >= 518 / 2.4 - 0.01);
}

TEST_CASE("NeuronCore-v4: exponentials, quantisation and random numbers take a quarter of a cycle an element",
          "[engine]") {
  const model::MachineParams m = machine_with(CoreVersion::kV4);
  const auto cycles = [&](Opcode op) {
    const auto of = [&](std::uint16_t n) {
      isa::Instruction i = witness_tiles(op, n, DType::kBf16);
      if (op == Opcode::kQuantizeMx) i.shape.count = {1, 4, 1, static_cast<std::uint16_t>(n / 4)};
      return issue_of(i, EngineKind::kVector, m.chip.core).count;
    };
    return of(4096) - of(2048);
  };
  CHECK(cycles(Opcode::kExponential) == 512);
  CHECK(cycles(Opcode::kQuantizeMx) == 512);
  CHECK(cycles(Opcode::kRand2) == 512);
}

TEST_CASE("NeuronCore-v4: the scalar engine copies 16-bit elements in SBUF at twice the rate", "[engine]") {
  model::MachineParams m = machine_with(CoreVersion::kV4);
  m.chip.core.scalar.copy_rate = 2;
  const auto cycles = [&](DType dtype) {
    return issue_of(witness_tiles(Opcode::kTensorScalar, 4096, dtype), EngineKind::kScalar, m.chip.core)
               .count -
           issue_of(witness_tiles(Opcode::kTensorScalar, 2048, dtype), EngineKind::kScalar, m.chip.core)
               .count;
  };
  CHECK(cycles(DType::kBf16) == 1024);
  CHECK(cycles(DType::kFp32) == 2048);
}

TEST_CASE("NeuronCore-v2: two fp32 tiles in SBUF take two cycles an element, others one", "[engine]") {
  model::MachineParams m = machine_with(CoreVersion::kV2);
  m.chip.core.costs.two_input = {2};
  m.chip.core.vector.fast_modes = false;
  const auto cycles = [&](DType dtype, isa::Space space) {
    const auto of = [&](std::uint16_t n) {
      isa::Instruction i = witness_tiles(Opcode::kTensorTensor, n, dtype);
      i.src0.space = space;
      return issue_of(i, EngineKind::kVector, m.chip.core).count;
    };
    return of(2048) - of(1024);
  };
  CHECK(cycles(DType::kFp32, isa::Space::kSbuf) == 2048);
  CHECK(cycles(DType::kFp32, isa::Space::kPsum) == 1024);
  CHECK(cycles(DType::kBf16, isa::Space::kSbuf) == 1024);
}

TEST_CASE("NeuronCore-v4: an engine serves the highest class of service first, and one class round-robin",
          "[system]") {
  const auto order = [](const std::string& first, const std::string& second) {
    const std::string copy = "  dma_copy shape=128x1024 dst=sbuf[0, 0x8000]:fp32 src=sbuf[0, 0]:fp32 ";
    return in_child([&] {
      const ActivityLog log = activity_of(".program p\n.core v4\nsync:\n" + copy + "ring=0 " + first + "\n" +
                                              copy + "ring=1 " + second + "\n",
                                          machine_with(CoreVersion::kV4));
      std::string rings;
      for (const base::PacketActivity& p : log.engines.at(0)) rings += std::to_string(p.ring);
      return rings;
    });
  };
  // Eight packets of 4 KiB each; the second doorbell rings while the first transfer is under way.
  CHECK(order("", "").find("0101") != std::string::npos);
  CHECK(order("", "service=1").find("11111111") != std::string::npos);
  CHECK(order("service=1", "") == "0000000011111111");
  CHECK(order("service=1", "service=3").find("11111111") != std::string::npos);
}

TEST_CASE("NeuronCore-v4: a sum onto SBUF takes the time of a copy, one onto HBM does not", "[system]") {
  const auto time = [](bool adds, const std::string& dst, const std::string& how) {
    return std::stod(in_child([&] {
      model::MachineParams m = machine_with(CoreVersion::kV4);
      m.chip.core.dma.adds_in_sbuf = adds;
      const ActivityLog log = activity_of(".program p\n.args a\nsync:\n  dma_copy shape=16x8192 dst=" + dst +
                                              ":fp32 src=sbuf[0, 0]:fp32 " + how + "\n",
                                          m);
      const auto& packets = log.engines.at(0);
      return std::to_string(ns_between(packets[0].start, packets[1].start));
    }));
  };
  const std::string sbuf = "sbuf[0, 0x8000]";
  CHECK(time(true, sbuf, "accumulate") == time(true, sbuf, ""));
  CHECK(time(false, sbuf, "accumulate") > 1.9 * time(false, sbuf, ""));
  CHECK(time(true, "a", "accumulate") > 1.9 * time(true, "a", ""));
}
