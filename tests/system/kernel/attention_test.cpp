// SPDX-License-Identifier: Apache-2.0
// The attention workload on real machines: golden values, times that do not depend on the mode, and errors of
// bad input. Each case elaborates one machine; a second one runs in a child process.
#include "workloads/attention/attention.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "workloads/attention/backward/attention_backward.h"

namespace {

using namespace tahoma;

using Settings = std::vector<std::pair<std::string, std::string>>;
const std::pair<std::string, std::string> kBackward{"kind", "attention_backward"};

std::unique_ptr<runtime::Workload> attention_of(const Settings& settings) {
  const bool backward = std::find(settings.begin(), settings.end(), kBackward) != settings.end();
  auto workload = backward ? workloads::make_attention_backward() : workloads::make_attention();
  base::ParamTree tree("workload");
  workload->declare(tree);
  for (const auto& setting : settings)
    if (setting != kBackward) tree.set("workload." + setting.first, setting.second, "test");
  return workload;
}

std::int64_t timing_in_child(const model::MachineParams& params, const Settings& settings) {
  return tests::number_from_child([&] {
    const auto workload = attention_of(settings);
    runtime::Machine machine(params, model::Mode::kTiming, {true, true});
    workload->prepare(machine, 1);
    const std::int64_t elapsed = machine.run().elapsed.fs;
    if (machine.findings().total() > 0) throw std::runtime_error(machine.findings().first().front());
    return elapsed;
  });
}

// Golden values, the same time in both modes, and a time that is never below the array's bound.
void check(model::MachineParams params, const Settings& settings) {
  const std::int64_t timing = timing_in_child(params, settings);
  const auto workload = attention_of(settings);
  workload->check(params);
  runtime::Machine machine(params, model::Mode::kFunctional, {true, true});
  workload->prepare(machine, 1);
  const base::RunMeasurement measured = machine.run();
  CHECK(machine.findings().first().empty());
  const runtime::GoldenResult golden = workload->verify(machine);
  INFO(workload->describe() << "\n" << golden.first_mismatch);
  CHECK(golden.passed());
  std::uint64_t elements = 0;
  for (const runtime::NamedValues& output : workload->outputs(machine))
    elements += output.values.size() / isa::size_of(output.dtype);
  CHECK(golden.elements == elements);
  CHECK(measured.elapsed.fs == timing);
  const auto& tensor = params.chip.core.tensor;
  const double peak = 2.0 * static_cast<double>(tensor.rows * tensor.columns * tensor.clock.hz);
  CHECK(workload->useful_flops() / measured.elapsed.seconds() < workload->cores_used() * peak);
}

model::MachineParams one_chip() { return tests::machine_of(1, 1, 1); }

void check_window(Settings settings, const std::string& window) {
  const Settings size{
      {"q_len", "513"}, {"kv_len", "1500"}, {"d", "128"}, {"causal", "true"}, {"window", window}};
  settings.insert(settings.end(), size.begin(), size.end());
  check(one_chip(), settings);
}

// Query heads share keys, and two cores share them.
void check_backward(const std::string& dtype) {
  check(one_chip(), {kBackward,
                     {"q_len", "257"},
                     {"kv_len", "700"},
                     {"d", "80"},
                     {"heads", "4"},
                     {"kv_heads", "2"},
                     {"cores", "2"},
                     {"dtype", dtype}});
}

}  // namespace

TEST_CASE("attention: one query, one key, one element", "[attention]") {
  check(one_chip(), {{"q_len", "1"}, {"kv_len", "1"}, {"d", "1"}});
}

TEST_CASE("attention: full, edges in every direction, bf16", "[attention]") {
  check(one_chip(), {{"q_len", "257"}, {"kv_len", "1300"}, {"d", "128"}, {"heads", "3"}, {"cores", "2"}});
}

TEST_CASE("attention: full, edges in every direction, fp16", "[attention]") {
  check(one_chip(), {{"q_len", "130"}, {"kv_len", "641"}, {"d", "64"}, {"heads", "2"}, {"dtype", "fp16"}});
}

TEST_CASE("attention: full, edges in every direction, fp32", "[attention]") {
  check(one_chip(), {{"q_len", "129"}, {"kv_len", "600"}, {"d", "77"}, {"dtype", "fp32"}});
}

