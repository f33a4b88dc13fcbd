// SPDX-License-Identifier: Apache-2.0
// The command line as a user sees it: every case starts the real program.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/table/table.h"
#include "report/run/run_files.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains, Catch::StartsWith;
using nlohmann::json;

namespace {

const std::vector<std::string> kCommands{"run",     "nki",     "model",  "sweep",    "point",  "check",
                                         "compare", "explain", "report", "stats",    "params", "isa",
                                         "export",  "asm",     "dis",    "validate", "serve"};

Finished tahoma_with(const std::vector<std::string>& words) { return tahoma_in(".", words); }

// One line on standard error, with the code; nothing on standard output.
void check_command_refused(const Finished& f, int status, const std::string& code) {
  INFO(f.err);
  CHECK(f.status == status);
  CHECK(f.out.empty());
  CHECK_THAT(f.err, StartsWith("tahoma: ") && Contains("error[" + code + "]"));
  CHECK(std::count(f.err.begin(), f.err.end(), '\n') == 1);
}

constexpr const char* kAdd = R"(.program add_one
.args in out
sync:
  dma_copy shape=64x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=64x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=1 update=s2+=1
  sem_wait wait=s2>=16
vector:
  tensor_scalar shape=64x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 wait=s0>=16 update=s1+=1
)";

constexpr const char* kSmallGemm =
    "kind: gemm\nmachine: trainium2_one_chip\nworkload: {m: 100, n: 60, k: 70}\n";

// The files of a run with these options; an output tensor has that name.
std::set<std::string> declared_files(const runtime::RunOptions& options, const std::string& tensor) {
  std::set<std::string> names;
  for (const runtime::RunFile& file : runtime::run_files()) {
    std::string name = file.name;
    if (file.place != runtime::RunFilePlace::kFolder || name == "kernel.cbor") continue;  // of kernels in NKI
    if (const std::size_t star = name.find('*'); star != std::string::npos) name.replace(star, 1, tensor);
    if (file.wanted(options)) names.insert(name);
  }
  return names;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// Every file of a run except the manifest.
std::string bytes_of_run(const std::string& folder) {
  std::string all;
  for (const std::string& name : names_in(folder))
    if (name != "manifest.json") all += "--- " + name + "\n" + contents(folder + "/" + name);
  return all;
}

}  // namespace

TEST_CASE("command line: a command must be named, and the nearest one is", "[cli][bad-input]") {
  check_command_refused(tahoma_with({}), 2, "E-CLI-001");
  const Finished misspelt = tahoma_with({"rum", "case.yaml"});
  check_command_refused(misspelt, 2, "E-CLI-001");
  CHECK_THAT(misspelt.err, Contains("did you mean 'run'?"));
}

TEST_CASE("command line: unknown options name the nearest one", "[cli][bad-input]") {
  const Finished misspelt = tahoma_with({"run", "case.yaml", "--machin", "trainium2_one_chip"});
  check_command_refused(misspelt, 2, "E-CLI-002");
  CHECK_THAT(misspelt.err, Contains("'--machin' (did you mean '--machine'?)"));
  const Finished assigned = tahoma_with({"run", "case.yaml", "--seeds=7"});
  check_command_refused(assigned, 2, "E-CLI-002");
  CHECK_THAT(assigned.err, Contains("'--seeds' (did you mean '--seed'?)"));
  check_command_refused(tahoma_with({"--verson"}), 2, "E-CLI-002");
  check_command_refused(tahoma_with({"isa", "matmul", "transpose"}), 2, "E-CLI-002");
}

TEST_CASE("command line: missing and illegal arguments are refused", "[cli][bad-input]") {
  check_command_refused(tahoma_with({"run"}), 2, "E-CLI-003");
  check_command_refused(tahoma_with({"run", "case.yaml", "--set"}), 2, "E-CLI-003");
  const Finished format = tahoma_with({"run", "case.yaml", "--format", "jsom"});
  check_command_refused(format, 2, "E-CLI-003");
  CHECK_THAT(format.err, Contains("did you mean 'json'?"));
  check_command_refused(tahoma_with({"isa", "matmul", "--format", "markdown"}), 2, "E-CLI-003");
}

