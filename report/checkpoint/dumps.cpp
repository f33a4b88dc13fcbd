// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa/table/table_names.h"
#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kIndex = "index.json", *kFolder = "dumps", *kSuffix = ".npy";
constexpr int kSchemaVersion = 1;
constexpr std::array<const char*, 3> kKinds{"result", "tile", "tensor"};

Json json_of(const Checkpoint& c) {
  Json json = Json::object();
  json["name"] = c.name;
  json["file"] = c.name + kSuffix;
  json["kind"] = kKinds.at(static_cast<std::size_t>(c.kind));
  json["core"] = c.core;
  json["instance"] = c.instance;
  json["memory"] = c.memory;
  json["tile"] = c.tile;
  json["region"] = c.region;
  json["time_ns"] = c.time.ns();
  json["dtype"] = isa::name_of(c.dtype);
  json["shape"] = c.shape;
  if (!c.instruction) return json;
  json["instruction"] = {{"queue", isa::name_of(c.instruction->queue)},
                         {"index", c.instruction->index},
                         {"occurrence", c.instruction->occurrence},
                         {"text", c.instruction->text}};
  return json;
}

template <class Enum>
Enum enumerator(const Json& json) {
  const auto found = isa::from_name<Enum>(json.get<std::string>());
  if (!found) throw std::out_of_range("'" + json.get<std::string>() + "' is not a known name");
  return *found;
}

Checkpoint from_json(const Json& json) {
  Checkpoint c;
  c.name = json.at("name");
  const auto kind = std::find(kKinds.begin(), kKinds.end(), json.at("kind").get<std::string>());
  if (kind == kKinds.end()) throw std::out_of_range("unknown kind of checkpoint");
  c.kind = static_cast<Checkpoint::Kind>(kind - kKinds.begin());
  c.core = json.at("core");
  c.instance = json.at("instance");
  c.memory = json.at("memory");
  c.tile = json.at("tile");
  c.region = json.at("region");
  c.time.fs = std::llround(json.at("time_ns").get<double>() * 1e6);
  c.dtype = enumerator<isa::DType>(json.at("dtype"));
  c.shape = json.at("shape").get<std::vector<std::uint64_t>>();
  if (!json.contains("instruction")) return c;
  const Json& i = json.at("instruction");
  c.instruction = Checkpoint::Executed{enumerator<isa::Queue>(i.at("queue")), i.at("index"),
                                       i.at("occurrence"), i.at("text")};
  return c;
}

Dumps read_index(const fs::path& folder) {
  const std::string place = (folder / kIndex).string();
  Dumps dumps{folder.string(), true, {}, {}};
  try {
    Json json;
    if (const auto fault = fault_of_json(read_file(place), json))
      throw base::UserError("E-CKP-007", place, "not an index of dumps: " + *fault);
    dumps.requests = json.at("requests").get<std::vector<std::string>>();
    for (const Json& checkpoint : json.at("checkpoints")) dumps.checkpoints.push_back(from_json(checkpoint));
  } catch (const Json::exception& error) {
    throw base::UserError("E-CKP-007", place, fmt::format("not an index of dumps: {}", error.what()));
  } catch (const std::out_of_range& error) {
    throw base::UserError("E-CKP-007", place, fmt::format("not an index of dumps: {}", error.what()));
  }
  for (const Checkpoint& c : dumps.checkpoints)
    if (!fs::exists(folder / (c.name + kSuffix)))
      throw base::UserError("E-CKP-007", place,
                            fmt::format("lists {}{}, which is not in the folder", c.name, kSuffix));
  return dumps;
}

Dumps read_names(const fs::path& folder) {
  Dumps dumps{folder.string(), false, {}, {}};
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == kSuffix) dumps.requests.push_back(entry.path().stem().string());
  std::sort(dumps.requests.begin(), dumps.requests.end());
  for (const std::string& name : dumps.requests) dumps.checkpoints.emplace_back().name = name;
  return dumps;
}

}  // namespace

void DumpWriter::write(Checkpoint c) {
  write_npy((fs::path(folder_) / (c.name + kSuffix)).string(), to_npy(c.dtype, c.shape, c.values));
  c.values = {};
  written_.push_back(std::move(c));
}

void DumpWriter::finish(const std::vector<std::string>& requests) {
  std::stable_sort(written_.begin(), written_.end(),
                   [](const Checkpoint& a, const Checkpoint& b) { return a.order() < b.order(); });
  Json json = Json::object();
  json["schema_version"] = kSchemaVersion;
  json["requests"] = requests;
  json["checkpoints"] = Json::array();
  for (const Checkpoint& c : written_) json["checkpoints"].push_back(json_of(c));
  write_file((fs::path(folder_) / kIndex).string(), dump_json(json, 1) + "\n");
}

NpyArray Dumps::values(const std::string& name) const {
  return read_npy((fs::path(folder) / (name + kSuffix)).string());
}

Dumps read_dumps(const std::string& path) {
  std::error_code ignored;
  for (const fs::path& folder : {fs::path(path) / kFolder, fs::path(path)})
    if (fs::exists(folder / kIndex, ignored)) return read_index(folder);
  const bool exists = fs::is_directory(path, ignored);
  Dumps dumps = exists ? read_names(path) : Dumps{};
  if (dumps.requests.empty())
    throw base::UserError("E-CKP-006", path,
                          exists
                              ? "contains no dumps: expected index.json of tahoma run --dump, or .npy files"
                              : "no such folder: expected one written by tahoma run --dump");
  return dumps;
}

}  // namespace tahoma::runtime
