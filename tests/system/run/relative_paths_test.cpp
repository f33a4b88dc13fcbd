// SPDX-License-Identifier: Apache-2.0
// Relative paths start in the folder of the file that has them, and those of the command line in the working
// directory.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/config/config.h"
#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

Finished tahoma_from(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {"/usr/bin/env", "-u", "CI", TAHOMA_BINARY});
  return run_program(words, folder.string());
}

// Omits the names of source files, which are those under which the run found them.
json summary_of(const fs::path& out) {
  json summary = json::parse(contents((out / "summary.json").string()));
  for (const char* list : {"lines", "functions"})
    for (json& spot : summary[list]) spot.erase("file");
  return summary;
}

// cases/twice.yaml with its program, and the values that it expects, in `dir`; and an empty folder
// elsewhere/.
void fill_folder(const TempDir& dir) {
  fs::create_directory(dir / "cases");
  fs::create_directory(dir / "elsewhere");
  dir.write("cases/twice.tasm", kTwice);
  dir.write("cases/twice.yaml", program_case("twice.tasm"));
  REQUIRE(tahoma_from(dir.path(), {"run", "cases/twice.yaml", "--save-outputs", "--out", "first"}).status ==
          0);
  fs::create_directory(dir / "cases/values");
  fs::copy(dir / "first/out.npy", dir / "cases/values/out.npy");
  std::string expecting = program_case("twice.tasm");
  expecting.insert(expecting.find("zero") + 4, " expect=values/out.npy");
  dir.write("cases/twice.yaml", expecting);
}

}  // namespace

TEST_CASE("relative paths: a case and its resolved configuration run alike from any folder",
          "[config][cli]") {
  const TempDir dir;
  fill_folder(dir);
  for (const char* from : {".", "cases", "elsewhere"}) {
    INFO(from);
    const std::string out = dir / "out";
    const std::string file = fs::relative(dir / "cases/twice.yaml", dir / std::string(from)).string();
    const Finished finished =
        tahoma_from(dir / std::string(from), {"run", file, "--out", out, "--no-report"});
    INFO(finished.err);
    CHECK(finished.status == 0);
    CHECK(summary_of(out)["golden"]["outcome"] == "passed");
    CHECK(summary_of(out)["workload"] == "program twice.tasm on 1 cores");
    const Finished again = tahoma_from(
        dir / "elsewhere", {"run", out + "/config.resolved.yaml", "--out", "again", "--no-report"});
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(summary_of(dir / "elsewhere/again") == summary_of(out));
  }
}

TEST_CASE("relative paths: --set starts in the working directory", "[config][cli]") {
  const TempDir dir;
  fill_folder(dir);
  fs::rename(dir / "cases/twice.tasm", dir / "elsewhere/other.tasm");
  const Finished finished =
      tahoma_from(dir / "elsewhere", {"run", "../cases/twice.yaml", "--set", "workload.file=other.tasm"});
  INFO(finished.err);
  CHECK(finished.status == 0);
}

TEST_CASE("relative paths: values that a suite and a sweep set start in their own folders", "[config][cli]") {
  const TempDir dir;
  fill_folder(dir);
  fs::create_directory(dir / "suite");
  fs::rename(dir / "cases/twice.tasm", dir / "suite/other.tasm");
  dir.write("suite/cases.yaml",
            "cases:\n  title: A test\n  runs:\n    twice:\n      workload: ../cases/twice.yaml\n"
            "      set: {workload.file: other.tasm}\n");
  dir.write("suite/sweep.yaml",
            "sweep:\n  title: A test\n  workloads: [../cases/twice.yaml]\n  mode: timing\n"
            "  axes: [{workload.file: [other.tasm]}, {machine.chip.hbm.stacks: [4]}]\n");
  dir.write("suite/set.yaml",
            "sweep:\n  title: A test\n  workloads: [../cases/twice.yaml]\n  mode: timing\n"
            "  set: {workload.file: other.tasm}\n  axes: [{machine.chip.hbm.stacks: [4]}]\n");
  const Finished blessed =
      tahoma_from(dir / "elsewhere", {"check", "../suite/cases.yaml", "--bless", "--reason", "first"});
  INFO(blessed.err);
  CHECK(blessed.status == 0);
  for (const char* sweep : {"../suite/sweep.yaml", "../suite/set.yaml"}) {
    const Finished swept = tahoma_from(dir / "elsewhere", {"sweep", sweep, "--out", "swept"});
    INFO(swept.out << swept.err);
    CHECK(swept.status == 0);
    fs::remove_all(dir / "elsewhere/swept");
  }
}

TEST_CASE("relative paths: every parameter that names files says where its paths are", "[config]") {
  for (const runtime::WorkloadKind& kind : runtime::workload_kinds()) {
    const auto workload = kind.make();
    base::ParamTree tree("workload");
    workload->declare(tree);
    for (const base::Param& param : tree.params()) {
      const bool names_files = param.doc.find(".npy") != std::string::npos ||
                               param.doc.find("FILE") != std::string::npos ||
                               param.doc.find("assembler text") != std::string::npos;
      INFO(kind.name << ": " << param.path);
      CHECK(static_cast<bool>(param.paths) >= names_files);
    }
  }
}

TEST_CASE("relative paths: those inside a text are found, and the rest of the text stays", "[config]") {
  const auto text_in = [](const std::string& kind, const std::string& path, const std::string& text) {
    for (const runtime::WorkloadKind& each : runtime::workload_kinds()) {
      if (each.name != kind) continue;
      const auto workload = each.make();
      base::ParamTree tree("workload");
      workload->declare(tree);
      tree.set("workload." + path, text, "test", "some/folder");
      return base::text_of(tree.find("workload." + path)->value);
    }
    return std::string();
  };
  CHECK(
      text_in("program", "tensors", "x fp32 4x8 ../x.npy; n core; y fp32 4 zero expect=/w.npy within=1e-5") ==
      "x fp32 4x8 some/folder/../x.npy; n core; y fp32 4 zero expect=/w.npy within=1e-5");
  CHECK(text_in("nki", "args", "x = x.npy; n=5; y=randn(128, 512)") ==
        "x=some/folder/x.npy; n=5; y=randn(128, 512)");
  CHECK(text_in("nki", "reference", "m.py:reference") == "some/folder/m.py:reference");
  CHECK(text_in("gemm", "inputs.a", "w.safetensors#a") == "some/folder/w.safetensors#a");
  CHECK(text_in("gemm", "inputs.a", "").empty());
}

TEST_CASE("cli: every command is listed in --help", "[cli]") {
  const Finished help = run_program({TAHOMA_BINARY, "--help"}, ".");
  for (const char* command : {"run", "sweep", "point", "check", "compare", "explain", "asm", "dis", "isa"})
    CHECK_THAT(help.out, Contains("\n  " + std::string(command) + " "));
}