TEST_CASE("command line: help lists exactly the commands there are", "[cli]") {
  const Finished help = tahoma_with({"--help"});
  CHECK(help.status == 0);
  CHECK(help.err.empty());
  for (const std::string& command : kCommands) CHECK_THAT(help.out, Contains("\n  " + command + " "));
  CHECK_THAT(tahoma_with({"--version"}).out, StartsWith("tahoma "));
}

TEST_CASE("command line: every command explains itself with its defaults", "[cli]") {
  for (const std::string& command : kCommands) {
    const Finished help = tahoma_with({command, "--help"});
    INFO(command);
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK_THAT(help.out, Contains("--help"));
  }
  const std::string run = tahoma_with({"run", "--help"}).out;
  for (const std::string option : {"WORKLOAD", "--machine", "--set", "--mode", "--seed", "--out",
                                   "--no-golden", "--save-outputs", "--format"})
    CHECK_THAT(run, Contains(option));
  // CLI11 shows a default as "--out DIR=out"; since version 2.4, as "--out DIR [out]".
  CHECK_THAT(run, (Contains("=out") && Contains("=text")) || (Contains("[out]") && Contains("[text]")));
}

TEST_CASE("tahoma isa: lists every instruction of the table and describes one", "[cli]") {
  const Finished list = tahoma_with({"isa"});
  CHECK(list.status == 0);
  for (const isa::OpRow& row : isa::all_rows()) {
    INFO(row.mnemonic);
    CHECK_THAT(list.out, Contains(std::string(row.mnemonic)));
  }
  const Finished one = tahoma_with({"isa", "matmul"});
  CHECK(one.status == 0);
  CHECK_THAT(one.out, Contains(std::string(isa::row_by_mnemonic("matmul")->formula)));
  CHECK_THAT(tahoma_with({"isa", "--format", "markdown"}).out, Contains("# "));
  const Finished misspelt = tahoma_with({"isa", "matmull"});
  check_command_refused(misspelt, 2, "E-ISA-001");
  CHECK_THAT(misspelt.err, Contains("did you mean 'matmul'?"));
}

TEST_CASE("tahoma params: lists values with their source, as text and as JSON", "[cli]") {
  const Finished text = tahoma_with({"params", "machine.chip.hbm"});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("725 GB/s"));
  const json rows = json::parse(tahoma_with({"params", "--format", "json"}).out);
  REQUIRE(rows.size() > 50);
  for (const json& row : rows)
    for (const char* key : {"path", "default", "doc", "provenance"}) CHECK(row.contains(key));
  check_command_refused(tahoma_with({"params", "machine.chip.hbn"}), 2, "E-CFG-002");
}

TEST_CASE("tahoma asm and dis: text and binary turn into each other", "[cli]") {
  const TempDir dir;
  dir.write("add.asm", kAdd);
  const Finished assembled = tahoma_in(dir.path(), {"asm", "add.asm"});
  INFO(assembled.err);
  REQUIRE(assembled.status == 0);
  CHECK(assembled.out == "add.bin\n");
  const Finished text = tahoma_in(dir.path(), {"dis", "add.bin"});
  REQUIRE(text.status == 0);
  dir.write("again.asm", text.out);
  CHECK(tahoma_in(dir.path(), {"asm", "again.asm", "-o", "again.bin"}).status == 0);
  CHECK(contents(dir / "again.bin") == contents(dir / "add.bin"));
  CHECK(names_in(dir.path()) == std::set<std::string>{"add.asm", "add.bin", "again.asm", "again.bin"});
}

TEST_CASE("tahoma asm and dis: wrong programs end with 3, wrong files with 2", "[cli][bad-input]") {
  const TempDir dir;
  dir.write("wrong.asm", "sync:\n  dma_cpy shape=1x1\n");
  const Finished wrong = tahoma_in(dir.path(), {"asm", "wrong.asm"});
  CHECK(wrong.status == 3);
  CHECK_THAT(wrong.err, StartsWith("tahoma: wrong.asm:2:3: error[E-ASM-"));
  const Finished text = tahoma_in(dir.path(), {"dis", "wrong.asm"});
  CHECK(text.status == 3);
  CHECK_THAT(text.err, StartsWith("tahoma: wrong.asm:") && Contains("error[E-BIN-001]"));
  check_command_refused(tahoma_in(dir.path(), {"asm", "missing.asm"}), 2, "E-RUN-001");
  check_command_refused(tahoma_in(dir.path(), {"dis", "."}), 2, "E-RUN-001");
  dir.write("add.asm", kAdd);
  check_command_refused(tahoma_in(dir.path(), {"asm", "add.asm", "-o", "no/add.bin"}), 2, "E-OUT-003");
  check_command_refused(tahoma_in(dir.path(), {"asm", "add.asm", "-o", "add.asm"}), 2, "E-CLI-003");
  CHECK(names_in(dir.path()) == std::set<std::string>{"add.asm", "wrong.asm"});
}

