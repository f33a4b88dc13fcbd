// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/layer_pattern.h"

#include <algorithm>

#include "studies/model/config/families.h"

namespace tahoma::runtime {

namespace {

using Json = nlohmann::ordered_json;

double number(std::uint64_t n) { return static_cast<double>(n); }

// Every n-th layer of a list has full attention; 0: none has.
std::uint64_t global_every(const ConfigReader& in, const ModelConfig& c) {
  const Json& types = in.json["layer_types"];
  const char* local = c.family->delta ? "linear_attention" : "sliding_attention";
  for (const Json& type : types)
    if (type != "full_attention" && type != local)
      throw base::UserError("E-HFC-005", in.place("layer_types"),
                            fmt::format("asks for layers of the type {}, which the kernels lack; expected "
                                        "full_attention or {}",
                                        brief_json(type), local));
  const auto full = std::find(types.begin(), types.end(), "full_attention");
  const auto every = static_cast<std::uint64_t>(full - types.begin()) + 1;
  for (std::uint64_t l = 0; l < types.size(); ++l)
    if ((types[l] == "full_attention") != ((l + 1) % every == 0))
      throw base::UserError(
          "E-HFC-005", in.place("layer_types"),
          fmt::format("asks for {} in layer {}; expected full_attention in every {}th layer only",
                      brief_json(types[l]), l, every));
  if (types.size() != c.layers)
    throw base::UserError("E-HFC-006", in.place("layer_types"),
                          fmt::format("expected the types of {} layers, got {}", c.layers, types.size()));
  return full == types.end() ? 0 : every;
}

// Returns the architecture's pattern, for a file that does not list the layers.
std::uint64_t usual_pattern(const ConfigReader& in, const ModelConfig& c) {
  for (const char* key : {"sliding_window_pattern", "_sliding_window_pattern", "no_rope_layer_interval",
                          "full_attention_interval"}) {
    if (c.family->pattern == 0 || !in.has(key)) continue;
    if (!in.json[key].is_string()) return in.count(key, 1, 1000);
    const std::string layers = in.text(key);  // "LLLG": local ones, and a global one
    if (layers.empty() || layers.find_first_not_of('L') != layers.size() - 1 || layers.back() != 'G')
      in.refuse(key, "L for local layers, then G for a global one, such as LLLG");
    return layers.size();
  }
  return c.family->pattern;
}

// A 0 for each layer without rotary embedding.
void check_unrotated(const ConfigReader& in, const ModelConfig& c) {
  if (!in.has("no_rope_layers") || !in.json["no_rope_layers"].is_array() || in.json["no_rope_layers"].empty())
    return;
  const Json& turned = in.json["no_rope_layers"];
  for (std::uint64_t l = 0; l < turned.size(); ++l)
    if (turned.size() != c.layers || (turned[l] == 0) != ((l + 1) % c.global_every == 0))
      throw base::UserError(
          "E-HFC-005", in.place("no_rope_layers"),
          fmt::format(
              "asks for layers without rotary embedding in another order; expected a 0 for every {}th of "
              "{} layers, and 1 for the others",
              c.global_every, c.layers));
}

// Qwen's layers below max_window_layers see everything.
void read_optional_window(const ConfigReader& in, ModelConfig& c) {
  if (!in.flag("use_sliding_window", false)) {
    c.window = 0;
    return;
  }
  const std::uint64_t full = in.has("max_window_layers") ? in.count("max_window_layers", 0, 1000) : 28;
  if (full >= c.layers) c.window = 0;
  c.irregular_window = full > 0;
}

}  // namespace

void read_layer_pattern(const ConfigReader& in, ModelConfig& c) {
  if (c.family->window && in.has("sliding_window"))
    c.window = in.count("sliding_window", 1, std::uint64_t{1} << 32);
  if (!in.flag("use_sliding_window", true)) c.window = 0;
  const bool listed = in.has("layer_types");
  if (listed && !in.json["layer_types"].is_array()) in.refuse("layer_types", "a list of the layers' types");
  c.global_every =
      listed && (c.family->window || c.family->delta) ? global_every(in, c) : usual_pattern(in, c);
  // Without local layers all have the rotary embedding.
  c.unrotated = !c.family->global_rope && c.global_every > 0 && (c.window > 0 || !c.family->window);
  if (c.unrotated) check_unrotated(in, c);
  if (c.family->optional_window && !listed) read_optional_window(in, c);
}

std::uint64_t layers_of_attention(const ModelConfig& c) {
  if (!c.sublayers) return c.global_every == 0 ? 0 : c.layers / c.global_every;
  return static_cast<std::uint64_t>(std::count(c.sublayers.text.begin(), c.sublayers.text.end(), '*'));
}

LayerKinds layer_kinds(const ModelConfig& c, std::uint64_t tokens) {
  const bool alike = !c.unrotated && c.delta.value_heads == 0;
  if (alike && (c.window == 0 || tokens <= c.window)) return {0, c.layers};
  const std::uint64_t global = layers_of_attention(c);
  return {c.layers - global, global};
}

namespace {

// Distinguishes layers that are not alike.
struct LayerTraits {
  bool global, experts, feeds;
  bool operator==(const LayerTraits&) const = default;
};

LayerTraits traits_of(const ModelConfig& c, std::uint64_t tokens, std::uint64_t layer) {
  if (c.sublayers) return {!c.sublayers.of(layer).state, c.has_experts(layer), c.has_feed_forward(layer)};
  const bool global =
      layer_kinds(c, tokens).mixed() && c.global_every > 0 && (layer + 1) % c.global_every == 0;
  return {global, c.has_experts(layer), true};
}

}  // namespace

std::vector<LikeLayers> like_layers(const ModelConfig& c, std::uint64_t tokens) {
  std::vector<LikeLayers> kinds;
  for (std::uint64_t l = 0; l < c.layers; ++l) {
    const auto like = std::find_if(kinds.begin(), kinds.end(), [&](const LikeLayers& kind) {
      return traits_of(c, tokens, kind.first) == traits_of(c, tokens, l);
    });
    if (like == kinds.end())
      kinds.push_back({l, 1});
    else
      ++like->count;
  }
  return kinds;
}

UnlikeLayers unlike_layers(const ModelConfig& c, std::uint64_t tokens) {
  const std::vector<LikeLayers> kinds = like_layers(c, tokens);
  const auto kind_of = [&](std::uint64_t layer) {
    const auto like = std::find_if(kinds.begin(), kinds.end(), [&](const LikeLayers& kind) {
      return traits_of(c, tokens, kind.first) == traits_of(c, tokens, layer);
    });
    return static_cast<std::size_t>(like - kinds.begin());
  };
  std::uint64_t l = 0;
  while (l + 2 < c.layers && kind_of(l) == kind_of(l + 1)) ++l;
  return {l, kind_of(l), kind_of(l + 1)};
}

double pairs_of_layers(const ModelConfig& c, std::uint64_t before, std::uint64_t queries) {
  const auto pairs = [&](std::uint64_t most) {
    // The first `growing` queries see one key more than the one before, the others `most`.
    const std::uint64_t growing = std::min(queries, most > before ? most - before : 0);
    return number(growing) * number(before) + number(growing) * number(growing + 1) / 2 +
           number(queries - growing) * number(most);
  };
  const LayerKinds kinds = layer_kinds(c, before + queries);
  const std::uint64_t all = before + queries, local = c.window == 0 ? all : std::min(c.window, all);
  const double of_local = c.delta.value_heads > 0 ? 0 : number(kinds.local) * pairs(local);
  return of_local + number(kinds.global) * pairs(all);
}

}  // namespace tahoma::runtime
