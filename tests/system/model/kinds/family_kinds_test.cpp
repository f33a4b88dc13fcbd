// SPDX-License-Identifier: Apache-2.0
// What configurations of earlier architectures, of layers of several kinds, and of encoders say, in the
// names that their files have.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/config/model_config.h"
#include "studies/model/model_case.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using nlohmann::json;

namespace {

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

json changed(json config, const std::string& key, const json& value) {
  config[key] = value;
  return config;
}

json llama(const char* architecture, const json& more) {
  json config{{"architectures", {architecture}},
              {"hidden_size", 4096},
              {"intermediate_size", 8192},
              {"num_hidden_layers", 48},
              {"num_attention_heads", 32},
              {"num_key_value_heads", 8},
              {"vocab_size", 32000},
              {"max_position_embeddings", 65536}};
  config.update(more);
  return config;
}

}  // namespace

TEST_CASE(
    "model configuration: GPT-2 has earlier names, learned positions, and hidden features of four times",
    "[model_config]") {
  const json gpt2{{"architectures", {"GPT2LMHeadModel"}},
                  {"n_embd", 768},
                  {"n_head", 12},
                  {"n_layer", 12},
                  {"n_positions", 1024},
                  {"n_ctx", 1024},
                  {"vocab_size", 50257}};
  const runtime::ModelConfig c = read(gpt2);
  CHECK(c.ffn == 3072);
  CHECK(c.tied);
  CHECK(c.longest == 1024);
  CHECK(read(changed(gpt2, "n_inner", 2048)).ffn == 2048);
  json coder = gpt2;
  coder["architectures"] = {"GPTBigCodeForCausalLM"};
  CHECK(read(coder).kv_heads == 1);
  CHECK(read(changed(coder, "multi_query", false)).kv_heads == 12);
}

TEST_CASE("model configuration: sublayers are parallel where the file says so", "[model_config]") {
  const json neox = llama("GPTNeoXForCausalLM", {{"rotary_pct", 0.25}, {"hidden_act", "gelu"}});
  CHECK(read(neox).parallel);
  CHECK(read(neox).parallel_norm);
  CHECK(read(neox).rotated == 32);
  CHECK_FALSE(read(changed(neox, "use_parallel_residual", false)).parallel);
  CHECK(verdict(changed(neox, "attention_bias", false)) == "E-HFC-003 attention_bias");
  json falcon{{"architectures", {"FalconForCausalLM"}},
              {"hidden_size", 4544},
              {"num_attention_heads", 71},
              {"num_hidden_layers", 32},
              {"vocab_size", 65024},
              {"bias", false}};
  CHECK(read(falcon).kv_heads == 1);
  CHECK(read(falcon).ffn == 4 * 4544);
  CHECK_FALSE(read(falcon).parallel_norm);
  falcon.update({{"new_decoder_architecture", true}, {"num_kv_heads", 71}});
  CHECK(read(falcon).kv_heads == 71);
  CHECK(read(falcon).parallel_norm);
  CHECK(verdict(changed(falcon, "alibi", true)) == "E-HFC-005 alibi");
}

TEST_CASE("model configuration: norms over all heads, and a window without scaled angles", "[model_config]") {
  const json yarn{{"rope_type", "yarn"}, {"factor", 8.0}, {"original_max_position_embeddings", 8192}};
  const runtime::ModelConfig c = read(
      llama("Olmo3ForCausalLM", {{"sliding_window", 4096}, {"rope_theta", 5e5}, {"rope_scaling", yarn}}));
  CHECK(c.joint_qk_norm);
  CHECK(c.local_theta == 5e5);
  CHECK(c.global_every == 4);
  CHECK(verdict(llama("MiniMaxM2ForCausalLM", {{"attn_type_list", {1, 0}}})) == "E-HFC-005 attn_type_list");
}

TEST_CASE("model configuration: layers of delta rules and of attention, in turn", "[model_config]") {
  json types = json::array();
  for (int l = 0; l < 48; ++l) types.push_back(l % 4 == 3 ? "full_attention" : "linear_attention");
  const json next =
      llama("Qwen3_5ForConditionalGeneration", {{"linear_num_value_heads", 64}, {"layer_types", types}});
  const runtime::ModelConfig c = read(next);
  CHECK(c.delta.value_heads == 64);
  CHECK(c.delta.key_heads == 16);
  CHECK(c.global_every == 4);
  const runtime::LayerKinds kinds = runtime::layer_kinds(c, 16);
  CHECK(kinds.local == 36);
  CHECK(kinds.global == 12);
  // Delta rules see no pairs.
  CHECK(runtime::pairs_of_layers(c, 0, 10) == 12 * 55);
  CHECK(verdict(changed(next, "linear_num_key_heads", 48)) == "E-HFC-006 linear_num_key_heads");
  CHECK(verdict(llama("LlamaForCausalLM", {{"linear_num_value_heads", 64}})) ==
        "E-HFC-005 linear_num_value_heads");
}