TEST_CASE("tahoma validate: checks text and binary against a machine", "[cli]") {
  const TempDir dir;
  dir.write("add.asm", kAdd);
  tahoma_in(dir.path(), {"asm", "add.asm"});
  for (const std::string file : {"add.asm", "add.bin"}) {
    const Finished valid = tahoma_in(dir.path(), {"validate", file});
    INFO(valid.err);
    CHECK(valid.status == 0);
    CHECK_THAT(valid.out, Contains("'add_one' is valid: 4 instructions"));
  }
  const Finished small = tahoma_in(dir.path(), {"validate", "add.asm", "--machine", "trainium2_one_chip",
                                                "--set", "machine.chip.core.sbuf.per_partition=1 KiB",
                                                "--set", "machine.chip.core.sbuf.usable=1 KiB"});
  CHECK(small.status == 3);
  CHECK_THAT(small.err, Contains("error[E-ISA-"));
  check_command_refused(tahoma_in(dir.path(), {"validate", "add.asm", "--machine", "trainium2_one_chop"}), 2,
                        "E-CFG-021");
}

TEST_CASE("tahoma run: leaves a complete folder and prints its summary", "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const Finished run =
      tahoma_in(dir.path(), {"run", "case.yaml", "--save-outputs", "--trace", "--dump", "core0.c"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::set<std::string> files = declared_files(
      [] {
        runtime::RunOptions options;
        options.save_outputs = options.trace.wanted = true;
        options.checkpoints.dump = {"core0.c"};
        return options;
      }(),
      "c");
  CHECK(names_in(dir / "out") == files);
  CHECK(names_in(dir.path()) == std::set<std::string>{"case.yaml", "out"});
  CHECK_THAT(run.out, StartsWith(contents(dir / "out/summary.txt")));
  const json manifest = json::parse(contents(dir / "out/manifest.json"));
  CHECK(manifest["files"].get<std::set<std::string>>() == files);
  const json summary = json::parse(contents(dir / "out/summary.json"));
  CHECK(summary["golden"]["passed"] == true);
  CHECK(summary["flops"]["useful"] == 2.0 * 100 * 60 * 70);
  // The header of [100, 60] float32 and its data.
  CHECK(contents(dir / "out/c.npy").size() == 128 + 100 * 60 * 4);
}

TEST_CASE("tahoma run: writes the declared files of its options, and lists all of them in its help",
          "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  runtime::RunOptions plain, short_run;
  short_run.report = false;
  REQUIRE(tahoma_in(dir.path(), {"run", "case.yaml", "--out", "plain"}).status == 0);
  CHECK(names_in(dir / "plain") == declared_files(plain, ""));
  REQUIRE(tahoma_in(dir.path(), {"run", "case.yaml", "--out", "short", "--no-report"}).err.empty());
  CHECK(names_in(dir / "short") == declared_files(short_run, ""));
  const std::string help = tahoma_with({"run", "--help"}).out;
  for (const runtime::RunFile& file : runtime::run_files()) {
    CHECK_THAT(help, Contains(file.name) && Contains(file.doc));
    CHECK((file.open != nullptr) + (file.write != nullptr) + (file.text != nullptr) == 1);
  }
}

TEST_CASE("tahoma run: equal runs give equal bytes, and so does the resolved configuration", "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const std::vector<std::string> run{"run", "case.yaml", "--seed",
                                     "7",   "--set",     "workload.shard={m: 2, n: 2, k: 1}"};
  for (const std::string out : {"one", "two"}) {
    auto words = run;
    words.insert(words.end(), {"--out", out});
    REQUIRE(tahoma_in(dir.path(), words).status == 0);
  }
  CHECK(bytes_of_run(dir / "one") == bytes_of_run(dir / "two"));
  REQUIRE(tahoma_in(dir.path(), {"run", "one/config.resolved.yaml", "--out", "three"}).status == 0);
  CHECK(bytes_of_run(dir / "one") == bytes_of_run(dir / "three"));
  REQUIRE(tahoma_in(dir.path(), {"run", "case.yaml", "--seed", "8", "--out", "three"}).status == 0);
  CHECK(bytes_of_run(dir / "one") != bytes_of_run(dir / "three"));
}

TEST_CASE("tahoma run: timing mode takes the same time and checks nothing", "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const json functional = json::parse(tahoma_in(dir.path(), {"run", "case.yaml", "--format", "json"}).out);
  const json timing =
      json::parse(tahoma_in(dir.path(), {"run", "case.yaml", "--format", "json", "--mode", "timing"}).out);
  CHECK(functional["simulated_time_ns"] == timing["simulated_time_ns"]);
  CHECK(functional["engines"] == timing["engines"]);
  CHECK(functional["golden"]["checked"] == true);
  CHECK(timing["golden"]["checked"] == false);
  CHECK(timing["mode"] == "timing");
  const json unchecked =
      json::parse(tahoma_in(dir.path(), {"run", "case.yaml", "--format", "json", "--no-golden"}).out);
  CHECK(unchecked["golden"]["checked"] == false);
  check_command_refused(tahoma_in(dir.path(), {"run", "case.yaml", "--mode", "timing", "--save-outputs"}), 2,
                        "E-CLI-004");
}

TEST_CASE("tahoma run: the window of waves is refused without a folder or with a wrong time", "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  check_command_refused(tahoma_in(dir.path(), {"run", "case.yaml", "--waves-from", "1 us"}), 2, "E-CLI-004");
  const Finished wrong = tahoma_in(dir.path(), {"run", "case.yaml", "--waves", "w", "--waves-until", "soon"});
  check_command_refused(wrong, 2, "E-CFG-004");
  CHECK_THAT(wrong.err, Contains("--waves-until"));
}

TEST_CASE("tahoma run: stochastic rounding takes the same time, follows the seed and has no golden check",
          "[cli]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const auto run = [&](const std::string& rounding, const std::string& seed) {
    const std::string out = "out-" + rounding + seed;
    const Finished finished =
        tahoma_in(dir.path(), {"run", "case.yaml", "--seed", seed, "--save-outputs", "--out", out, "--set",
                               "machine.chip.core.rounding=" + rounding});
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return std::pair(json::parse(contents(dir / (out + "/summary.json"))), contents(dir / (out + "/c.npy")));
  };
  const auto nearest = run("nearest", "1"), stochastic = run("stochastic", "1");
  CHECK(nearest.first["golden"]["checked"] == true);
  CHECK(stochastic.first["golden"]["checked"] == false);
  CHECK(stochastic.first["simulated_time_ns"] == nearest.first["simulated_time_ns"]);
  CHECK(stochastic.second != nearest.second);
  CHECK(run("stochastic", "1").second == stochastic.second);
}

