// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/rope_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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
       {"factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "original_max_position_embeddings",
        "attention_factor", "truncate", "llama_4_scaling_beta"}},
      {RotaryScaling::kLong,
       {"factor", "short_factor", "long_factor", "attention_factor", "original_max_position_embeddings"}}};
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

// Of all features of a head, or a number of them.
void read_rotated(const ConfigReader& in, ModelConfig& c) {
  if (!in.has("partial_rotary_factor")) return;
  const double factor = in.real("partial_rotary_factor", 0, 1);
  if (!c.family->partial_rope && factor != 1)
    throw UserError(
        "E-HFC-005", in.place("partial_rotary_factor"),
        fmt::format("asks for a rotation of some features only, which the kernels lack; expected 1.0, got {}",
                    brief_json(in.json["partial_rotary_factor"])));
  c.rotated = factor == 1 ? 0 : static_cast<std::uint64_t>(factor * static_cast<double>(c.head_dim));
}

void check_rotated(const ConfigReader& in, ModelConfig& c) {
  if (c.rotated == c.head_dim) c.rotated = 0;
  if (c.rotated % 2 == 0 && c.rotated <= c.head_dim && (c.rotated == 0 || c.rotated >= kLeastHead)) return;
  throw UserError(
      "E-HFC-005", in.place(in.has("rotary_dim") ? "rotary_dim" : "partial_rotary_factor"),
      fmt::format("asks for a rotation of {} features of a head; expected an even number from {} to {}",
                  c.rotated, kLeastHead, c.head_dim));
}

void refuse_keys_of_others(const ConfigReader& in, RotaryScaling scaling, const std::string& type,
                           ModelConfig& c) {
  // Sections of positions in images and videos are the same for text.
  std::vector<std::string> known{
      "rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved"};
  known.insert(known.end(), keys_of(scaling).begin(), keys_of(scaling).end());
  if (type == "dynamic") known.emplace_back("factor");
  refuse_other_keys(in, known, fmt::format("the scaling '{}'", type));
  read_rotated(in, c);
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
  // Without images the positions of "mrope" are equal. "dynamic" differs beyond max_position_embeddings only.
  if (type == "default" || type == "mrope" || type == "dynamic" || type == "gptj")
    return RotaryScaling::kNone;
  if (type == "su") return RotaryScaling::kLong;  // an earlier name
  const auto row = std::find_if(std::begin(kRotaryScalings), std::end(kRotaryScalings), [&](const auto& one) {
    return one.value != RotaryScaling::kNone && one.name == type;
  });
  if (row == std::end(kRotaryScalings))
    throw UserError(
        "E-HFC-005", place,
        fmt::format("asks for the scaling '{}' of the rotary embedding, which the kernels lack; expected "
                    "default, dynamic, linear, llama3, longrope, mrope or yarn{}",
                    type, base::did_you_mean(type, {"default", "linear", "llama3", "longrope", "yarn"})));
  return row->value;
}

void read_llama3(const ConfigReader& in, ModelConfig& c) {
  c.rope_low_frequency_factor = in.real("low_freq_factor", 1e-3, 1e3);
  c.rope_high_frequency_factor = in.real("high_freq_factor", 1e-3, 1e3);
  c.rope_original_context = in.count("original_max_position_embeddings", 1, std::uint64_t{1} << 24);
  if (c.rope_high_frequency_factor < c.rope_low_frequency_factor)
    throw UserError("E-HFC-006", in.place("high_freq_factor"),
                    fmt::format("expected at least low_freq_factor, {:g}; got {:g}",
                                c.rope_low_frequency_factor, c.rope_high_frequency_factor));
}