TEST_CASE("model configuration: layers of Mamba-2, attention and experts as a file lists them",
          "[model_config]") {
  const json hybrid = llama("NemotronHForCausalLM", {{"hybrid_override_pattern", "MEM*EM-M"},
                                                     {"num_hidden_layers", 8},
                                                     {"mamba_num_heads", 64},
                                                     {"n_groups", 8},
                                                     {"n_routed_experts", 16},
                                                     {"num_experts_per_tok", 2},
                                                     {"moe_intermediate_size", 512},
                                                     {"n_shared_experts", 1},
                                                     {"moe_shared_expert_intermediate_size", 640}});
  const runtime::ModelConfig c = read(hybrid);
  CHECK(c.layers == 5);
  CHECK(c.delta.value_heads == 64);
  CHECK(c.delta.mamba2);
  CHECK(c.ffn == 512);
  CHECK(c.shared_ffn == 640);
  CHECK(c.layers_without_feed_forward() == 2);
  CHECK(c.layers_without_experts() == 1);
  CHECK(runtime::layers_of_attention(c) == 1);
  // M with experts, M alone, attention with experts, M with one feed-forward part.
  const std::vector<runtime::LikeLayers> kinds = runtime::like_layers(c, 1024);
  REQUIRE(kinds.size() == 4);
  CHECK(kinds[1].first == 1);
  CHECK(kinds[1].count == 2);
  CHECK(runtime::pairs_of_layers(c, 0, 10) == 55);
  const json listed = changed(changed(hybrid, "hybrid_override_pattern", nullptr), "layers_block_type",
                              {"mamba", "moe", "mamba", "attention", "moe", "mamba", "mlp", "mamba"});
  CHECK(read(listed).sublayers.text == "MEM*EM-M");
  CHECK(verdict(changed(listed, "layers_block_type", {"mamba", "rnn"})) == "E-HFC-003 layers_block_type");
  CHECK(verdict(changed(hybrid, "hybrid_override_pattern", "MEM*EM-MM")) ==
        "E-HFC-006 hybrid_override_pattern");
  CHECK(verdict(changed(hybrid, "hybrid_override_pattern", "MEM*EEM-")) ==
        "E-HFC-005 hybrid_override_pattern");
  CHECK(read(changed(hybrid, "moe_latent_size", 1024)).expert_latent == 1024);
  CHECK(verdict(llama("LlamaForCausalLM", {{"moe_latent_size", 1024}})) == "E-HFC-005 moe_latent_size");
  CHECK(verdict(changed(hybrid, "n_groups", 48)) == "E-HFC-006 n_groups");
  CHECK(verdict(llama("LlamaForCausalLM", {{"hybrid_override_pattern", "M*"}})) ==
        "E-HFC-005 hybrid_override_pattern");
}

TEST_CASE("model configuration: a feed-forward part behind each Mamba-2 and attention", "[model_config]") {
  const json granite =
      llama("GraniteMoeHybridForCausalLM", {{"layer_types", {"mamba", "attention", "mamba", "mamba"}},
                                            {"num_hidden_layers", 4},
                                            {"mamba_n_heads", 128},
                                            {"mamba_d_state", 128},
                                            {"num_local_experts", 72},
                                            {"num_experts_per_tok", 10},
                                            {"shared_intermediate_size", 1536},
                                            {"attention_multiplier", 0.0078125}});
  const runtime::ModelConfig c = read(granite);
  CHECK(c.sublayers.text == "ME*EMEME");
  CHECK(c.layers == 4);
  CHECK(c.delta.value_dim == 64);  // "auto"
  CHECK(c.delta.key_heads == 1);
  CHECK(c.ffn == 8192);
  CHECK(c.shared_ffn == 1536);
  CHECK_FALSE(c.rotary);
  CHECK(read(changed(granite, "position_embedding_type", "rope")).rotary);
  CHECK(verdict(changed(granite, "position_embedding_type", "alibi")) == "E-HFC-003 position_embedding_type");
  CHECK(verdict(changed(granite, "mamba_n_groups", 8)) == "E-HFC-005 mamba_n_groups");
  CHECK(verdict(changed(granite, "mamba_d_head", 32)) == "E-HFC-006 mamba_n_heads");
  // Without experts the shared one is the feed-forward part.
  json dense = changed(changed(granite, "num_local_experts", 0), "num_experts_per_tok", 0);
  CHECK(read(dense).sublayers.text == "M-*-M-M-");
  CHECK(read(dense).ffn == 1536);
  dense["layer_types"] = {"attention", "attention", "attention", "attention"};
  CHECK(read(dense).delta.value_heads == 0);
  json bamba = llama("BambaForCausalLM", {{"attn_layer_indices", {9, 18}}, {"num_hidden_layers", 20}});
  CHECK(runtime::layers_of_attention(read(bamba)) == 2);
  CHECK_FALSE(read(bamba).sublayers.of(18).state);
  CHECK(read(bamba).rotated == 64);
  CHECK(verdict(changed(bamba, "attn_layer_indices", {20})) == "E-HFC-003 attn_layer_indices");
}

