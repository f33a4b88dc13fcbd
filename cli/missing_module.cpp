// SPDX-License-Identifier: Apache-2.0
#include "cli/missing_module.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/host/host_lock.h"
#include "runtime/host/process.h"
#include "runtime/host/text/whole_file.h"
#include "runtime/mpi/launch.h"

namespace tahoma::runtime {

namespace {

constexpr const char* kRestarted =
    "TAHOMA_BUILT_MODULE";  // in the environment of a program that was started again
constexpr const char* kScript = "scripts/modules";

// The checkout whose build/tahoma is this program; "" if it is another file.
std::filesystem::path checkout(const std::filesystem::path& program) {
  const std::filesystem::path sources = program.parent_path().parent_path();
  std::error_code failed;
  const bool found =
      program == sources / "build/tahoma" && std::filesystem::exists(sources / kScript, failed);
  return found ? sources : "";
}

}  // namespace

std::string build_and_restart(const base::MissingModule& missing, const char* const* argv) {
  const char* restarted = std::getenv(kRestarted);
  TAHOMA_INVARIANT(restarted == nullptr || restarted != missing.module,
                   fmt::format("the module '{}' was built and is still missing", missing.module));
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink(kThisProgram, failed);
  const std::filesystem::path sources = checkout(program);
  // A process that MPI has connected cannot start again.
  if (sources.empty() || launched_rank().count > 1) return missing.what();
  fmt::print(stderr, "tahoma: building the module '{}', which this program uses for the first time\n",
             missing.module);
  try {
    const HostLock one_at_a_time = HostLock::of_file(sources / "build/modules.lock");
    const ProcessEnd end = Process({sources / kScript, missing.module}).wait().end;
    if (!end.ok())
      return fmt::format("error[E-MOD-002]: building the module '{}' {}; its output is above", missing.module,
                         end.text());
  } catch (const std::system_error& error) {
    return fmt::format("error[E-MOD-002]: building the module '{}': {}", missing.module, error.what());
  }
  setenv(kRestarted, missing.module.c_str(), 1);
  execv(program.c_str(), const_cast<char* const*>(argv));
  return fmt::format("error[E-MOD-002]: cannot start {} again: {}", program.string(),
                     std::system_category().message(errno));
}

void offer_standard_input_again(std::string_view text) {
  const int file = memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0) return;
  if (write_all(file, text) && lseek(file, 0, SEEK_SET) == 0) dup2(file, STDIN_FILENO);
  close(file);
}

}  // namespace tahoma::runtime
