// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/attempt.h"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/host/json/json_text.h"
#include "studies/batch/atomic_files.h"

namespace tahoma::runtime {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::array<const char*, 5> kNames{"done", "refused", "out of time", "host", "folder"};

std::optional<Outcome> outcome_named(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Outcome>(i);
  return std::nullopt;
}

std::optional<Attempt> attempt_of(const Json& json) {
  const auto outcome = outcome_named(json.value("outcome", ""));
  if (!outcome) return std::nullopt;
  return Attempt{*outcome,
                 json.value("reason", ""),
                 json.value("executor", ""),
                 json.value("host", ""),
                 json.value("seconds", 0.0),
                 json.value("peak_bytes", std::uint64_t{0})};
}

}  // namespace

std::string name_of(Outcome outcome) { return kNames.at(static_cast<std::size_t>(outcome)); }

std::optional<SweepPointResult> read_result(const std::filesystem::path& folder) {
  std::ifstream file(folder / "result.json");
  if (!file) return std::nullopt;
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("attempts") || !json["attempts"].is_array()) return std::nullopt;
  SweepPointResult result;
  for (const Json& one : json["attempts"]) {
    const auto attempt = attempt_of(one);
    if (!attempt) return std::nullopt;
    result.attempts.push_back(*attempt);
  }
  if (result.attempts.empty()) return std::nullopt;
  return result;
}

void write_result(const std::filesystem::path& folder, const SweepPointResult& result) {
  Json attempts = Json::array();
  for (const Attempt& a : result.attempts)
    attempts.push_back({{"outcome", name_of(a.outcome)},
                        {"reason", a.reason},
                        {"executor", a.executor},
                        {"host", a.host},
                        {"seconds", a.seconds},
                        {"peak_bytes", a.peak_bytes}});
  write_whole(folder / "result.json", dump_json(Json{{"attempts", attempts}}, 2) + "\n");
}

}  // namespace tahoma::runtime
