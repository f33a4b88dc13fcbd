// SPDX-License-Identifier: Apache-2.0
#include "frontend/program/program_workload.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "frontend/program/arguments.h"
#include "model/base/error.h"
#include "runtime/host/npy.h"
#include "runtime/run/inputs.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using workloads::ArgumentSpec;

namespace {

constexpr const char* kTwice = R"(.program twice
.args in out
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=4x8 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=1 update=s2+=1
vector:
  tensor_scalar shape=4x8 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16 update=s1+=1
)";

std::unique_ptr<runtime::Workload> workload_with(const std::string& file, const std::string& cores,
                                                 const std::string& tensors) {
  auto workload = workloads::make_program();
  static base::ParamTree tree("workload");  // refers to the workload's members
  tree = base::ParamTree("workload");
  workload->declare(tree);
  tree.set("workload.file", file, "test");
  tree.set("workload.cores", cores, "test");
  tree.set("workload.tensors", tensors, "test");
  return workload;
}

// Writes the program; its expected result is `factor` times the input of seed 5.
void write_case(float factor) {
  std::ofstream("twice.tasm") << kTwice;
  const runtime::HostTensor in = runtime::generate_input("in", isa::DType::kFp32, {4, 8}, 5);
  runtime::NpyArray want{"<f4", {4, 8}, std::vector<std::byte>(128)};
  for (std::uint64_t i = 0; i < 32; ++i)
    isa::store_from_fp32(&want.bytes[4 * i], isa::DType::kFp32, factor * in.at(i / 8, i % 8));
  runtime::write_npy("want.npy", want);
}

runtime::GoldenResult run_case(float factor) {
  write_case(factor);
  const auto workload =
      workload_with("twice.tasm", "2", "out fp32 4x8 zero expect=want.npy; in fp32 4x8 seed");
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kFunctional, {true, true});
  workload->check(machine.params());
  workload->prepare(machine, 5);
  machine.run();
  CHECK(machine.findings().first().empty());
  return workload->verify(machine);
}

}  // namespace

TEST_CASE("program: entries define each argument", "[program]") {
  const auto specs =
      workloads::parse_arguments("x bf16 2x3x4 seed ; n next_core;y next x; z int32 7 v.npy expect=w.npy;");
  REQUIRE(specs.size() == 4);
  CHECK(specs[0].shape == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(specs[0].dtype == isa::DType::kBf16);
  CHECK(specs[1].kind == ArgumentSpec::Kind::kNextCore);
  CHECK(specs[2].target == "x");
  CHECK(specs[3].fill == "v.npy");
  CHECK(specs[3].expect == "w.npy");
}

TEST_CASE("program: an entry of no legal form is refused", "[program]") {
  for (const char* text : {"x", "x fp32 128", "x fp33 128 seed", "x fp32 12y8 seed", "x fp32 0x4 zero",
                           "x fp32 4 zero want", "x core; x core", "x previous y"}) {
    INFO(text);
    CHECK_THROWS_WITH(workloads::parse_arguments(text), Catch::Contains("E-RUN-060"));
  }
  CHECK_THROWS_WITH(workloads::parse_arguments("x fp31 4 seed"), Catch::Contains("did you mean 'fp"));
}

TEST_CASE("program: entries and arguments must match", "[program]") {
  const auto specs = workloads::parse_arguments("weights fp32 4 seed; y next weights");
  CHECK(workloads::match_arguments(specs, {"y", "weights"}).front().name == "y");
  const auto wrong = Catch::Contains("E-RUN-061");
  CHECK_THROWS_WITH(workloads::match_arguments(specs, {"weigths", "y"}), wrong && Catch::Contains("weigths"));
  CHECK_THROWS_WITH(workloads::match_arguments(specs, {"weights", "y", "z"}), wrong);
  CHECK_THROWS_WITH(workloads::match_arguments(workloads::parse_arguments("y next z"), {"y"}), wrong);
}

TEST_CASE("program: a peer is the same tensor on the other core of the pair, and needs pairs", "[program]") {
  const auto specs = workloads::parse_arguments("x fp32 4 seed; y peer x");
  REQUIRE(specs.size() == 2);
  CHECK(specs[1].kind == ArgumentSpec::Kind::kPeerTensor);
  CHECK(specs[1].target == "x");
  CHECK_THROWS_WITH(workloads::match_arguments(workloads::parse_arguments("y peer z"), {"y"}),
                    Catch::Contains("E-RUN-061") && Catch::Contains("'y peer z'"));
  auto machine = tests::machine_of(1, 1, 1);
  const char* tensors = "x fp32 4 seed; y peer x";
  CHECK_THROWS_WITH(workload_with("p.tasm", "2", tensors)->check(machine), Catch::Contains("E-RUN-064"));
  machine.chip.lnc = 2;
  CHECK_THROWS_WITH(workload_with("p.tasm", "3", tensors)->check(machine), Catch::Contains("E-RUN-064"));
  CHECK_NOTHROW(workload_with("p.tasm", "2", tensors)->check(machine));
}

TEST_CASE("program: more cores than the machine has are refused", "[program]") {
  const auto workload = workload_with("twice.tasm", "9", "");
  CHECK_THROWS_WITH(workload->check(tests::machine_of(1, 1, 1)), Catch::Contains("E-RUN-063"));
}

TEST_CASE("program: a file that cannot be read is refused", "[program][machine]") {
  const auto workload = workload_with("nowhere.tasm", "1", "");
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kTiming);
  CHECK_THROWS_WITH(workload->prepare(machine, 1),
                    Catch::Contains("E-RUN-062") && Catch::Contains("nowhere.tasm"));
}

