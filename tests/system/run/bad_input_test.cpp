// SPDX-License-Identifier: Apache-2.0
// User errors, each through the real program: one clear line with code and place, the right exit status, and
// no files in the folder.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains, Catch::StartsWith;

namespace {

constexpr const char* kGemm =
    "kind: gemm\n"
    "machine: trainium2_one_chip\n"
    "workload:\n"
    "  m: 64\n"
    "  n: 64\n"
    "  k: 64\n"
    "  shard: {m: 1, n: 1, k: 1}\n";

std::set<std::string> paths_below(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.insert(entry.path());
  return names;
}

// A folder with a case in it; every run in it must fail and leave the folder unchanged.
class BadCase {
 public:
  explicit BadCase(const std::string& yaml = kGemm) { dir_.write("case.yaml", yaml); }
  const TempDir& dir() const { return dir_; }

  std::string refusal(std::vector<std::string> more, const std::string& code, int status = 2) const {
    more.insert(more.begin(), {"run", "case.yaml"});
    const auto before = paths_below(dir_.path());
    const Finished run = tahoma_in(dir_.path(), more);
    INFO(run.err);
    CHECK(run.status == status);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, StartsWith("tahoma: ") && Contains("error[" + code));
    CHECK(paths_below(dir_.path()) == before);
    return run.err;
  }
  std::string refused_set(const std::string& assignment, const std::string& code) const {
    return refusal({"--set", assignment}, code);
  }

 private:
  TempDir dir_;
};

// A .npy header, 64 bytes in all, for a 64 x 64 matrix.
std::string npy(const std::string& descr, std::size_t data, const std::string& shape = "(64, 64)") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size() + 1) + std::string("\0", 1) +
         header + "\n" + std::string(data, '\0');
}

}  // namespace

TEST_CASE("bad input: the case itself is good", "[bad-input]") {
  const BadCase good;
  const Finished run = tahoma_in(good.dir().path(), {"run", "case.yaml"});
  INFO(run.err);
  CHECK(run.status == 0);
}

TEST_CASE("bad input: unknown keys name their place and the nearest key", "[bad-input]") {
  const BadCase unknown("kind: gemm\nworkload:\n  mm: 64\n");
  CHECK_THAT(unknown.refusal({}, "E-CFG-002"), Contains("case.yaml:3:3") && Contains("did you mean"));
  const BadCase top("kind: gemm\nworklaod: {m: 64}\n");
  CHECK_THAT(top.refusal({}, "E-CFG-002"), Contains("case.yaml:2:1") && Contains("'workload'"));
  CHECK_THAT(BadCase().refused_set("machine.chip.hbm.stakcs=4", "E-CFG-002"),
             Contains("machine.chip.hbm.stacks"));
  const BadCase kind("kind: gem\nworkload: {m: 64}\n");
  CHECK_THAT(kind.refusal({}, "E-CFG-006"), Contains("did you mean 'gemm'?"));
}

TEST_CASE("bad input: duplicate keys are refused at the second", "[bad-input]") {
  const BadCase twice("kind: gemm\nworkload:\n  m: 64\n  n: 64\n  m: 128\n");
  CHECK_THAT(twice.refusal({}, "E-CFG-010"), Contains("case.yaml:5:3"));
}

TEST_CASE("bad input: a quantity needs its unit, and a legal one", "[bad-input]") {
  CHECK_THAT(BadCase().refused_set("machine.chip.hbm.bandwidth=725", "E-CFG-003"), Contains("GB/s"));
  BadCase().refused_set("machine.chip.hbm.bandwidth=725 ns", "E-CFG-003");
  BadCase().refused_set("workload.m=64 KiB", "E-CFG-003");
  BadCase().refused_set("workload.m=many", "E-CFG-004");
}

TEST_CASE("bad input: the error of a value out of range has the range", "[bad-input]") {
  CHECK_THAT(BadCase().refused_set("machine.torus.x=17", "E-CFG-005"), Contains("16"));
  BadCase().refused_set("workload.m=0", "E-CFG-005");
  const BadCase in_file("kind: gemm\nworkload:\n  m: -1\n");
  CHECK_THAT(in_file.refusal({}, "E-CFG-005"), Contains("case.yaml:3:6"));
  BadCase().refusal({"--seed", "-1"}, "E-CFG-005");
  BadCase().refusal({"--mode", "functionl"}, "E-CFG-006");
}

TEST_CASE("bad input: a shard must divide the machine", "[bad-input]") {
  CHECK_THAT(BadCase().refused_set("workload.shard={m: 3, n: 1, k: 1}", "E-RUN-030"), Contains("8"));
  BadCase().refused_set("workload.shard={m: 4, n: 4, k: 4}", "E-RUN-030");
}

