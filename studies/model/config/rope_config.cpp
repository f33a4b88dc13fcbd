// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/rope_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "studies/model/config/deepseek_config.h"
#include "studies/model/config/families.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

// The keys of each scaling; kNone: "default".
struct ScalingKeys {
  RotaryScaling scaling;
  std::vector<std::string> keys;
};
const std::vector<std::string>& keys_of(RotaryScaling scaling) {
  static const ScalingKeys kKeys[] = {
      {RotaryScaling::kNone, {}},
      {RotaryScaling::kLinear, {"factor"}},
      {RotaryScaling::kLlama3,
       {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}},
      {RotaryScaling::kYarn,
       {"factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "original_max_position_embeddings"}}};
  return std::find_if(std::begin(kKeys), std::end(kKeys),
                      [&](const auto& row) { return row.scaling == scaling; })
      ->keys;
}

void refuse_other_keys(const ConfigReader& in, const std::vector<std::string>& known, const std::string& of) {
  for (const auto& [key, value] : in.json.items())
    if (!value.is_null() && std::find(known.begin(), known.end(), key) == known.end())
      throw UserError("E-HFC-004", in.place(key),
                      fmt::format("unknown key of {}{}; expected {}", of, base::did_you_mean(key, known),
                                  fmt::join(known, ", ")));
}

void refuse_keys_of_others(const ConfigReader& in, RotaryScaling scaling, const std::string& type) {
  std::vector<std::string> known{"rope_type", "type", "rope_theta", "partial_rotary_factor"};
  known.insert(known.end(), keys_of(scaling).begin(), keys_of(scaling).end());
  refuse_other_keys(in, known, fmt::format("the scaling '{}'", type));
  if (in.has("partial_rotary_factor") && in.real("partial_rotary_factor", 0, 1) != 1)
    throw UserError(
        "E-HFC-005", in.place("partial_rotary_factor"),
        fmt::format("asks for a rotation of some features only, which the kernels lack; expected 1.0, got {}",
                    brief_json(in.json["partial_rotary_factor"])));
}

// Older files say type, newer ones rope_type, some both.
std::string type_in(const ConfigReader& in) {
  if (!in.has("rope_type")) return in.text("type");
  std::string type = in.text("rope_type");
  if (in.has("type") && in.text("type") != type)
    throw UserError("E-HFC-006", in.place("type"),
                    fmt::format("expected the rope_type, {}; got {}", type, in.text("type")));
  return type;
}

RotaryScaling scaling_of(const std::string& type, const std::string& place) {
  if (type == "default") return RotaryScaling::kNone;
  const auto row = std::find_if(std::begin(kRotaryScalings), std::end(kRotaryScalings), [&](const auto& one) {
    return one.value != RotaryScaling::kNone && one.name == type;
  });
  if (row == std::end(kRotaryScalings))
    throw UserError(
        "E-HFC-005", place,
        fmt::format("asks for the scaling '{}' of the rotary embedding, which the kernels lack; expected "
                    "default, linear, llama3 or yarn{}",
                    type, base::did_you_mean(type, {"default", "linear", "llama3", "yarn"})));
  return row->value;
}

void read_llama3(const ConfigReader& in, ModelConfig& c) {
  c.rope_low_frequency_factor = in.real("low_freq_factor", 1e-3, 1e3);
  c.rope_high_frequency_factor = in.real("high_freq_factor", 1e-3, 1e3);
  c.rope_original_context = in.count("original_max_position_embeddings", 1, std::uint64_t{1} << 24);
  if (c.rope_high_frequency_factor <= c.rope_low_frequency_factor)
    throw UserError("E-HFC-006", in.place("high_freq_factor"),
                    fmt::format("expected more than low_freq_factor, {:g}; got {:g}",
                                c.rope_low_frequency_factor, c.rope_high_frequency_factor));
}

// `place` of the object is that of a refused scaling.
void read_scaling(const ConfigReader& in, const std::string& place, ModelConfig& c) {
  if (in.has("rope_theta")) c.theta = in.real("rope_theta", 1, 1e9);
  const std::string type = type_in(in);
  c.rope_scaling = scaling_of(type, place);
  if (c.rope_scaling == RotaryScaling::kYarn && !c.family->latent)
    throw UserError(
        "E-HFC-005", place,
        "asks for the scaling 'yarn' of the rotary embedding, whose factor of the rotated features the "
        "kernels lack; expected default, linear or llama3");
  refuse_keys_of_others(in, c.rope_scaling, type);
  if (c.rope_scaling == RotaryScaling::kNone) return;
  c.rope_factor = in.real("factor", 1, 1e4);
  if (c.rope_scaling == RotaryScaling::kYarn) read_yarn(in, c);
  if (c.rope_scaling == RotaryScaling::kLlama3) read_llama3(in, c);
}

// Local layers have a base of their own, and no scaling.
void read_local(const ConfigReader& in, const std::string& place, ModelConfig& c) {
  const std::string type = in.has("rope_type") || in.has("type") ? type_in(in) : "default";
  if (scaling_of(type, place) != RotaryScaling::kNone)
    throw UserError(
        "E-HFC-005", place,
        fmt::format("asks for the scaling '{}' in local layers, which the kernels lack; expected default",
                    type));
  refuse_keys_of_others(in, RotaryScaling::kNone, type);
  if (in.has("rope_theta")) c.local_theta = in.real("rope_theta", 1, 1e9);
}

// An object for each type of layer.
void read_types(const ConfigReader& in, ModelConfig& c) {
  constexpr const char *kFull = "full_attention", *kLocal = "sliding_attention";
  refuse_other_keys(in, {kFull, kLocal}, "an object with the types of layers");
  for (const char* type : {kFull, kLocal})
    if (in.has(type) && !in.json[type].is_object()) in.refuse(type, "an object");
  if (!in.has(kFull)) in.refuse(kFull, "an object");
  const std::string full = in.place(kFull), local = in.place(kLocal);
  if (in.has(kLocal)) read_local({local, in.json[kLocal]}, local, c);
  read_scaling({full, in.json[kFull]}, full, c);
}

}  // namespace

void read_rope(const ConfigReader& in, ModelConfig& c) {
  const char* key = in.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  if (!in.has(key)) return;
  if (!in.json[key].is_object()) in.refuse(key, "an object");
  if (in.has("rope_parameters") && in.has("rope_scaling") && in.json["rope_scaling"] != in.json[key])
    throw UserError("E-HFC-006", in.place("rope_scaling"),
                    "expected nothing beside rope_parameters, or the same value");
  const std::string place = in.place(key);
  const ConfigReader scaling{place, in.json[key]};
  if (c.family->local_rope && in.json[key].contains("full_attention"))
    read_types(scaling, c);
  else
    read_scaling(scaling, place, c);
}

}  // namespace tahoma::runtime
