// SPDX-License-Identifier: Apache-2.0
// Outputs that the user names never replace what is no regular file, and a full disk is an error with nothing
// left behind. Devices are nodes of the test's own folder: never those of the host.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>

#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"
#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

constexpr unsigned kMemory = 1, kNull = 3, kFull = 7;  // Linux's numbers of /dev/null and /dev/full

// A device of our own; false where the host does not allow one, as in a container without privileges.
bool make_device(const std::string& path, unsigned minor) {
  if (mknod(path.c_str(), S_IFCHR | 0666, makedev(kMemory, minor)) != 0) return false;
  const int probe = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (probe >= 0) close(probe);
  return probe >= 0;
}

bool is_device(const std::string& path) { return fs::is_character_file(fs::symlink_status(path)); }

base::UserError refusal_of_output(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::UserError& error) {
    return error;
  }
  return {"accepted", "", ""};
}

// Every command that writes a file which the user names: a run and its page, a program, a regression check.
using Words = std::vector<std::string>;
const std::vector<std::function<Words(const std::string&)>> kOutputs{
    [](const std::string& out) {
      return Words{"report", "run", "--out", out};
    },
    [](const std::string& out) {
      return Words{"report", "run", "run", "--out", out};
    },
    [](const std::string& out) {
      return Words{"asm", "twice.tasm", "-o", out};
    },
    [](const std::string& out) {
      return Words{"check", "cases.yaml", "--junit", out};
    },
    [](const std::string& out) {
      return Words{"check", "cases.yaml", "--markdown", out};
    },
};

// A run, a program and a regression case with its golden.
void fill(const TempDir& dir) {
  dir.write("twice.tasm", kTwice);
  dir.write("twice.yaml", program_case("twice.tasm"));
  dir.write("cases.yaml", "cases:\n  title: A test\n  runs:\n    twice:\n      workload: twice.yaml\n");
  REQUIRE(tahoma_in(dir.path(), {"run", "twice.yaml", "--out", "run"}).status == 0);
  // Blessing is refused in CI, under which the test may run.
  REQUIRE(run_program({"/usr/bin/env", "-u", "CI", TAHOMA_BINARY, "check", "cases.yaml", "--bless",
                       "--reason", "new"},
                      dir.path())
              .status == 0);
}

// Runs the program in a shell under a limit of `blocks` KiB for each file, which stands for a full disk. Its
// messages go through a pipe, which has no limit.
Finished limited(const TempDir& dir, int blocks, const std::string& words) {
  return run_program({"/bin/bash", "-c",
                      "set -o pipefail; (ulimit -f " + std::to_string(blocks) + "; exec " TAHOMA_BINARY " " +
                          words + ") 2>&1 | cat"},
                     dir.path());
}

}  // namespace