TEST_CASE("model configuration: query heads are padded where the tensor degree asks for it",
          "[model_config]") {
  const runtime::ModelConfig c =
      read(llama("LlamaForCausalLM", {{"num_attention_heads", 40}, {"head_dim", 128}}));
  CHECK(runtime::padded_heads(c, 8) == 40);
  CHECK(runtime::padded_heads(c, 16) == 48);  // six in each of eight groups, three on a rank
  CHECK(runtime::padded_heads(c, 64) == 64);
  const runtime::ModelConfig alone = read(llama(
      "LlamaForCausalLM", {{"num_attention_heads", 40}, {"num_key_value_heads", 40}, {"head_dim", 128}}));
  CHECK(runtime::padded_heads(alone, 16) == 48);
  const auto model = [&](const runtime::ModelConfig& of, std::uint64_t tensor) {
    runtime::ModelLayout layout;
    layout.chips = 4;
    layout.tensor = tensor;
    return runtime::model_case(of, layout, {}, runtime::ModelPhase::kDecode, {1})["workload"]["model"];
  };
  CHECK(model(c, 16)["heads"] == 48);
  CHECK(model(c, 16)["padding_heads"] == 8);
  CHECK(model(c, 16)["kv_heads"] == 8);
  CHECK_FALSE(model(c, 8).contains("padding_heads"));
  CHECK(model(alone, 16)["kv_heads"] == 48);
}

TEST_CASE("model configuration: kinds of layers, and two neighbours of different kinds", "[model_config]") {
  const runtime::ModelConfig c =
      read(llama("Llama4ForCausalLM", {{"interleave_moe_layer_step", 2}, {"intermediate_size_mlp", 16384}}));
  CHECK(c.dense_ffn == 16384);
  CHECK(c.shared_ffn == 8192);
  const std::vector<runtime::LikeLayers> kinds = runtime::like_layers(c, 1024);
  // With the rotary embedding, without and with experts; without it, with experts.
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].first == 0);
  CHECK(kinds[0].count == 24);
  CHECK(kinds[1].first == 1);
  CHECK(kinds[1].count == 12);
  CHECK(kinds[2].first == 3);
  CHECK(kinds[2].count == 12);
  const runtime::UnlikeLayers two = runtime::unlike_layers(c, 1024);
  CHECK(two.first == 0);
  CHECK(two.kind == 0);
  CHECK(two.next == 1);
  runtime::require_sequence(c, 8191);
  CHECK_THROWS_AS(runtime::require_sequence(c, 8192), base::UserError);
}

TEST_CASE("model configuration: keys in groups are read, and named if they are unknown", "[model_config]") {
  json dbrx{{"architectures", {"DbrxForCausalLM"}},
            {"d_model", 6144},
            {"n_heads", 48},
            {"n_layers", 40},
            {"vocab_size", 100352},
            {"max_seq_len", 32768},
            {"attn_config", {{"clip_qkv", 8}, {"kv_n_heads", 8}, {"rope_theta", 500000}}},
            {"ffn_config", {{"ffn_hidden_size", 10752}, {"moe_num_experts", 16}, {"moe_top_k", 4}}}};
  const runtime::ModelConfig c = read(dbrx);
  CHECK(c.kv_heads == 8);
  CHECK(c.qkv_limit == 8);
  CHECK(c.experts == 16);
  CHECK(c.experts_per_token == 4);
  dbrx["ffn_config"]["moe_tops"] = 1;
  CHECK(verdict(dbrx) == "E-HFC-004 moe_tops");
}

TEST_CASE("model configuration: encoders have one phase, and images so many tokens", "[model_config]") {
  const json vit{{"architectures", {"ViTModel"}}, {"image_size", 224},         {"patch_size", 14},
                 {"hidden_size", 1024},           {"intermediate_size", 4096}, {"num_attention_heads", 16},
                 {"num_hidden_layers", 24}};
  const runtime::ModelConfig c = read(vit);
  CHECK(runtime::is_encoder(c));
  CHECK(c.longest == 257);
  CHECK(runtime::phases_of(c).size() == 1);
  CHECK(runtime::phases_of(read(llama("LlamaForCausalLM", json::object()))).size() == 2);
  CHECK(verdict({{"architectures", {"BertModel"}}, {"position_embedding_type", "relative_key"}}) ==
        "E-HFC-005 position_embedding_type");
}

TEST_CASE("model configuration: layers that attend to images are left out", "[model_config]") {
  const json text = llama("MllamaForConditionalGeneration", {{"cross_attention_layers", {3, 8, 13}}});
  const runtime::ModelConfig c = read(text);
  CHECK(c.layers == 45);
  CHECK(c.left_out == std::vector<std::string>{"3 layers that attend to images, which text passes by"});
}
