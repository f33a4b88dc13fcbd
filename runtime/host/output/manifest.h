// SPDX-License-Identifier: Apache-2.0
// manifest.json: the origin of a run's numbers and their cost on the host. It is the only file that
// differs between equal runs. It also marks the folder as written by tahoma: `files` lists all files
// that tahoma wrote there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/param_choice.h"
#include "model/system/folding/classes.h"
#include "runtime/host/stage_time.h"

namespace tahoma::runtime {

// Identity and resource use of this process.
struct HostFacts {
  std::string version, commit;  // commit: of the checkout when the build was configured, "" if unknown
  std::string binary_sha256;    // of the running executable, "" if unreadable
  std::string host, system;     // node name; kernel and architecture
  std::uint64_t peak_rss_bytes = 0;
};
HostFacts host_facts();

struct RunCost {
  double wall_seconds = 0;        // the whole command up to writing this file
  double simulation_seconds = 0;  // inside Machine::run
  std::uint64_t instructions = 0;
  std::vector<StageTime> stages;
};

struct Manifest {
  HostFacts host;
  RunCost cost;
  std::vector<std::string> command_line;
  std::uint64_t seed = 0;
  std::string golden;                  // the outcome of the golden check: not_checked, passed or failed
  std::string config_sha256;           // of config.resolved.yaml
  model::Folding folding;              // which chips were simulated for which others
  std::vector<std::string> files;      // manifest.json included
  std::vector<std::string> on_demand;  // what `tahoma export` can add to them
};

// The commands that write a folder.
enum class ManifestCommand : std::uint8_t { kRun, kCheck, kServe, kModel, kCluster, kChakra };
inline constexpr base::Named<ManifestCommand> kManifestCommands[] = {
    {ManifestCommand::kRun, "tahoma run"},         {ManifestCommand::kCheck, "tahoma check"},
    {ManifestCommand::kServe, "tahoma serve"},     {ManifestCommand::kModel, "tahoma model"},
    {ManifestCommand::kCluster, "tahoma cluster"}, {ManifestCommand::kChakra, "tahoma chakra"}};

// The manifest of a command that has no single configuration: a check or a model has many, a server no
// machine.
struct CommandManifest {
  HostFacts host;
  std::vector<std::string> command_line;
  double wall_seconds = 0;
  std::vector<std::string> files;  // manifest.json included
  ManifestCommand command = ManifestCommand::kCheck;
};

std::string manifest_json(const Manifest& manifest);
std::string manifest_json(const CommandManifest& manifest);

// The files that a manifest lists, those on demand included; empty if `text` is not a manifest of tahoma.
std::vector<std::string> files_of_manifest(const std::string& text);

}  // namespace tahoma::runtime
