// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/output/manifest.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/host/json/json_text.h"
#include "runtime/host/output/version.h"
#include "runtime/host/sha256.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {
constexpr std::uint64_t kRssUnit = 1024;  // getrusage counts KiB on Linux
}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  facts.version = version();
  facts.commit = commit();
  facts.binary_sha256 = sha256_of_file("/proc/self/exe");
  utsname name{};
  if (uname(&name) == 0) {
    facts.host = name.nodename;
    facts.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    facts.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kRssUnit;
  return facts;
}

namespace {

// Returns the common first part of every manifest.
Json opening(ManifestCommand command, const HostFacts& host) {
  Json json = Json::object();
  json["program"] = base::name_in(kManifestCommands, command);
  json["version"] = host.version;
  json["commit"] = host.commit;
  json["binary_sha256"] = host.binary_sha256;
  return json;
}

// The classes of equal chips, each by the chip that was simulated.
Json folding_json(const model::Folding& folding) {
  std::map<std::uint32_t, Json> members;
  for (std::uint32_t chip = 0; chip < folding.representative.size(); ++chip)
    members[folding.representative[chip]].push_back(chip);
  Json classes = Json::array();
  for (auto& [chip, chips] : members)
    classes.push_back({{"simulated_chip", chip}, {"chips", std::move(chips)}});
  Json json{{"chips", folding.representative.size()},
            {"simulated", members.size()},
            {"classes", std::move(classes)}};
  if (!folding.reason.empty()) json["reason"] = folding.reason;
  return json;
}

Json stages_json(const std::vector<StageTime>& stages) {
  Json json = Json::array();
  for (const StageTime& stage : stages)
    json.push_back({{"stage", stage.what},
                    {"wall_seconds", stage.wall_seconds},
                    {"processor_seconds", stage.processor_seconds}});
  return json;
}

std::string text_of(const Json& json) { return dump_json(json, 2) + "\n"; }

}  // namespace

std::string manifest_json(const Manifest& m) {
  const double seconds = m.cost.simulation_seconds;
  Json json = opening(ManifestCommand::kRun, m.host);
  json["config_sha256"] = m.config_sha256;
  json["seed"] = m.seed;
  json["golden"] = m.golden;
  json["command_line"] = m.command_line;
  json["host"] = {{"name", m.host.host}, {"system", m.host.system}};
  json["wall_seconds"] = m.cost.wall_seconds;
  json["simulation_seconds"] = seconds;
  json["instructions_per_second"] = seconds > 0 ? static_cast<double>(m.cost.instructions) / seconds : 0;
  json["stages"] = stages_json(m.cost.stages);
  json["peak_rss_bytes"] = m.host.peak_rss_bytes;
  json["folding"] = folding_json(m.folding);
  json["files"] = m.files;
  json["on_demand"] = m.on_demand;
  return text_of(json);
}

std::string manifest_json(const CommandManifest& m) {
  Json json = opening(m.command, m.host);
  json["command_line"] = m.command_line;
  json["host"] = {{"name", m.host.host}, {"system", m.host.system}};
  json["wall_seconds"] = m.wall_seconds;
  json["files"] = m.files;
  return text_of(json);
}

std::vector<std::string> files_of_manifest(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  const Json program = json.value("program", Json());
  if (std::none_of(std::begin(kManifestCommands), std::end(kManifestCommands),
                   [&](const auto& command) { return program == command.name; }))
    return {};
  std::vector<std::string> files;
  for (const char* list : {"files", "on_demand"})
    for (const Json& file : json.value(list, Json::array()))
      if (file.is_string()) files.push_back(file.get<std::string>());
  return files;
}

}  // namespace tahoma::runtime
