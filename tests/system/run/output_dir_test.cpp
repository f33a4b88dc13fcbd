// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/output/output_dir.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "model/base/error.h"
#include "runtime/host/output/manifest.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using runtime::OutputDir;
using tests::contents;
using tests::TempDir;
namespace fs = std::filesystem;

namespace {

// A run's folder with a manifest and one result.
void write_run(const std::string& path, const std::string& result) {
  OutputDir out(path);
  out.write("result.txt", result);
  runtime::Manifest manifest;
  manifest.files = {"result.txt", "manifest.json"};
  out.write("manifest.json", runtime::manifest_json(manifest));
  out.commit();
}

std::string refusal(const std::string& path) {
  try {
    OutputDir out(path);
  } catch (const base::UserError& error) {
    CHECK(error.status == base::ExitStatus::kUsage);
    return error.code;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("output folder: nothing has its name before commit", "[output]") {
  const TempDir dir;
  {
    OutputDir out(dir / "out");
    CHECK(tests::entries(dir.path()) == 0);
    out.write("a.txt", "half");
    CHECK_FALSE(fs::exists(dir / "out"));
  }
  CHECK(tests::entries(dir.path()) == 0);
}

TEST_CASE("output folder: commit leaves the files and nothing else", "[output]") {
  const TempDir dir;
  write_run(dir / "out", "one");
  CHECK(tests::entries(dir.path()) == 1);
  CHECK(tests::entries(dir / "out") == 2);
  CHECK(contents(dir / "out/result.txt") == "one");
}

TEST_CASE("output folder: an earlier run is replaced whole", "[output]") {
  const TempDir dir;
  write_run(dir / "out", "one");
  write_run((dir / "out") + "/", "two");
  CHECK(tests::entries(dir.path()) == 1);
  CHECK(contents(dir / "out/result.txt") == "two");
}

TEST_CASE("output folder: an abandoned run keeps the earlier one", "[output]") {
  const TempDir dir;
  write_run(dir / "out", "one");
  {
    OutputDir out(dir / "out");
    out.write("result.txt", "two");
  }
  CHECK(tests::entries(dir.path()) == 1);
  CHECK(contents(dir / "out/result.txt") == "one");
}

TEST_CASE("output folder: missing parents are made, and go again when abandoned", "[output]") {
  const TempDir dir;
  { const OutputDir out(dir / "a/b/out"); }
  CHECK(tests::entries(dir.path()) == 0);
  write_run(dir / "a/b/out", "one");
  CHECK(contents(dir / "a/b/out/result.txt") == "one");
}

TEST_CASE("output folder: an empty folder is taken, a symbolic link stays one", "[output]") {
  const TempDir dir;
  fs::create_directory(dir / "real");
  fs::create_directory_symlink(dir / "real", dir / "link");
  write_run(dir / "link", "one");
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(contents(dir / "real/result.txt") == "one");
}

TEST_CASE("output folder: foreign files are never replaced", "[output][bad-input]") {
  const TempDir dir;
  fs::create_directory(dir / "mine");
  dir.write("mine/thesis.txt", "three years of work");
  CHECK(refusal(dir / "mine") == "E-OUT-002");
  CHECK_THROWS_WITH(OutputDir(dir / "mine"), Catch::Contains("'thesis.txt'"));

  write_run(dir / "out", "one");
  dir.write("out/notes.txt", "mine");
  CHECK(refusal(dir / "out") == "E-OUT-002");
  CHECK(contents(dir / "out/notes.txt") == "mine");

  fs::create_directory(dir / "other");
  dir.write("other/manifest.json", R"({"program": "another", "files": ["manifest.json"]})");
  CHECK(refusal(dir / "other") == "E-OUT-002");
}

TEST_CASE("output folder: a folder that cannot be written is refused at once", "[output][bad-input]") {
  const TempDir dir;
  dir.write("file", "");
  CHECK(refusal(dir / "file") == "E-OUT-001");
  CHECK(refusal(dir / "file/out") == "E-OUT-001");
  CHECK(refusal("/proc/out") == "E-OUT-001");  // refuses new folders even to root
  CHECK(refusal("") == "E-OUT-001");
  CHECK(refusal("/") == "E-OUT-001");
  CHECK(tests::entries(dir.path()) == 1);
}

TEST_CASE("output folder: a file that cannot be written is named", "[output][bad-input]") {
  const TempDir dir;
  OutputDir out(dir / "out");
  CHECK_THROWS_WITH(out.write("no_such_folder/a.txt", "x"),
                    Catch::Contains("error[E-OUT-003]") && Catch::Contains("out/no_such_folder/a.txt"));
}

TEST_CASE("output folder: results are kept when the name is taken meanwhile", "[output][bad-input]") {
  const TempDir dir;
  std::string message;
  {
    OutputDir out(dir / "out");
    out.write("result.txt", "hours of simulation");
    fs::create_directory(dir / "out");
    dir.write("out/theirs.txt", "theirs");
    try {
      out.commit();
    } catch (const base::UserError& error) {
      CHECK(error.code == "E-OUT-004");
      message = error.what();
    }
  }
  const std::string kept = message.substr(message.find("results are in ") + 15);
  CHECK(contents(kept + "/result.txt") == "hours of simulation");
  CHECK(contents(dir / "out/theirs.txt") == "theirs");
}