std::vector<double> divisors(const ConfigReader& in, const char* key, const ModelConfig& c) {
  const std::uint64_t pairs = (c.rotated > 0 ? c.rotated : c.head_dim) / 2;
  const auto number = [](const Json& one) { return one.is_number() && one.get<double>() > 0; };
  if (!in.has(key) || !in.json[key].is_array() || in.json[key].size() != pairs ||
      !std::all_of(in.json[key].begin(), in.json[key].end(), number))
    in.refuse(key,
              fmt::format("a list of {} positive numbers, one for each pair of rotated features", pairs));
  return in.json[key].get<std::vector<double>>();
}

void read_longrope(const ConfigReader& in, const ConfigReader& file, ModelConfig& c) {
  c.rope_short = divisors(in, "short_factor", c);
  c.rope_long = divisors(in, "long_factor", c);
  const ConfigReader& owner = file.has("original_max_position_embeddings") ? file : in;
  c.rope_original_context = owner.count("original_max_position_embeddings", 1, std::uint64_t{1} << 24);
  const double context = static_cast<double>(c.rope_original_context),
               longer = in.has("factor") ? in.real("factor", 1, 1e4)
                                         : std::max(1.0, static_cast<double>(c.longest) / context),
               made = longer > 1 ? std::sqrt(1 + std::log(longer) / std::log(context)) : 1;
  c.rope_magnitude = in.has("attention_factor") ? in.real("attention_factor", 1e-3, 1e3) : made;
}

// `place` of the object is that of a refused scaling.
void read_scaling(const ConfigReader& in, const std::string& place, const ConfigReader& file,
                  ModelConfig& c) {
  if (in.has("rope_theta")) c.theta = in.real("rope_theta", 1, 1e9);
  const bool named = in.has("rope_type") || in.has("type") || !in.has("rope_theta");
  const std::string type = named ? type_in(in) : "default";
  c.rope_scaling = scaling_of(type, place);
  refuse_keys_of_others(in, c.rope_scaling, type, c);
  if (c.rope_scaling == RotaryScaling::kNone) return;
  if (c.rope_scaling == RotaryScaling::kLong) return read_longrope(in, file, c);
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
  refuse_keys_of_others(in, RotaryScaling::kNone, type, c);
  if (in.has("rope_theta")) c.local_theta = in.real("rope_theta", 1, 1e9);
}

// An object for each type of layer.
void read_types(const ConfigReader& in, const ConfigReader& file, ModelConfig& c) {
  constexpr const char *kFull = "full_attention", *kLocal = "sliding_attention";
  refuse_other_keys(in, {kFull, kLocal}, "an object with the types of layers");
  for (const char* type : {kFull, kLocal})
    if (in.has(type) && !in.json[type].is_object()) in.refuse(type, "an object");
  if (!in.has(kFull)) in.refuse(kFull, "an object");
  const std::string full = in.place(kFull), local = in.place(kLocal);
  if (in.has(kLocal)) read_local({local, in.json[kLocal]}, local, c);
  read_scaling({full, in.json[kFull]}, full, file, c);
}

}  // namespace

void read_rope(const ConfigReader& in, ModelConfig& c) {
  read_rotated(in, c);
  if (in.has("rotary_dim")) c.rotated = in.count("rotary_dim", 1, kMostHead);
  const char* key = in.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  if (in.has(key)) {
    if (!in.json[key].is_object()) in.refuse(key, "an object");
    if (in.has("rope_parameters") && in.has("rope_scaling") && in.json["rope_scaling"] != in.json[key])
      throw UserError("E-HFC-006", in.place("rope_scaling"),
                      "expected nothing beside rope_parameters, or the same value");
    const std::string place = in.place(key);
    const ConfigReader scaling{place, in.json[key]};
    if (c.family->local_rope && in.json[key].contains("full_attention"))
      read_types(scaling, in, c);
    else
      read_scaling(scaling, place, in, c);
  }
  check_rotated(in, c);
  if (c.family->plain_local && c.rope_scaling != RotaryScaling::kNone) c.local_theta = c.theta;
}

}  // namespace tahoma::runtime