TEST_CASE("attention: causal, as many queries as keys", "[attention]") {
  check(one_chip(), {{"q_len", "513"}, {"kv_len", "513"}, {"d", "64"}, {"heads", "2"}, {"causal", "true"}});
}

TEST_CASE("attention: causal, a few queries after many keys, fp32", "[attention]") {
  check(one_chip(),
        {{"q_len", "131"}, {"kv_len", "1025"}, {"d", "128"}, {"causal", "true"}, {"dtype", "fp32"}});
}

TEST_CASE("attention: causal, one block of one tile, fp16", "[attention]") {
  check(one_chip(),
        {{"q_len", "100"}, {"kv_len", "120"}, {"d", "32"}, {"causal", "true"}, {"dtype", "fp16"}});
}

TEST_CASE("attention: a decoding step, one query with a long cache", "[attention]") {
  check(one_chip(), {{"q_len", "1"}, {"kv_len", "5000"}, {"d", "128"}, {"heads", "9"}, {"causal", "true"}});
}

TEST_CASE("attention: query heads share keys, split over cores in the middle of a group, with lse",
          "[attention]") {
  check(one_chip(), {{"q_len", "200"},
                     {"kv_len", "300"},
                     {"d", "80"},
                     {"heads", "6"},
                     {"kv_heads", "2"},
                     {"cores", "4"},
                     {"lse", "true"}});
}

TEST_CASE("attention: two cores share every head, causal, with lse", "[attention]") {
  check(one_chip(), {{"q_len", "1300"},
                     {"kv_len", "1310"},
                     {"d", "64"},
                     {"heads", "2"},
                     {"causal", "true"},
                     {"cores", "2"},
                     {"split", "2"},
                     {"lse", "true"}});
}

TEST_CASE("attention: token-major, query heads share keys, nothing a multiple of 16, bf16", "[attention]") {
  check(one_chip(), {{"q_len", "201"},
                     {"kv_len", "1301"},
                     {"d", "80"},
                     {"heads", "6"},
                     {"kv_heads", "2"},
                     {"cores", "4"},
                     {"lse", "true"},
                     {"layout", "tokens"}});
}

TEST_CASE("attention: token-major, two cores share every head, causal, fp16", "[attention]") {
  check(one_chip(), {{"q_len", "1300"},
                     {"kv_len", "1310"},
                     {"d", "128"},
                     {"heads", "2"},
                     {"kv_heads", "1"},
                     {"causal", "true"},
                     {"cores", "1"},
                     {"split", "2"},
                     {"dtype", "fp16"},
                     {"layout", "tokens"}});
}

TEST_CASE("attention: token-major, one query, one key, one element, fp32", "[attention]") {
  check(one_chip(), {{"q_len", "1"}, {"kv_len", "1"}, {"d", "1"}, {"dtype", "fp32"}, {"layout", "tokens"}});
}

TEST_CASE("attention: heads of more elements than the array has rows", "[attention]") {
  check(one_chip(),
        {{"q_len", "257"}, {"kv_len", "1300"}, {"d", "256"}, {"causal", "true"}, {"window", "200"}});
}

TEST_CASE("attention: token-major heads whose last part has one element, with lse", "[attention]") {
  check(one_chip(), {{"q_len", "201"},
                     {"kv_len", "901"},
                     {"d", "129"},
                     {"heads", "4"},
                     {"kv_heads", "2"},
                     {"causal", "true"},
                     {"lse", "true"},
                     {"layout", "tokens"}});
}

TEST_CASE("attention backward: heads of more elements than the array has rows", "[attention]") {
  check(one_chip(), {kBackward,
                     {"q_len", "300"},
                     {"kv_len", "700"},
                     {"d", "256"},
                     {"heads", "2"},
                     {"kv_heads", "1"},
                     {"causal", "true"},
                     {"window", "250"}});
}

TEST_CASE("attention: a sliding window that moves through blocks", "[attention]") { check_window({}, "200"); }
TEST_CASE("attention: a sliding window of a single key", "[attention]") { check_window({}, "1"); }
TEST_CASE("attention: a sliding window longer than the keys", "[attention]") { check_window({}, "5000"); }

TEST_CASE("attention backward: one query, one key, one element", "[attention]") {
  check(one_chip(), {kBackward, {"q_len", "1"}, {"kv_len", "1"}, {"d", "1"}});
}

