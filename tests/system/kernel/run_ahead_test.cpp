// SPDX-License-Identifier: Apache-2.0
// Engines compute their private work ahead of simulated time. This must not affect any result.
#include <catch2/catch.hpp>
#include <string>

#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

using namespace tahoma;

namespace {

// Every statistic of a GEMM on one core except the number of activations, one per line.
std::string statistics(bool run_ahead, std::uint64_t& activations) {
  const auto machine = tests::machine_of(1, 1, 1);
  model::System system(machine, model::Mode::kTiming, run_ahead);
  auto program = std::make_shared<const isa::Program>(
      workloads::gemm_program(machine, {300, 700, 500, isa::DType::kBf16, isa::DType::kBf16}, {}));
  std::array<std::uint64_t, isa::kArguments> args{};
  for (std::uint64_t n = 0; n < 3; ++n) args[n] = n << 24;
  system.load(0, program, args);
  activations = system.run().engine_activations;
  base::StatSink sink;
  system.collect(sink);
  std::string text;
  for (const base::Stat& s : sink.stats()) {
    if (s.path == "engine_activations") continue;
    text += s.path + " ";
    text += std::holds_alternative<double>(s.value) ? std::to_string(std::get<double>(s.value))
                                                    : std::to_string(std::get<std::uint64_t>(s.value));
    text += "\n";
  }
  return text;
}

// The number of activations comes first.
std::string counted(bool run_ahead) {
  return tests::in_child([&] {
    std::uint64_t activations = 0;
    const std::string text = statistics(run_ahead, activations);
    return std::to_string(activations) + "\n" + text;
  });
}

}  // namespace

TEST_CASE("run-ahead: every statistic is the same without it, and it saves activations", "[system]") {
  const std::string ahead = counted(true), stepwise = counted(false);
  const auto split = [](const std::string& text) { return text.find('\n'); };
  CHECK(ahead.substr(split(ahead)) == stepwise.substr(split(stepwise)));
  CHECK(std::stoull(ahead) < std::stoull(stepwise));
  CHECK(ahead.size() > 1000);
}