TEST_CASE("tahoma run: a failed golden check ends with 1 and shows where", "[cli][bad-input]") {
  const TempDir dir;
  dir.write("add.asm", kAdd);
  std::string expected("\x93NUMPY\x01\0\x76\0", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 512), }";
  expected.resize(127, ' ');
  expected += '\n' + std::string(64 * 512 * 4, '\0');
  dir.write("zeros.npy", expected);
  dir.write("case.yaml",
            "kind: program\nmachine: trainium2_one_chip\nworkload:\n  file: add.asm\n"
            "  tensors: \"in fp32 64x512 zero; out fp32 64x512 zero expect=zeros.npy\"\n");
  const Finished run = tahoma_in(dir.path(), {"run", "case.yaml"});
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK_THAT(run.err,
             StartsWith("tahoma: golden check: error[E-RUN-070]: 32768 of 32768 elements are wrong"));
  CHECK_THAT(run.out, Contains("GOLDEN FAILED"));
  // The error output must be kept.
  CHECK(json::parse(contents(dir / "out/summary.json"))["golden"]["passed"] == false);
  CHECK(tahoma_in(dir.path(), {"run", "case.yaml", "--no-golden"}).status == 0);
}

TEST_CASE("tahoma run: --check ends a wrong program with 3, with both instructions named and files written",
          "[cli][check][bad-input]") {
  const TempDir dir;
  std::string racy = kAdd;
  racy.replace(racy.find(" wait=s0>=16"), 12, "");
  dir.write("add.asm", kAdd);
  dir.write("racy.asm", racy);
  for (const std::string name : {"add", "racy"})
    dir.write(name + ".yaml", "kind: program\nmachine: trainium2_one_chip\nworkload:\n  file: " + name +
                                  ".asm\n  tensors: \"in fp32 64x512 seed; out fp32 64x512 zero\"\n");
  const Finished good = tahoma_in(dir.path(), {"run", "add.yaml", "--check", "races,uninitialised"});
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Contains("races and uninitialised memory: none found"));
  for (const char* mode : {"functional", "timing"}) {
    const Finished bad = tahoma_in(dir.path(), {"run", "racy.yaml", "--check", "races", "--mode", mode});
    INFO(bad.err);
    CHECK(bad.status == 3);
    CHECK_THAT(bad.err, StartsWith("E-CHK-001 race: ") && Contains("core0.vector[0] tensor_scalar") &&
                            Contains("core0.sync[0] dma_copy of racy.asm:4 on ring 0") &&
                            Contains("sbuf partitions 0..63") &&
                            Contains("tahoma: program check: error[E-RUN-071]: "));
    const json checks = json::parse(contents(dir / "out/summary.json"))["checks"];
    CHECK(checks["races"]["found"] > 0);
    CHECK(checks["uninitialised"]["checked"] == false);
  }
  CHECK(tahoma_in(dir.path(), {"run", "racy.yaml"}).status == 0);
}

