// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/manifest.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "runtime/report/sha256.h"
#include "runtime/report/version.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {
constexpr const char* kProgram = "tahoma run";
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

std::string manifest_json(const Manifest& m) {
  const double seconds = m.cost.simulation_seconds;
  Json json;
  json["program"] = kProgram;
  json["version"] = m.host.version;
  json["commit"] = m.host.commit;
  json["binary_sha256"] = m.host.binary_sha256;
  json["config_sha256"] = m.config_sha256;
  json["seed"] = m.seed;
  json["command_line"] = m.command_line;
  json["host"] = {{"name", m.host.host}, {"system", m.host.system}};
  json["wall_seconds"] = m.cost.wall_seconds;
  json["simulation_seconds"] = seconds;
  json["instructions_per_second"] = seconds > 0 ? static_cast<double>(m.cost.instructions) / seconds : 0;
  json["peak_rss_bytes"] = m.host.peak_rss_bytes;
  json["files"] = m.files;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> files_of_manifest(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("program", Json()) != kProgram) return {};
  std::vector<std::string> files;
  for (const Json& file : json.value("files", Json::array()))
    if (file.is_string()) files.push_back(file.get<std::string>());
  return files;
}

}  // namespace tahoma::runtime