TEST_CASE("bad input: a tensor larger than HBM", "[bad-input]") {
  CHECK_THAT(BadCase().refusal({"--set", "machine.chip.hbm.capacity=1 MiB", "--set",
                                "workload={m: 1024, n: 1024, k: 1024}"},
                               "E-RUN-010"),
             Contains("tensor '"));
}

TEST_CASE("bad input: tiles larger than SBUF or PSUM", "[bad-input]") {
  const BadCase kernel(
      "kind: attention\nmachine: trainium2_one_chip\nworkload: {q_len: 128, kv_len: 512, d: 128, heads: "
      "1}\n");
  CHECK_THAT(kernel.refusal({"--set", "machine.chip.core.sbuf.usable=1 KiB"}, "E-RUN-020", 3),
             Contains("SBUF"));
  CHECK_THAT(kernel.refusal({"--set", "machine.chip.core.psum.per_partition=2 KiB"}, "E-RUN-020", 3),
             Contains("PSUM"));
  const BadCase program("kind: program\nmachine: trainium2_one_chip\nworkload: {file: large.asm}\n");
  const std::string text = ".program large\nvector:\n  memset shape=128x4096 dst=";
  program.dir().write("large.asm", text + "sbuf[0, 0x37000]:fp32 value=1\n");
  program.refusal({}, "E-ISA-", 3);
  program.dir().write("large.asm", text + "psum[0, 0x4]:fp32 value=1\n");
  program.refusal({}, "E-ISA-", 3);
}

TEST_CASE("bad input: unreadable files", "[bad-input]") {
  const BadCase good;
  const Finished missing = tahoma_in(good.dir().path(), {"run", "missing.yaml"});
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, StartsWith("tahoma: missing.yaml: error[E-RUN-001]") && Contains("No such file"));
  CHECK(tahoma_in(good.dir().path(), {"run", "."}).status == 2);
  good.refused_set("workload.inputs.a=missing.npy", "E-NPY-001");
  good.refusal({"--machine", "missing.yaml"}, "E-CFG-021");
}

TEST_CASE("bad input: .npy files that are not the tensor", "[bad-input]") {
  const BadCase good;
  const auto with_input = [&](const std::string& bytes) {
    good.dir().write("a.npy", bytes);
    return std::string("workload.inputs.a=a.npy");
  };
  constexpr std::size_t kBytes = 64 * 64 * 4;
  CHECK_THAT(good.refused_set(with_input(npy("<f4", kBytes - 1)), "E-NPY-007"), Contains("a.npy:byte "));
  good.refused_set(with_input(npy("<f4", kBytes + 1)), "E-NPY-008");
  good.refused_set(with_input("not an array"), "E-NPY-002");
  good.refused_set(with_input(npy("<f8", 2 * kBytes)), "E-NPY-005");
  good.refused_set(with_input(npy("<i4", kBytes)), "E-NPY-010");
  good.refused_set(with_input(npy("<f4", kBytes, "(4096,)")), "E-NPY-011");
  const Finished fine =
      tahoma_in(good.dir().path(), {"run", "case.yaml", "--set", with_input(npy("<f4", kBytes))});
  INFO(fine.err);
  CHECK(fine.status == 0);
}

TEST_CASE("bad input: output folders that must not be written", "[bad-input]") {
  const BadCase good;
  good.refusal({"--out", "/proc/out"}, "E-OUT-001");
  good.refusal({"--out", "case.yaml"}, "E-OUT-001");
  good.refusal({"--out", "case.yaml/out"}, "E-OUT-001");
  good.refusal({"--out", "."}, "E-OUT-002");
}

TEST_CASE("bad input: an instruction that breaks a limit of the table", "[bad-input]") {
  const BadCase program("kind: program\nmachine: trainium2_one_chip\nworkload: {file: wrong.asm}\n");
  program.dir().write("wrong.asm",
                      ".program wrong\nvector:\n  memset shape=128x60000 dst=sbuf[0, 0x0]:fp32 value=1\n");
  CHECK_THAT(program.refusal({}, "E-ISA-", 3), Contains("memset"));
  program.dir().write("wrong.asm",
                      ".program wrong\nvector:\n  memst shape=1x1 dst=sbuf[0, 0x0]:fp32 value=1\n");
  CHECK_THAT(program.refusal({}, "E-ASM-", 3),
             Contains("wrong.asm:3:3") && Contains("did you mean 'memset'?"));
}

TEST_CASE("bad input: the error of a deadlock names the waiting instructions", "[bad-input]") {
  const BadCase program("kind: program\nmachine: trainium2_one_chip\nworkload: {file: stuck.asm}\n");
  program.dir().write(
      "stuck.asm",
      ".program stuck\nvector:\n  sem_wait wait=s0>=1 update=s1+=1\ntensor:\n  sem_wait wait=s1>=1\n");
  CHECK_THAT(program.refusal({}, "E-RUN-051", 4), Contains("vector") && Contains("tensor"));
}
