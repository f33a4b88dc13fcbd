// SPDX-License-Identifier: Apache-2.0
// Configurations of DeepSeek-V2: what is read, what is refused at its key, and that scaled layers of both
// kinds cost what executed ones cost.
#include <catch2/catch.hpp>
#include <cmath>

#include "model/base/error.h"
#include "studies/model/config/families.h"
#include "studies/model/config/model_config.h"
#include "tests/support/program/model_study.h"

using namespace tahoma;
using nlohmann::json;

namespace {

// Every key of the published file that matters to inference, and the others that it has.
json lite() {
  return {{"architectures", {"DeepseekV2ForCausalLM"}},
          {"attention_bias", false},
          {"aux_loss_alpha", 0.001},
          {"first_k_dense_replace", 1},
          {"hidden_act", "silu"},
          {"hidden_size", 2048},
          {"intermediate_size", 10944},
          {"kv_lora_rank", 512},
          {"max_position_embeddings", 163840},
          {"model_type", "deepseek_v2"},
          {"moe_intermediate_size", 1408},
          {"moe_layer_freq", 1},
          {"n_group", 1},
          {"n_routed_experts", 64},
          {"n_shared_experts", 2},
          {"norm_topk_prob", false},
          {"num_attention_heads", 16},
          {"num_experts_per_tok", 6},
          {"num_hidden_layers", 27},
          {"num_key_value_heads", 16},
          {"pretraining_tp", 1},
          {"q_lora_rank", nullptr},
          {"qk_nope_head_dim", 128},
          {"qk_rope_head_dim", 64},
          {"rms_norm_eps", 1e-06},
          {"rope_scaling",
           {{"beta_fast", 32},
            {"beta_slow", 1},
            {"factor", 40},
            {"mscale", 0.707},
            {"mscale_all_dim", 0.707},
            {"original_max_position_embeddings", 4096},
            {"type", "yarn"}}},
          {"rope_theta", 10000},
          {"routed_scaling_factor", 1.0},
          {"scoring_func", "softmax"},
          {"seq_aux", true},
          {"tie_word_embeddings", false},
          {"topk_group", 1},
          {"topk_method", "greedy"},
          {"v_head_dim", 128},
          {"vocab_size", 102400}};
}

json with_key(json config, const std::string& key, const json& value) {
  if (value.is_discarded())
    config.erase(key);
  else
    config[key] = value;
  return config;
}

runtime::ModelConfig read_config(const json& config) {
  const tests::TempDir folder;
  return runtime::read_model_config(folder.write("config.json", config.dump()), {});
}

// "CODE KEY" of the refusal, or "accepted".
std::string verdict(const json& config) {
  try {
    read_config(config);
  } catch (const base::UserError& e) {
    return e.code + " " + e.place.substr(e.place.find(".json:") + 6);
  }
  return "accepted";
}

// Five layers, two of them without experts.
json small() {
  json config = lite();
  config.update({{"hidden_size", 256},
                 {"intermediate_size", 512},
                 {"moe_intermediate_size", 128},
                 {"num_hidden_layers", 5},
                 {"num_attention_heads", 8},
                 {"num_key_value_heads", 8},
                 {"n_routed_experts", 8},
                 {"num_experts_per_tok", 2},
                 {"first_k_dense_replace", 2},
                 {"kv_lora_rank", 64},
                 {"qk_nope_head_dim", 32},
                 {"qk_rope_head_dim", 16},
                 {"v_head_dim", 32},
                 {"vocab_size", 1000}});
  return config;
}

}  // namespace

TEST_CASE("DeepSeek configuration: dimensions of DeepSeek-V2-Lite", "[model_config]") {
  const runtime::ModelConfig c = read_config(lite());
  CHECK(c.heads == 16);
  CHECK(c.kv_heads == 16);
  CHECK(c.head_dim == 192);
  CHECK(c.latent.kv_rank == 512);
  CHECK(c.latent.q_rank == 0);
  CHECK(c.latent.nope == 128);
  CHECK(c.latent.rope == 64);
  CHECK(c.latent.values == 128);
  CHECK(c.experts == 64);
  CHECK(c.experts_per_token == 6);
  CHECK(c.ffn == 1408);
  CHECK(c.shared_ffn == 2816);
  CHECK(c.dense_layers == 1);
  CHECK(c.dense_ffn == 10944);
  CHECK(!c.normalised_gates);
  CHECK(c.rope_scaling == runtime::RotaryScaling::kYarn);
  // The published code multiplies the scores by the square of 0.1 mscale_all_dim log(factor) + 1.
  CHECK(c.score_factor == Approx(std::pow(0.1 * 0.707 * std::log(40.0) + 1, 2)));
  CHECK(c.cached_elements() == 576);
  CHECK(read_config(with_key(lite(), "q_lora_rank", 1536)).latent.q_rank == 1536);
  CHECK(read_config(with_key(lite(), "head_dim", 64)).head_dim == 192);  // as newer files have it
}

TEST_CASE("DeepSeek configuration: a model without experts has the same feed-forward part in all layers",
          "[model_config]") {
  const json none(json::value_t::discarded);
  json config = lite();
  for (const char* key : {"n_routed_experts", "n_shared_experts", "num_experts_per_tok",
                          "moe_intermediate_size", "first_k_dense_replace"})
    config = with_key(config, key, none);
  const runtime::ModelConfig c = read_config(config);
  CHECK(c.experts == 0);
  CHECK(c.dense_layers == 0);
  CHECK(c.ffn == 10944);
}