TEST_CASE("program: the expected bits pass", "[program][machine]") {
  const runtime::GoldenResult result = run_case(2.0F);
  CHECK((result.checked() && result.passed()));
  CHECK(result.elements == 64);
}

TEST_CASE(
    "program: without expected values no element is compared, and the outcome is neither passed nor failed",
    "[program][machine]") {
  write_case(1.0F);
  const auto workload = workload_with("twice.tasm", "1", "out fp32 4x8 zero; in fp32 4x8 seed");
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kFunctional);
  workload->prepare(machine, 5);
  machine.run();
  const runtime::GoldenResult result = workload->verify(machine);
  CHECK(result.elements == 0);
  CHECK(result.outcome() == runtime::GoldenOutcome::kNotChecked);
  CHECK_FALSE(result.passed());
  CHECK_THAT(result.rule, Catch::StartsWith("not checked: "));
}

TEST_CASE("program: other bits fail, with the first of them", "[program][machine]") {
  const runtime::GoldenResult result = run_case(2.5F);
  CHECK_FALSE(result.passed());
  CHECK(result.mismatches == 64);
  CHECK_THAT(result.first_mismatch, Catch::Contains("out[0, 0] on core 0"));
}

TEST_CASE("program: cores of a pair copy from each other's memory", "[program][machine]") {
  std::ofstream("peer.tasm") << R"(.program peer
.args in theirs out
sync:
  core_barrier
  dma_copy shape=1x32 dst=out:fp32 src=theirs:fp32
)";
  write_case(1.0F);  // both cores hold the same values
  const auto workload =
      workload_with("peer.tasm", "2", "in fp32 4x8 seed; theirs peer in; out fp32 4x8 zero expect=want.npy");
  auto params = tests::machine_of(1, 1, 1);
  params.chip.lnc = 2;
  runtime::Machine machine(params, model::Mode::kFunctional);
  workload->check(machine.params());
  workload->prepare(machine, 5);
  machine.run();
  CHECK(workload->verify(machine).passed());
}

TEST_CASE("program: control arguments have their values in timing mode, others have none",
          "[program][machine]") {
  std::ofstream("count.tasm") << R"(.program count
.args data counts
.control counts
vector:
  reg_load d=r1 src=counts+0x8:int32
again:
  reg_alu d=r1 a=r1 op=subtract imm=1
  branch a=r1 compare=gt imm=0 target=again
)";
  const std::int32_t counts[] = {1, 2, 30, 4};
  runtime::NpyArray file{"<i4", {4}, std::vector<std::byte>(16)};
  std::memcpy(file.bytes.data(), counts, 16);
  runtime::write_npy("counts.npy", file);
  const auto workload = workload_with("count.tasm", "2", "data fp32 4 seed; counts int32 4 counts.npy");
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kTiming);
  workload->prepare(machine, 1);
  CHECK(machine.run().instructions == 2 * (1 + 2 * 30));
}

TEST_CASE("program: a control argument that is not a tensor is refused", "[program][machine]") {
  std::ofstream("core.tasm") << ".program core\n.args n\n.control n\nsync:\n  nop\n";
  const auto workload = workload_with("core.tasm", "1", "n core");
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kTiming);
  CHECK_THROWS_WITH(workload->prepare(machine, 1), Catch::Contains("E-RUN-012") && Catch::Contains("'n'"));
}
