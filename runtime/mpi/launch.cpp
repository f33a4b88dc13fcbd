// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "model/base/error.h"
#include "runtime/host/process.h"

namespace tahoma::runtime {

namespace {

struct Variables {
  const char *rank, *count;
};
constexpr std::array<Variables, 2> kLaunchers{
    {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}}};

std::uint32_t number(const char* variable) {
  const char* text = std::getenv(variable);
  std::uint32_t value = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

// It is beside the program in a build tree, and below lib/tahoma in an installation.
void* library() {
  const std::filesystem::path folder = std::filesystem::read_symlink(kThisProgram).parent_path();
  for (const auto& file :
       {folder / "libtahoma_mpi.so", folder.parent_path() / TAHOMA_LIBDIR "/tahoma/libtahoma_mpi.so"})
    if (std::filesystem::exists(file)) return dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return nullptr;
}

}  // namespace

LaunchedRank launched_rank() {
  for (const auto& [rank, count] : kLaunchers)
    if (number(count) > 1) return {number(rank), number(count)};
  return {};
}

namespace {

bool connected = false;  // or has tried to

}  // namespace

std::unique_ptr<model::Processes> launched_processes() {
  const LaunchedRank launched = launched_rank();
  if (launched.count == 1) return nullptr;
  connected = true;
  void* const mpi = library();
  void* const connect = mpi == nullptr ? nullptr : dlsym(mpi, "tahoma_mpi_processes");
  if (connect == nullptr) {
    const char* const why = mpi == nullptr ? dlerror() : "it is not ours";
    throw base::UserError(
        "E-PAR-004", "mpirun",
        fmt::format("started {} processes, but libtahoma_mpi.so {}: expected a build with MPI (Debian: "
                    "libopenmpi-dev)",
                    launched.count, why == nullptr ? "does not exist" : why),
        base::ExitStatus::kHost);
  }
  return std::unique_ptr<model::Processes>(reinterpret_cast<model::Processes* (*)()>(connect)());
}

void end_failed_process(base::ExitStatus status, const std::string& text) {
  if (connected) return;
  const std::unique_ptr<model::Processes> processes = launched_processes();
  fmt::print(stderr, "tahoma: process {}: {}\n", launched_rank().rank, text);
  std::fflush(stderr);
  std::_Exit(static_cast<int>(status));  // without leaving MPI, upon which mpirun ends the other processes
}

}  // namespace tahoma::runtime
