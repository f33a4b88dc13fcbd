// SPDX-License-Identifier: Apache-2.0
// Configurations that say more than the dimensions of a Llama: absent keys have the values of the
// architecture, the text part of a model that sees images is read, and so are YaRN and LongRoPE.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "studies/model/config/model_config.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using nlohmann::json;

namespace {

json llama() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", 4096},
          {"intermediate_size", 14336},
          {"num_hidden_layers", 32},
          {"num_attention_heads", 32},
          {"num_key_value_heads", 8},
          {"vocab_size", 128256},
          {"max_position_embeddings", 131072}};
}

json changed(json config, const std::string& key, const json& value) {
  config[key] = value;
  return config;
}
json without(json config, const std::string& key) {
  config.erase(key);
  return config;
}
json mistral() { return changed(llama(), "architectures", {"MistralForCausalLM"}); }

runtime::ModelConfig read(const json& config) {
  const tests::TempDir folder;
  return runtime::read_model_config(folder.write("config.json", config.dump()), {});
}

// "CODE KEY" of the refusal, or "accepted".
std::string verdict(const json& config) {
  try {
    read(config);
  } catch (const base::UserError& e) {
    return e.code + " " + e.place.substr(e.place.find(".json:") + 6);
  }
  return "accepted";
}

}  // namespace

TEST_CASE("model configuration: an absent key has the value of its architecture, not of Llama's",
          "[model_config]") {
  CHECK(read(without(mistral(), "num_key_value_heads")).kv_heads == 8);
  CHECK(read(mistral()).window == 4096);
  CHECK(read(changed(mistral(), "sliding_window", nullptr)).window == 0);
  json gemma = without(without(llama(), "num_key_value_heads"), "rope_theta");
  gemma["architectures"] = {"Gemma3ForCausalLM"};
  CHECK(read(gemma).kv_heads == 4);
  CHECK(read(gemma).head_dim == 256);
  CHECK(read(gemma).theta == 1e6);
}

TEST_CASE("model configuration: the text model of one that also sees images is read", "[model_config]") {
  json text = without(llama(), "architectures");
  const json config{{"architectures", {"Qwen3VLForConditionalGeneration"}},
                    {"text_config", text},
                    {"tie_word_embeddings", true},
                    {"vision_config", {{"depth", 27}}}};
  const runtime::ModelConfig c = read(config);
  CHECK(c.hidden == 4096);
  CHECK(c.tied);
  CHECK(c.left_out == std::vector<std::string>{"vision_config"});
  json typo = config;
  typo["text_config"]["hiden_size"] = 1;
  CHECK(verdict(typo) == "E-HFC-004 text_config:hiden_size");
  typo = config;
  typo["text_config"].erase("hidden_size");
  CHECK(verdict(typo) == "E-HFC-003 text_config:hidden_size");
}

TEST_CASE("model configuration: YaRN and LongRoPE are read, with a factor of cosines and sines",
          "[model_config]") {
  const json yarn{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32768}};
  const runtime::ModelConfig c = read(changed(llama(), "rope_scaling", yarn));
  CHECK(c.rope_scaling == runtime::RotaryScaling::kYarn);
  // Cosines and sines have the factor 0.1 log(factor) + 1.
  CHECK(c.rope_magnitude == Approx(0.1 * std::log(4.0) + 1));
  CHECK(read(changed(llama(), "rope_scaling", changed(yarn, "attention_factor", 1.0))).rope_magnitude == 1);
  json phi = changed(changed(llama(), "architectures", {"Phi3ForCausalLM"}),
                     "original_max_position_embeddings", 4096);
  const json lists{{"type", "longrope"},
                   {"short_factor", std::vector<double>(64, 1.5)},
                   {"long_factor", std::vector<double>(64, 30.0)}};
  const runtime::ModelConfig p = read(changed(phi, "rope_scaling", lists));
  CHECK(p.rope_short.size() == 64);
  CHECK(p.rope_magnitude == Approx(std::sqrt(1 + std::log(32.0) / std::log(4096.0))));
  CHECK(verdict(changed(phi, "rope_scaling", changed(lists, "long_factor", {1.0}))) ==
        "E-HFC-003 rope_scaling:long_factor");
  phi["partial_rotary_factor"] = 0.5;
  CHECK(read(phi).rotated == 64);
  CHECK(verdict(changed(llama(), "partial_rotary_factor", 0.5)) == "E-HFC-005 partial_rotary_factor");
}
