// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/config_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/config/config_keys.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kTextParts[] = {"text_config", "llm_config", "language_config"};
constexpr const char* kOfWhole[] = {"tie_word_embeddings", "dtype", "torch_dtype", "quantization_config"};

// Keys in objects that are no model of their own (DBRX).
void lift_keys(Json& values, std::vector<std::string>& keys) {
  for (const char* group : {"attn_config", "ffn_config"}) {
    if (!values.contains(group) || !values[group].is_object()) continue;
    const Json inner = values[group];
    for (const auto& [key, value] : inner.items()) {
      keys.push_back(key);
      if (!values.contains(key)) values[key] = value;
    }
  }
}

void rename_keys(Json& values) {
  for (const auto& [old, name] : old_names())
    if (values.contains(old) && !values.contains(name)) values[name] = values[old];
}

bool is_part(const std::string& key, const Json& value) {
  return value.is_object() && (key.ends_with("_config") || key.ends_with("_tower")) &&
         key != "quantization_config" && key != "attn_config" && key != "ffn_config" &&
         std::count(std::begin(kTextParts), std::end(kTextParts), key) == 0;
}

// How the weights of a checkpoint may be stored. Products take bf16 or fp8, so that --dtype decides.
struct Quantisation {
  const char *method, *what;
};
constexpr Quantisation kMethods[] = {{"fp8", "8-bit floats with scales for blocks"},
                                     {"fbgemm_fp8", "8-bit floats with scales for rows"},
                                     {"modelopt", "8-bit or 4-bit floats with scales"},
                                     {"mxfp4", "4-bit floats with a scale for every 32"},
                                     {"compressed-tensors", "8-bit or 4-bit numbers with scales"},
                                     {"awq", "4-bit numbers with scales for groups"},
                                     {"gptq", "4-bit or 8-bit numbers with scales for groups"},
                                     {"bitsandbytes", "4-bit or 8-bit numbers with scales for blocks"},
                                     {"torchao", "8-bit or 4-bit numbers with scales"}};

}  // namespace

ConfigSource text_part(const Json& file) {
  for (const char* part : kTextParts) {
    if (!file.contains(part) || !file[part].is_object()) continue;
    ConfigSource source{file[part], std::string(part) + ":", {}, {}};
    for (const auto& item : source.values.items()) source.keys.push_back(item.key());
    for (const char* key : kOfWhole)
      if (file.contains(key) && !source.values.contains(key)) source.values[key] = file[key];
    if (file.contains("architectures")) source.values["architectures"] = file["architectures"];
    lift_keys(source.values, source.keys);
    rename_keys(source.values);
    for (const auto& [key, value] : file.items())
      if (is_part(key, value)) source.left_out.push_back(key);
    return source;
  }
  ConfigSource source{file, "", {}, {}};
  for (const auto& item : file.items()) source.keys.push_back(item.key());
  lift_keys(source.values, source.keys);
  rename_keys(source.values);
  return source;
}

void add_defaults(ConfigSource& source, const ModelFamily& family) {
  const Json defaults = Json::parse(family.defaults);
  for (const auto& [key, value] : defaults.items())
    if (!source.values.contains(key)) source.values[key] = value;
  Json& ffn = source.values["intermediate_size"];
  const auto hidden = source.values.find("hidden_size");
  if (ffn.is_null() && family.ffn_times > 0 && hidden != source.values.end() && hidden->is_number_unsigned())
    ffn = family.ffn_times * hidden->get<std::uint64_t>();
}

std::string quantisation(const Json& block, const std::string& place) {
  const bool named = block.is_object() && block.contains("quant_method") && block["quant_method"].is_string();
  if (!named && (!block.is_object() || !block.contains("config_groups")))
    throw base::UserError("E-HFC-003", place,
                          fmt::format("expected an object with quant_method, got {}", brief_json(block)));
  // Groups without a method are those of compressed-tensors.
  const std::string method = named ? block["quant_method"].get<std::string>() : "compressed-tensors";
  std::vector<std::string> known;
  for (const Quantisation& one : kMethods) {
    if (one.method == method)
      return fmt::format("scales of the weights ({}: {}); weights have the type of --dtype", method,
                         one.what);
    known.emplace_back(one.method);
  }
  throw base::UserError("E-HFC-005", place,
                        fmt::format("unknown quantisation '{}'{}; expected {}", method,
                                    base::did_you_mean(method, known), fmt::join(known, ", ")));
}

}  // namespace tahoma::runtime