TEST_CASE("DeepSeek configuration: what the kernels lack is refused at its key", "[model_config]") {
  CHECK(verdict(lite()) == "accepted");
  const json none(json::value_t::discarded);
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, json>>{{"topk_method", "random"},
                                                           {"scoring_func", "sigmoid"},
                                                           {"moe_layer_freq", 2},
                                                           {"attention_bias", true},
                                                           {"hidden_act", "gelu"}})
    CHECK(verdict(with_key(lite(), key, value)) == std::string("E-HFC-005 ") + key);
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, json>>{{"kv_lora_rank", 1024},
                                                           {"kv_lora_rank", none},
                                                           {"q_lora_rank", 8},
                                                           {"qk_rope_head_dim", none},
                                                           {"qk_nope_head_dim", 8},
                                                           {"v_head_dim", 257},
                                                           {"n_routed_experts", 0},
                                                           {"moe_intermediate_size", none},
                                                           {"first_k_dense_replace", 27},
                                                           {"n_shared_experts", "two"},
                                                           {"num_experts_per_tok", none}})
    CHECK(verdict(with_key(lite(), key, value)) == std::string("E-HFC-003 ") + key);
  CHECK(verdict(with_key(lite(), "num_key_value_heads", 8)) == "E-HFC-006 num_key_value_heads");
  CHECK(verdict(with_key(lite(), "head_dim", 100)) == "E-HFC-006 head_dim");
  CHECK(verdict(with_key(lite(), "qk_nope_head_dim", 208)) == "E-HFC-005 qk_nope_head_dim");
  CHECK(verdict(with_key(lite(), "num_experts_per_tok", 7)) == "accepted");
  json scaling = lite()["rope_scaling"];
  // Without equal mscale and mscale_all_dim, cosines and sines have a factor.
  CHECK(read_config(with_key(lite(), "rope_scaling", with_key(scaling, "mscale", 1.0))).rope_magnitude ==
        Approx((0.1 * std::log(40.0) + 1) / (0.0707 * std::log(40.0) + 1)));
  CHECK(verdict(with_key(lite(), "rope_scaling", with_key(scaling, "beta_fast", 0.5))) ==
        "E-HFC-006 rope_scaling:beta_fast");
}

TEST_CASE(
    "DeepSeek configuration: version 3 has gates of sigmoids with a factor, and parts that are left out",
    "[model_config]") {
  json config = lite();
  config.update({{"architectures", {"DeepseekV3ForCausalLM"}},
                 {"n_group", 8},
                 {"topk_group", 4},
                 {"topk_method", "noaux_tc"},
                 {"scoring_func", "sigmoid"},
                 {"routed_scaling_factor", 2.5},
                 {"norm_topk_prob", true},
                 {"num_nextn_predict_layers", 1},
                 {"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}}}});
  const runtime::ModelConfig c = read_config(config);
  CHECK(c.family->sigmoid_gates);
  CHECK(c.gate_factor == 2.5);
  CHECK(c.normalised_gates);
  CHECK(c.left_out.size() == 3);  // the choice among groups, MTP, scales
  CHECK(verdict(with_key(config, "scoring_func", "softmax")) == "E-HFC-005 scoring_func");
  CHECK(verdict(with_key(config, "quantization_config", {{"quant_method", "magic"}})) ==
        "E-HFC-005 quantization_config");
  // transformers gives the architecture these values if a file lacks them.
  const json none(json::value_t::discarded);
  json shorter = config;
  for (const char* key : {"num_experts_per_tok", "routed_scaling_factor", "norm_topk_prob"})
    shorter = with_key(shorter, key, none);
  const runtime::ModelConfig d = read_config(shorter);
  CHECK(d.experts_per_token == 8);
  CHECK(d.gate_factor == 2.5);
  CHECK(d.normalised_gates);
}

TEST_CASE("DeepSeek configuration: sequences that an index of keys keeps whole are accepted",
          "[model_config]") {
  const runtime::ModelConfig c =
      read_config(with_key(with_key(lite(), "architectures", {"DeepseekV2ForCausalLM"}), "index_topk", 2048));
  CHECK_NOTHROW(runtime::require_sequence(c, 2048));
  CHECK_THROWS_WITH(runtime::require_sequence(c, 2049), Catch::Contains("2048 keys"));
}

TEST_CASE("DeepSeek: scaled layers of both kinds do the work of executed ones, in nearly their time",
          "[model]") {
  tests::ModelStudy model(5);
  model.folder.write("config.json", small().dump());
  const json scaled = model.layouts({"--tensor", "2"}, "scaled")[0],
             executed = model.layouts({"--tensor", "2", "--layers", "5"}, "executed")[0];
  CHECK(scaled["decode"]["runs"].size() == 3);
  CHECK(executed["decode"]["runs"].size() == 1);
  tests::check_scaled(scaled, executed);
}

TEST_CASE("DeepSeek: pipelines of unlike layers, and weights, are refused", "[model]") {
  tests::ModelStudy model(8);
  model.folder.write("config.json", with_key(small(), "num_hidden_layers", 8).dump());
  tests::check_refused(model.run({"--pipeline", "2", "--tensor", "2"}), "E-HFC-005");
  tests::check_refused(model.run({"--weights", ".", "--prompt-ids", "1,2", "--generate", "2"}), "E-HFC-030");
}
