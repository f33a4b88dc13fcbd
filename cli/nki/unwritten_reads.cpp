// SPDX-License-Identifier: Apache-2.0
#include "cli/nki/unwritten_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "frontend/nki/bundle/tracing.h"
#include "runtime/host/process.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

using Outputs = std::map<std::string, std::string>;  // bytes by the names of files

bool reads_only_unwritten(const model::check::Findings& findings) {
  const auto on_chip = [](const model::check::FindingGroup& group) {
    return group.kind == model::check::Kind::kUninitialised && !group.text.empty() &&
           group.text.find(" reads hbm ") == std::string::npos;
  };
  return findings.total() > 0 && std::all_of(findings.groups().begin(), findings.groups().end(), on_chip);
}

// Nothing, if the run ends with an error.
std::optional<Outputs> outputs_with(const RunOutcome& outcome, int unwritten) {
  const nki::TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  ProcessOptions options;
  options.program = kThisProgram;
  options.captured = true;
  const ProcessResult ended = Process({"tahoma", "run", outcome.folder + "/config.resolved.yaml", "--mode",
                                       "functional", "--set", fmt::format("unwritten={}", unwritten),
                                       "--no-report", "--no-golden", "--save-outputs", "--out", out},
                                      options)
                                  .wait();
  if (!ended.end.ok()) return std::nullopt;
  Outputs outputs;
  for (const auto& entry : std::filesystem::directory_iterator(out))
    if (entry.path().extension() == ".npy")
      outputs[entry.path().filename().string()] = read_file(entry.path().string());
  return outputs;
}

}  // namespace

std::string harmless_reads(const RunOutcome& outcome) {
  if (!reads_only_unwritten(outcome.checks)) return "";
  const auto zeros = outputs_with(outcome, 0);
  if (!zeros || zeros != outputs_with(outcome, 0xff)) return "";
  const std::uint64_t found = outcome.checks.total();
  return fmt::format(
      "reads bytes of SBUF or PSUM that nothing has written, but no output depends on them: {} mistake{}, "
      "the first: {}",
      found, found == 1 ? "" : "s", outcome.checks.first().front());
}

}  // namespace tahoma::runtime