TEST_CASE("outputs: links are followed, and the file behind one keeps its permissions", "[output]") {
  const TempDir dir;
  dir.write("file", "old");
  fs::permissions(dir / "file", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", dir / "near");
  fs::create_symlink(dir / "near", dir / "link");
  runtime::write_file(dir / "link", "new");
  CHECK(contents(dir / "file") == "new");
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(fs::is_symlink(dir / "near"));
  CHECK(fs::status(dir / "file").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("later", dir / "dangling");
  runtime::write_file(dir / "dangling", "made");
  CHECK(contents(dir / "later") == "made");
  CHECK(fs::is_symlink(dir / "dangling"));
  CHECK(tests::entries(dir.path()) == 5);
  fs::create_symlink("loop", dir / "loop");
  CHECK(refusal_of_output([&] { runtime::write_file(dir / "loop", "x"); }).code == "E-OUT-003");
  CHECK(refusal_of_output([&] { runtime::write_file(dir.path(), "x"); }).code == "E-OUT-003");
}

TEST_CASE("outputs: a FIFO is written to and stays", "[output]") {
  const TempDir dir;
  const std::string fifo = dir / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  runtime::write_file(fifo, "through");
  char got[16];
  CHECK(read(reader, got, sizeof got) == 7);
  CHECK(std::string(got, 7) == "through");
  close(reader);
  CHECK(fs::is_fifo(fs::symlink_status(fifo)));
  CHECK(tests::entries(dir.path()) == 1);
}

TEST_CASE("outputs: no command replaces a link or a device", "[output][cli]") {
  const TempDir dir;
  fill(dir);
  const bool devices = make_device(dir / "null", kNull);
  if (!devices) WARN("this host allows no device nodes: only links are tested");
  for (const auto& words : kOutputs) {
    fs::create_symlink("behind", dir / "link");
    const Finished linked = tahoma_in(dir.path(), words("link"));
    INFO(words("link").front() << ": " << linked.err);
    CHECK(linked.status == 0);
    CHECK(fs::is_symlink(dir / "link"));
    CHECK(fs::file_size(dir / "behind") > 0);
    fs::remove(dir / "link");
    fs::remove(dir / "behind");
    if (!devices) continue;
    CHECK(tahoma_in(dir.path(), words("null")).status == 0);
    CHECK(is_device(dir / "null"));
  }
}

TEST_CASE("outputs: a folder of a run with a link or a device in it is not ours to replace", "[output]") {
  const TempDir dir;
  fill(dir);
  const std::size_t before = tests::entries(dir / "run");
  fs::remove(dir / "run/summary.txt");
  fs::create_symlink("summary.json", dir / "run/summary.txt");
  const Finished finished = tahoma_in(dir.path(), {"run", "twice.yaml", "--out", "run"});
  CHECK(finished.status == 2);
  CHECK_THAT(finished.err, Contains("E-OUT-002") && Contains("summary.txt"));
  CHECK(tests::entries(dir / "run") == before);
  // A link to a folder that is not there yet becomes the name of one.
  fs::create_symlink("made", dir / "wanted");
  CHECK(tahoma_in(dir.path(), {"run", "twice.yaml", "--out", "wanted"}).status == 0);
  CHECK(fs::is_symlink(dir / "wanted"));
  CHECK(fs::is_regular_file(dir / "made/summary.json"));
}

TEST_CASE("outputs: a full disk ends each command with 6 and leaves nothing", "[output][cli][bad-input]") {
  const TempDir dir;
  fill(dir);
  const std::size_t before = tests::entries(dir.path());
  for (const auto& words : kOutputs) {
    std::string line;
    for (const std::string& word : words("new")) line += word + " ";
    const Finished full = limited(dir, 0, line);
    INFO(line << full.out);
    CHECK(full.status == 6);
    CHECK_THAT(full.out, Contains("E-OUT-003") && Contains("File too large"));
    CHECK(tests::entries(dir.path()) == before);
  }
  const Finished run = limited(dir, 1, "run twice.yaml --out other");
  INFO(run.out);
  CHECK(run.status == 6);
  CHECK(tests::entries(dir.path()) == before);
}

TEST_CASE("outputs: what a full standard output loses is an error", "[output][cli][bad-input]") {
  const TempDir dir;
  fill(dir);
  const std::vector<std::string> commands{"isa", "--help", "run twice.yaml --out again", "compare run run",
                                          "params"};
  for (const std::string& words : commands) {
    const Finished cut = run_program(
        {"/bin/bash", "-c",
         "set -o pipefail; (exec 2>&1 >cut; ulimit -f 0; exec " TAHOMA_BINARY " " + words + ") | cat"},
        dir.path());
    INFO(words << ": " << cut.out);
    // The folder of a run is over the limit, too.
    CHECK(cut.status == 6);
    CHECK_THAT(cut.out, Contains("tahoma: ") && Contains("E-OUT-003"));
  }
  const Finished closed = run_program({"/bin/bash", "-c", "exec " TAHOMA_BINARY " params >&-"}, dir.path());
  CHECK(closed.status == 6);
  CHECK_THAT(closed.err, Contains("standard output: error[E-OUT-003]"));
  if (!make_device(dir / "full", kFull)) {
    WARN("this host allows no device nodes");
    return;
  }
  for (const std::string& words : commands) {
    const Finished full =
        run_program({"/bin/bash", "-c", "exec " TAHOMA_BINARY " " + words + " >full"}, dir.path());
    INFO(words << ": " << full.err);
    CHECK(full.status == 6);
    CHECK_THAT(full.err,
               Contains("standard output: error[E-OUT-003]") && Contains("No space left on device"));
    CHECK(is_device(dir / "full"));
  }
}

TEST_CASE("outputs: the exit status tells a wrong name from a host that has run out", "[output]") {
  const TempDir dir;
  CHECK(refusal_of_output([&] { runtime::write_file(dir / "no/file", "x"); }).status ==
        base::ExitStatus::kUsage);
  for (const int reason : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM})
    CHECK(runtime::status_of_write(reason) == base::ExitStatus::kHost);
  for (const int reason : {ENOENT, EACCES, EISDIR, ENOTDIR, EROFS})
    CHECK(runtime::status_of_write(reason) == base::ExitStatus::kUsage);
}