TEST_CASE("tahoma run: a check that does not exist is refused, with the nearest name", "[cli][bad-input]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const Finished f = tahoma_in(dir.path(), {"run", "case.yaml", "--check", "races,uninitialized"});
  check_command_refused(f, 2, "E-CLI-003");
  CHECK_THAT(f.err, Contains("uninitialized") && Contains("did you mean 'uninitialised'"));
}

#ifndef __SANITIZE_ADDRESS__  // reserves more address space than the limit leaves
TEST_CASE("command line: a host without memory ends with 6", "[cli][bad-input]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  const Finished starved = run_program(
      {"/bin/sh", "-c",
       "ulimit -v 400000; exec \"$0\" run case.yaml --set workload.m=65536 --set workload.k=4096 --no-golden",
       TAHOMA_BINARY},
      dir.path());
  INFO(starved.err);
  CHECK(starved.status == 6);
  CHECK(starved.out.empty());
  CHECK(names_in(dir.path()) == std::set<std::string>{"case.yaml"});
}
#endif

TEST_CASE("command line: an empty value is refused, not taken for the default", "[cli][bad-input]") {
  const TempDir dir;
  dir.write("case.yaml", kSmallGemm);
  for (const char* option : {"--machine", "--mode", "--seed", "--out"}) {
    const Finished empty = tahoma_in(dir.path(), {"run", "case.yaml", option, ""});
    check_command_refused(empty, 2, "E-CLI-003");
    CHECK_THAT(empty.err, Contains(option));
  }
  check_command_refused(tahoma_in(dir.path(), {"run", ""}), 2, "E-CLI-003");
  check_command_refused(
      tahoma_in(dir.path(), {"sweep", "case.yaml", "--machine", "", "--sweep", "workload.m=1,2"}), 2,
      "E-CLI-003");
}

TEST_CASE("tahoma run: the books balance at any legal clock of an engine", "[cli][books]") {
  const TempDir dir;
  dir.write("gemm.yaml", kSmallGemm);
  dir.write("norm.yaml",
            "kind: layer_norm\nmachine: trainium2_one_chip\nworkload: {rows: 130, columns: 70}\n");
  for (const char* engine : {"tensor", "vector", "scalar", "gpsimd", "sequencer", "dma"})
    for (const char* clock : {"1 MHz", "2 MHz", "37 MHz", "100 GHz"})
      for (const char* workload : {"gemm.yaml", "norm.yaml"}) {
        const std::string set = std::string("machine.chip.core.") + engine + ".clock=" + clock;
        const Finished finished =
            tahoma_in(dir.path(), {"run", workload, "--mode", "timing", "--no-report", "--set", set});
        INFO(workload << " " << set << " " << finished.err);
        CHECK(finished.status == 0);
      }
}