TEST_CASE("attention backward: full, edges in every direction, bf16", "[attention]") {
  check_backward("bf16");
}
TEST_CASE("attention backward: full, edges in every direction, fp16", "[attention]") {
  check_backward("fp16");
}
TEST_CASE("attention backward: full, edges in every direction, fp32", "[attention]") {
  check_backward("fp32");
}
TEST_CASE("attention backward: causal", "[attention]") { check_window({kBackward}, "0"); }
TEST_CASE("attention backward: a sliding window, which leaves keys that no query sees", "[attention]") {
  check_window({kBackward}, "200");
}

TEST_CASE("attention backward: queries that do not fit SBUF are processed in segments", "[attention]") {
  model::MachineParams params = one_chip();
  params.chip.core.sbuf.usable.count = 42 << 10;
  check(params, {kBackward,
                 {"q_len", "700"},
                 {"kv_len", "700"},
                 {"d", "128"},
                 {"heads", "2"},
                 {"kv_heads", "1"},
                 {"causal", "true"}});
}

TEST_CASE("attention backward: two cores share every head and add up dQ", "[attention]") {
  check(one_chip(), {kBackward,
                     {"q_len", "700"},
                     {"kv_len", "1300"},
                     {"d", "64"},
                     {"heads", "2"},
                     {"causal", "true"},
                     {"window", "300"},
                     {"cores", "1"},
                     {"split", "2"}});
}

TEST_CASE("attention backward: two cores share segments of queries", "[attention]") {
  model::MachineParams params = one_chip();
  params.chip.core.sbuf.usable.count = 42 << 10;
  check(params, {kBackward, {"q_len", "1100"}, {"kv_len", "1100"}, {"d", "128"}, {"split", "2"}});
}

TEST_CASE("attention backward: the kernel supports another array", "[attention]") {
  model::MachineParams params = one_chip();
  params.chip.core.tensor.rows = params.chip.core.tensor.columns = 64;
  check(params, {kBackward, {"q_len", "200"}, {"kv_len", "300"}, {"d", "128"}, {"causal", "true"}});
}

TEST_CASE("attention: keys that do not fit SBUF are streamed", "[attention]") {
  model::MachineParams params = one_chip();
  params.chip.core.sbuf.usable.count = 28 << 10;
  check(params, {{"q_len", "300"}, {"kv_len", "6000"}, {"d", "128"}, {"heads", "2"}, {"cores", "1"}});
}

TEST_CASE("attention: the kernel supports another array and four PSUM banks", "[attention]") {
  model::MachineParams params = one_chip();
  params.chip.core.tensor.rows = params.chip.core.tensor.columns = 64;
  params.chip.core.psum.per_partition.count = 4 * params.chip.core.psum.bank.count;
  check(params, {{"q_len", "200"}, {"kv_len", "700"}, {"d", "128"}, {"causal", "true"}, {"heads", "2"}});
}

TEST_CASE("attention: heads spread over two chips", "[attention]") {
  check(tests::machine_of(2, 1, 1), {{"q_len", "70"}, {"kv_len", "90"}, {"d", "16"}, {"heads", "20"}});
}

TEST_CASE("attention: a wrong element in HBM fails the golden check and names its core and head",
          "[attention]") {
  const auto workload =
      attention_of({{"q_len", "40"}, {"kv_len", "50"}, {"d", "8"}, {"heads", "4"}, {"cores", "2"}});
  runtime::Machine machine(one_chip(), model::Mode::kFunctional);
  workload->prepare(machine, 1);
  machine.run();
  REQUIRE(workload->verify(machine).passed());
  // The machine's cores are 0 to 7: two cores for four heads are 0 and 4, and head 3 is the second of core 4.
  // The test finds its output in HBM by its values.
  const auto values = workload->outputs(machine).at(0).values;
  const std::size_t head_bytes = 40 * 8 * 2, at = 3 * head_bytes + (5 * 8 + 2) * 2;
  runtime::Tensor o{"o", isa::DType::kBf16, {2, 40, 8}, 0};
  const isa::GlobalAddress base{0, 2, 0};  // cores 4 and 5 share the third stack
  for (std::uint64_t offset = 0; offset < (1 << 16); offset += 64) {
    o.address = isa::GlobalAddress{base.chip, base.stack, offset}.bits();
    if (std::memcmp(machine.bytes(o), values.data() + 2 * head_bytes, 2 * head_bytes) == 0) break;
  }
  std::byte* element = machine.bytes(o) + at - 2 * head_bytes;
  REQUIRE(std::memcmp(element, values.data() + at, 2) == 0);
  element[1] ^= std::byte{0x80};  // the sign
  const runtime::GoldenResult golden = workload->verify(machine);
  CHECK(golden.mismatches == 1);
  CHECK_THAT(golden.first_mismatch, Catch::StartsWith("o[125, 2] = "));
  CHECK_THAT(golden.first_mismatch, Catch::Contains("made by core 4 (server0.chip00.core4), head 3"));
}

