// SPDX-License-Identifier: Apache-2.0
// Kernels on a core with an RTL array of 32 x 32: the same bits, times and array cycles as with the law.
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/in_child.h"
#include "tests/support/program/workload_run.h"
#include "tests/support/temp_dir.h"
#include "workloads/attention/attention.h"
#include "workloads/gemm/gemm.h"

namespace {

using namespace tahoma;
using tests::Settings;

model::MachineParams machine_with(model::BlockModel array) {
  model::MachineParams machine = tests::machine_of(1, 1, 1);
  model::TensorParams& tensor = machine.chip.core.tensor;
  tensor.rows = tensor.columns = 32;
  tensor.model = array;
  return machine;
}

// Elapsed time, array cycles and all bytes of HBM after the run.
std::string trace_of(const model::MachineParams& params, const tests::MakeWorkload& make,
                     const Settings& settings, model::Mode mode) {
  const auto workload = tests::workload_with(make, settings);
  workload->check(params);
  runtime::Machine machine(params, mode, {true, true});
  const runtime::Tensor begin = machine.allocate(0, "begin", isa::DType::kUint8, {64});
  workload->prepare(machine, 1);
  const base::RunMeasurement measured = machine.run();
  std::ostringstream trace;
  trace << measured.elapsed.fs;
  for (const base::EngineMeasurement& e : measured.engines)
    if (e.kind == base::EngineKind::kTensor) trace << ' ' << e.array_cycles;
  if (mode == model::Mode::kTiming) return trace.str();
  if (!workload->verify(machine).passed()) return "the golden check failed";
  const runtime::Tensor end = machine.allocate(0, "end", isa::DType::kUint8, {64});
  const runtime::Tensor all{"all", isa::DType::kUint8, {end.address - begin.address}, begin.address};
  const std::byte* bytes = machine.bytes(all);
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (std::uint64_t b = 0; b < all.bytes(); ++b)
    hash = (hash ^ static_cast<std::uint8_t>(bytes[b])) * 0x100000001B3U;
  trace << " of " << all.bytes() << " bytes " << hash;
  return trace.str();
}

void check_same(const tests::MakeWorkload& make, const Settings& settings, model::Mode mode) {
  const auto run = [&](model::BlockModel array) {
    return tests::in_child([&] { return trace_of(machine_with(array), make, settings, mode); });
  };
  const std::string behavioural = run(model::BlockModel::kBehavioural);
  INFO(behavioural);
  CHECK(behavioural.find("exception") == std::string::npos);
  CHECK(behavioural.find(mode == model::Mode::kTiming ? "" : " bytes ") != std::string::npos);
  CHECK(run(model::BlockModel::kRtl) == behavioural);
}

const Settings kGemm{{"m", "70"}, {"n", "90"}, {"k", "100"}, {"dtype", "bf16"}};
const Settings kAttention{{"q_len", "64"},     {"kv_len", "96"},  {"d", "32"},   {"heads", "1"},
                          {"causal", "false"}, {"dtype", "bf16"}, {"cores", "1"}};

}  // namespace

TEST_CASE("model=rtl: a GEMM of bf16 gives the bits and the array cycles of the law", "[rtl][machine]") {
  check_same(workloads::make_gemm, kGemm, model::Mode::kFunctional);
}

TEST_CASE("model=rtl: a GEMM of fp32 passes the RTL four times", "[rtl][machine]") {
  check_same(workloads::make_gemm, {{"m", "40"}, {"n", "50"}, {"k", "60"}, {"dtype", "fp32"}},
             model::Mode::kFunctional);
}

TEST_CASE("model=rtl: flash attention gives the bits and the array cycles of the law", "[rtl][machine]") {
  check_same(workloads::make_attention, kAttention, model::Mode::kFunctional);
}

TEST_CASE("model=rtl: timing mode moves empty rows and takes the same time", "[rtl][machine]") {
  check_same(workloads::make_gemm, kGemm, model::Mode::kTiming);
}
