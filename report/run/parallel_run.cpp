// SPDX-License-Identifier: Apache-2.0
#include "report/run/parallel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/base/error.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/sha256.h"
#include "runtime/mpi/together.h"

namespace tahoma::runtime {

namespace {

constexpr const char
    *kHelp = "help",
    *kSomeHelp =
        "some processes are asked for help or the version, and others run a case; expected the same "
        "command for all of them";

model::ByteString bytes_of(const std::string& text) {
  model::ByteString bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void refuse(const char* what, const char* why) {
  throw base::UserError("E-PAR-003", what, fmt::format("works in one process only: {}", why));
}

void check_options(const RunOptions& options, const ResolvedConfig& config) {
  if (options.checks.any()) refuse("--check", "it watches the memory of all chips");
  if (options.checkpoints.any())
    refuse(options.checkpoints.compare_with.empty() ? "--dump" : "--compare-with",
           "it reads the memory of all chips");
  if (options.explain) refuse("--explain", "it repeats the run in processes of its own");
  if (options.isolated) refuse("--isolated", "it runs programs alone in processes of its own");
  if (options.repeat) refuse("--repeat", "it repeats the run in processes of its own");
  if (options.trace.wanted) refuse("--trace", "the timeline is written while the run goes on");
  if (!options.waves.folder.empty()) refuse("--waves", "the waves of all blocks go to one folder");
  if (options.fold == FoldChoice::kVerify)
    refuse("--fold verify", "it repeats the run of the whole machine in a process of its own");
  if (!config.workload->programs().empty())
    refuse("workload.programs", "a program that starts later waits for cores of other chips");
  if (config.machine.link.wire.fs <= 0)
    refuse("machine.link.wire", "processes advance by the latency of a link; expected more than 0");
  if (config.machine.link.in_rtl()) refuse("machine.link.port.model", "ports in SystemVerilog share a clock");
  if (config.machine.link.sends_flits())
    refuse("machine.link.port.model", "the flits of all chips share a clock");
}

}  // namespace

bool prints_help(model::Processes& processes) {
  together(&processes, [] {});  // as run_workload() begins
  const std::vector<model::ByteString> all = processes.gather(bytes_of(kHelp));
  together(&processes, [&] {
    if (std::any_of(all.begin(), all.end(), [](const auto& other) { return other != bytes_of(kHelp); }))
      throw base::UserError("E-PAR-002", "mpirun", kSomeHelp);
  });
  return processes.reports();
}

void check_parallel(model::Processes& processes, const RunOptions& options, const ResolvedConfig& config) {
  const std::string binary = host_facts().binary_sha256, case_sha256 = sha256_of(config.to_yaml());
  const std::vector<model::ByteString> all = processes.gather(bytes_of(binary + case_sha256));
  together(&processes, [&] {
    for (std::size_t p = 0; p < all.size(); ++p) {
      const std::string other(reinterpret_cast<const char*>(all[p].data()), all[p].size());
      if (other == kHelp) throw base::UserError("E-PAR-002", fmt::format("process {}", p), kSomeHelp);
      if (!other.starts_with(binary))
        throw base::UserError("E-PAR-002", fmt::format("process {}", p),
                              "runs another binary than process 0; expected the same one on every host");
      if (other != binary + case_sha256)
        throw base::UserError("E-PAR-002", fmt::format("process {}", p),
                              "reads another case than process 0; expected the same files on every host");
    }
    if (processes.count() > config.machine.chips())
      throw base::UserError(
          "E-PAR-001", "mpirun",
          fmt::format("{} processes for {} chips; expected at most as many processes as chips",
                      processes.count(), config.machine.chips()));
    check_options(options, config);
  });
}

}  // namespace tahoma::runtime