TEST_CASE("attention: more queries than keys with a causal mask are refused", "[attention]") {
  const auto workload = attention_of({{"q_len", "9"}, {"kv_len", "8"}, {"causal", "true"}});
  CHECK_THROWS_WITH(workload->check(one_chip()), Catch::Contains("workload.q_len: error[E-ATT-001]"));
  CHECK_NOTHROW(attention_of({{"q_len", "9"}, {"kv_len", "8"}})->check(one_chip()));
}

TEST_CASE("attention: more cores than the machine has are refused", "[attention]") {
  const auto workload = attention_of({{"cores", "9"}});
  CHECK_THROWS_WITH(workload->check(one_chip()), Catch::Contains("workload.cores: error[E-ATT-002]"));
  CHECK_NOTHROW(attention_of({{"cores", "8"}})->check(one_chip()));
}

TEST_CASE("attention: key heads that do not divide the heads are refused", "[attention]") {
  const auto workload = attention_of({{"heads", "6"}, {"kv_heads", "4"}});
  CHECK_THROWS_WITH(workload->check(one_chip()), Catch::Contains("workload.kv_heads: error[E-ATT-003]"));
  CHECK_NOTHROW(attention_of({{"heads", "6"}, {"kv_heads", "3"}})->check(one_chip()));
}

TEST_CASE("attention: a window without a causal mask is refused", "[attention]") {
  const auto workload = attention_of({{"window", "4"}});
  CHECK_THROWS_WITH(workload->check(one_chip()), Catch::Contains("workload.window: error[E-ATT-004]"));
  CHECK_NOTHROW(attention_of({{"window", "4"}, {"causal", "true"}})->check(one_chip()));
}

TEST_CASE("attention backward: more than two cores for a head are refused", "[attention]") {
  const auto split = attention_of({kBackward, {"split", "3"}});
  CHECK_THROWS_WITH(split->check(one_chip()), Catch::Contains("workload.split: error[E-ATT-005]"));
  CHECK_NOTHROW(attention_of({kBackward, {"split", "2"}})->check(one_chip()));
}

TEST_CASE("attention backward: query heads that share keys stay on one core", "[attention]") {
  const auto workload = attention_of({kBackward,
                                      {"q_len", "4"},
                                      {"kv_len", "4"},
                                      {"d", "4"},
                                      {"heads", "6"},
                                      {"kv_heads", "2"},
                                      {"cores", "8"}});
  runtime::Machine machine(one_chip(), model::Mode::kTiming);
  workload->prepare(machine, 1);
  CHECK(workload->cores_used() == 2);
}

TEST_CASE("attention: useful operations count visible pairs only", "[attention]") {
  const Settings size{{"q_len", "3"}, {"kv_len", "5"}, {"d", "7"}, {"heads", "2"}};
  CHECK(attention_of(size)->useful_flops() == 4.0 * 3 * 5 * 7 * 2);
  Settings causal = size;
  causal.emplace_back("causal", "true");
  CHECK(attention_of(causal)->useful_flops() == 4.0 * (3 + 4 + 5) * 7 * 2);
}

TEST_CASE("attention: idle cores are not counted as used", "[attention]") {
  const auto workload =
      attention_of({{"q_len", "4"}, {"kv_len", "4"}, {"d", "4"}, {"heads", "3"}, {"cores", "8"}});
  runtime::Machine machine(one_chip(), model::Mode::kTiming);
  workload->prepare(machine, 1);
  CHECK(workload->cores_used() == 3);
}
