// SPDX-License-Identifier: Apache-2.0
// Configurations of Hugging Face models: what is read, and that everything else is refused at its key. The
// configurations here are written for the test; their keys are those of published models.
#include "studies/model/config/model_config.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "studies/model/config/config_keys.h"
#include "studies/model/config/families.h"
#include "studies/model/config/layer_pattern.h"
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
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 500000.0},
          {"max_position_embeddings", 131072},
          {"torch_dtype", "bfloat16"}};
}

json changed(json config, const std::string& key, const json& value) {
  config[key] = value;
  return config;
}
json mistral() { return changed(llama(), "architectures", {"MistralForCausalLM"}); }
json without(json config, const std::string& key) {
  config.erase(key);
  return config;
}

// "CODE KEY" of the refusal, or "accepted".
std::string verdict_of_text(const std::string& text, const std::vector<std::string>& ignored = {}) {
  const tests::TempDir folder;
  const std::string file = folder.write("config.json", text);
  try {
    runtime::read_model_config(file, ignored);
  } catch (const base::UserError& e) {
    CHECK(e.place.starts_with(file));
    CHECK(e.message.size() > 10);
    return e.code + (e.place == file ? "" : " " + e.place.substr(file.size() + 1));
  }
  return "accepted";
}
std::string verdict(const json& config, const std::vector<std::string>& ignored = {}) {
  return verdict_of_text(config.dump(), ignored);
}

runtime::ModelConfig read(const json& config) {
  const tests::TempDir folder;
  return runtime::read_model_config(folder.write("config.json", config.dump()), {});
}

}  // namespace

TEST_CASE("model configuration: dimensions of a Llama", "[model_config]") {
  const runtime::ModelConfig c = read(llama());
  CHECK(c.hidden == 4096);
  CHECK(c.ffn == 14336);
  CHECK(c.layers == 32);
  CHECK(c.heads == 32);
  CHECK(c.kv_heads == 8);
  CHECK(c.head_dim == 128);  // hidden / heads
  CHECK(c.vocabulary == 128256);
  CHECK(c.epsilon == 1e-5);
  CHECK(c.theta == 500000);
  CHECK(c.experts == 0);
  CHECK(!c.tied);
  CHECK(c.rope_scaling == runtime::RotaryScaling::kNone);
}

TEST_CASE("model configuration: absent keys have the values of the published code", "[model_config]") {
  json config = llama();
  for (const char* key : {"num_key_value_heads", "rms_norm_eps", "rope_theta", "max_position_embeddings"})
    config.erase(key);
  const runtime::ModelConfig c = read(config);
  CHECK(c.kv_heads == 32);
  CHECK(c.epsilon == 1e-6);
  CHECK(c.theta == 10000);
  CHECK_NOTHROW(runtime::require_sequence(c, 1 << 20));
}

TEST_CASE("model configuration: the shipped configurations are read", "[model_config]") {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TAHOMA_SOURCE_DIR) + "/workloads/models"))
    if (entry.path().extension() == ".json") {
      INFO(entry.path());
      const runtime::ModelConfig c = runtime::read_model_config(entry.path().string(), {});
      CHECK(c.name == entry.path().stem().string());
      ++files;
    }
  CHECK(files == 10);
}

TEST_CASE("model configuration: the folder may be named instead of the file", "[model_config]") {
  const tests::TempDir folder;
  folder.write("config.json", llama().dump());
  const runtime::ModelConfig c = runtime::read_model_config(folder.path().string(), {});
  CHECK(c.name == folder.path().filename().string());
}

TEST_CASE("model configuration: families differ from Llama where they should", "[model_config]") {
  const auto family = [](const char* name, const json& more) {
    json config = llama();
    config["architectures"] = {name};
    config.update(more);
    return read(config);
  };
  CHECK(family("Qwen2ForCausalLM", json::object()).family->qkv_bias);
  CHECK(family("Qwen3ForCausalLM", {{"head_dim", 128}}).family->qk_norm);
  CHECK(family("Phi3ForCausalLM", json::object()).family->fused);
  const auto mixtral = family("MixtralForCausalLM", {{"num_local_experts", 8}, {"num_experts_per_tok", 2}});
  CHECK(mixtral.experts == 8);
  CHECK(mixtral.experts_per_token == 2);
  const auto qwen = family("Qwen3MoeForCausalLM", {{"num_experts", 128},
                                                   {"num_experts_per_tok", 8},
                                                   {"moe_intermediate_size", 768},
                                                   {"norm_topk_prob", true}});
  CHECK(qwen.ffn == 768);
  CHECK(qwen.normalised_gates);
  CHECK(qwen.shared_ffn == 0);
}

TEST_CASE("model configuration: a shared expert and gates that do not add up to 1 are read",
          "[model_config]") {
  json config = llama();
  config.update({{"architectures", {"Qwen2MoeForCausalLM"}},
                 {"num_experts", 60},
                 {"num_experts_per_tok", 4},
                 {"moe_intermediate_size", 1408},
                 {"shared_expert_intermediate_size", 5632}});
  const runtime::ModelConfig c = read(config);
  CHECK(c.family->qkv_bias);
  CHECK(c.ffn == 1408);
  CHECK(c.shared_ffn == 5632);
  CHECK_FALSE(c.normalised_gates);  // absent means false
  CHECK(read(changed(config, "norm_topk_prob", true)).normalised_gates);
  CHECK(read(without(config, "shared_expert_intermediate_size")).shared_ffn == 5632);  // as transformers
  CHECK(read(changed(config, "shared_expert_intermediate_size", 0)).shared_ffn == 0);
  CHECK(verdict(changed(config, "shared_expert_intermediate_size", "many")) ==
        "E-HFC-003 shared_expert_intermediate_size");
  CHECK(verdict(changed(config, "norm_topk_prob", "yes")) == "E-HFC-003 norm_topk_prob");
  CHECK(verdict(changed(config, "decoder_sparse_step", 2)) == "E-HFC-005 decoder_sparse_step");
  CHECK(verdict(changed(llama(), "shared_expert_intermediate_size", 5632)) ==
        "E-HFC-005 shared_expert_intermediate_size");
}

namespace {

json gemma(const char* architecture, const json& more = json::object()) {
  json config = without(llama(), "rope_theta");
  config["architectures"] = {architecture};
  config["head_dim"] = 128;
  config["hidden_activation"] = "gelu_pytorch_tanh";
  config.update(more);
  return config;
}

}  // namespace

TEST_CASE("model configuration: Gemma's scales, caps and local layers", "[model_config]") {
  const auto first = read(gemma("GemmaForCausalLM", {{"hidden_act", "gelu"}}));
  CHECK(first.family->gemma);
  CHECK(first.tied);
  CHECK(first.query_scalar == 0);
  CHECK(read(gemma("GemmaForCausalLM", {{"head_dim", 256}})).head_dim == 256);
  const auto second = read(gemma("Gemma2ForCausalLM", {{"query_pre_attn_scalar", 144},
                                                       {"attn_logit_softcapping", 50.0},
                                                       {"final_logit_softcapping", 30.0},
                                                       {"sliding_window", 4096}}));
  CHECK(second.family->post_norm);
  CHECK(second.query_scalar == 144);
  CHECK(second.score_cap == 50);
  CHECK(second.logit_cap == 30);
  CHECK(second.local_theta == 0);
  CHECK(second.global_every == 2);
  CHECK_NOTHROW(runtime::require_sequence(second, 4097));
  const json types{"sliding_attention", "full_attention"};
  const auto third = read(gemma("Gemma3ForCausalLM", {{"num_hidden_layers", 2}, {"layer_types", types}}));
  CHECK(third.family->qk_norm);
  CHECK(third.query_scalar == 256);  // defaults of the published code
  CHECK(third.theta == 1e6);
  CHECK(third.local_theta == 1e4);
  CHECK(third.global_every == 2);
  const auto parameters =
      read(gemma("Gemma3ForCausalLM",
                 {{"rope_parameters",
                   {{"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 500000.0}}},
                    {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 20000.0}}}}}}));
  CHECK(parameters.rope_scaling == runtime::RotaryScaling::kLinear);
  CHECK(parameters.theta == 500000);
  CHECK(parameters.local_theta == 20000);
  CHECK(parameters.global_every == 6);
}

TEST_CASE("model configuration: what Gemma's kernels lack is refused at its key", "[model_config]") {
  const char* two = "Gemma2ForCausalLM";
  CHECK(verdict(gemma(two)) == "accepted");
  CHECK(verdict(gemma(two, {{"head_dim", 257}})) == "E-HFC-003 head_dim");
  CHECK(read(without(gemma(two), "head_dim")).head_dim == 256);
  CHECK(verdict(gemma(two, {{"hidden_activation", "silu"}})) == "E-HFC-005 hidden_activation");
  CHECK(verdict(gemma(two, {{"hidden_act", "gelu"}})) == "E-HFC-005 hidden_act");
  CHECK(verdict(gemma(two, {{"attn_logit_softcapping", 100.0}})) == "E-HFC-003 attn_logit_softcapping");
  CHECK(verdict(gemma(two, {{"query_pre_attn_scalar", -1}})) == "E-HFC-003 query_pre_attn_scalar");
  CHECK(verdict(gemma(two, {{"use_bidirectional_attention", true}})) ==
        "E-HFC-005 use_bidirectional_attention");
  CHECK(verdict(gemma("GemmaForCausalLM", {{"final_logit_softcapping", 30.0}})) ==
        "E-HFC-003 final_logit_softcapping");
  const char* three = "Gemma3ForCausalLM";
  CHECK(verdict(gemma(three, {{"layer_types", {"full_attention", "sliding_attention"}}})) ==
        "E-HFC-005 layer_types");
  CHECK(verdict(gemma(three, {{"layer_types", {"sliding_attention", "full_attention"}}})) ==
        "E-HFC-006 layer_types");
  CHECK(verdict(gemma(three, {{"sliding_window_pattern", 0}})) == "E-HFC-003 sliding_window_pattern");
  // The keys of Gemma mean nothing to a Llama.
  CHECK(verdict(changed(llama(), "rope_local_base_freq", 10000.0)) == "E-HFC-005 rope_local_base_freq");
  CHECK(verdict(changed(llama(), "attn_logit_softcapping", 50.0)) == "E-HFC-005 attn_logit_softcapping");
}

TEST_CASE("model configuration: scaled rotary embeddings, in either notation", "[model_config]") {
  const json scaling{{"rope_type", "llama3"},
                     {"factor", 8.0},
                     {"low_freq_factor", 1.0},
                     {"high_freq_factor", 4.0},
                     {"original_max_position_embeddings", 8192}};
  const runtime::ModelConfig c = read(changed(llama(), "rope_scaling", scaling));
  CHECK(c.rope_scaling == runtime::RotaryScaling::kLlama3);
  CHECK(c.rope_factor == 8);
  CHECK(c.rope_original_context == 8192);
  CHECK(read(changed(llama(), "rope_scaling", {{"type", "linear"}, {"factor", 2.0}})).rope_scaling ==
        runtime::RotaryScaling::kLinear);
  CHECK(read(changed(llama(), "rope_scaling", nullptr)).rope_scaling == runtime::RotaryScaling::kNone);
  const json both{{"rope_type", "default"}, {"rope_theta", 250000.0}};
  CHECK(read(changed(llama(), "rope_parameters", both)).theta == 250000);
  CHECK(verdict(changed(llama(), "rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}})) ==
        "E-HFC-003 rope_scaling:original_max_position_embeddings");
  CHECK(verdict(changed(llama(), "rope_scaling", changed(scaling, "factor", -1))) ==
        "E-HFC-003 rope_scaling:factor");
  CHECK(verdict(changed(llama(), "rope_scaling", changed(scaling, "high_freq_factor", 0.5))) ==
        "E-HFC-006 rope_scaling:high_freq_factor");
  CHECK(verdict(changed(llama(), "rope_scaling", "llama3")) == "E-HFC-003 rope_scaling");
}

TEST_CASE("model configuration: keys inside a scaling are read, have their one value, or are refused",
          "[model_config]") {
  const auto scaled = [](const json& scaling) { return verdict(changed(llama(), "rope_scaling", scaling)); };
  const json linear{{"rope_type", "linear"}, {"factor", 2.0}};
  CHECK(scaled(linear) == "accepted");
  CHECK(scaled(changed(linear, "type", "linear")) == "accepted");
  CHECK(scaled(changed(linear, "type", "default")) == "E-HFC-006 rope_scaling:type");
  CHECK(scaled(changed(linear, "bogus", 3)) == "E-HFC-004 rope_scaling:bogus");
  CHECK(scaled(changed(linear, "attention_factor", nullptr)) == "accepted");
  CHECK(scaled(changed(linear, "partial_rotary_factor", 1.0)) == "accepted");
  CHECK(scaled(changed(linear, "partial_rotary_factor", 0.5)) ==
        "E-HFC-005 rope_scaling:partial_rotary_factor");
  CHECK(scaled(changed(linear, "partial_rotary_factor", "all")) ==
        "E-HFC-003 rope_scaling:partial_rotary_factor");
  // Each of these belongs to another scaling.
  for (const char* key :
       {"low_freq_factor", "high_freq_factor", "original_max_position_embeddings", "beta_fast"})
    CHECK(scaled(changed(linear, key, 4)) == std::string("E-HFC-004 rope_scaling:") + key);
  CHECK(scaled({{"rope_type", "default"}, {"factor", 2.0}}) == "E-HFC-004 rope_scaling:factor");
  CHECK(scaled({{"rope_type", "lineer"}, {"factor", 2.0}}) == "E-HFC-005 rope_scaling");
  CHECK_THROWS_WITH(read(changed(llama(), "rope_scaling", changed(linear, "facto", 2.0))),
                    Catch::Contains("did you mean 'factor'"));
  const json both = changed(llama(), "rope_parameters", linear);
  CHECK(verdict(changed(both, "rope_scaling", linear)) == "accepted");
  CHECK(verdict(changed(both, "rope_scaling", changed(linear, "factor", 4.0))) == "E-HFC-006 rope_scaling");
}

TEST_CASE("model configuration: Gemma's types of layers have the scalings that the kernels have",
          "[model_config]") {
  const auto typed = [](const json& local, const json& more = json::object()) {
    json types{{"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}}}, {"sliding_attention", local}};
    types.update(more);
    return verdict(gemma("Gemma3ForCausalLM", {{"rope_parameters", types}}));
  };
  const json plain{{"rope_type", "default"}, {"rope_theta", 10000.0}};
  CHECK(typed(plain) == "accepted");
  CHECK(typed(nullptr) == "accepted");
  CHECK(typed(5) == "E-HFC-003 rope_parameters:sliding_attention");
  CHECK(typed({{"rope_type", "linear"}, {"factor", 8.0}}) == "E-HFC-005 rope_parameters:sliding_attention");
  CHECK(typed(changed(plain, "factor", 8.0)) == "E-HFC-004 rope_parameters:sliding_attention:factor");
  CHECK(typed(plain, {{"full_attention", 5}}) == "E-HFC-003 rope_parameters:full_attention");
  CHECK(typed(plain, {{"chunked_attention", plain}}) == "E-HFC-004 rope_parameters:chunked_attention");
}

TEST_CASE("model configuration: each key of which one value is supported refuses another one",
          "[model_config]") {
  for (const runtime::FixedKey& row : runtime::fixed_keys()) {
    INFO(row.key);
    CHECK(verdict(changed(llama(), row.key, json::parse(row.value))) == "accepted");
    CHECK(verdict(changed(llama(), row.key, "something else")) == std::string("E-HFC-005 ") + row.key);
    CHECK(verdict(changed(llama(), row.key, "something else"), {row.key}) == "accepted");
  }
}

TEST_CASE("model configuration: each dimension refuses what is no number of its range", "[model_config]") {
  for (const runtime::CountKey& row : runtime::count_keys()) {
    INFO(row.key);
    const std::string refused = std::string("E-HFC-003 ") + row.key;
    for (const json& value : {json(0), json(-4), json(1e12), json(1.5), json("32"), json(true),
                              json::array({32}), json(row.most + 1)})
      CHECK(verdict(changed(llama(), row.key, value)) == refused);
    CHECK(verdict(without(llama(), row.key)) == (row.required ? refused : "accepted"));
  }
  for (const runtime::RealKey& row : runtime::real_keys())
    for (const json& value : {json(-1.0), json(1e30), json("x")})
      CHECK(verdict(changed(llama(), row.key, value)) == std::string("E-HFC-003 ") + row.key);
}

TEST_CASE("model configuration: contradictions are refused", "[model_config]") {
  CHECK(verdict(changed(llama(), "num_key_value_heads", 5)) == "E-HFC-006 num_key_value_heads");
  CHECK(verdict(changed(llama(), "hidden_size", 4100)) == "E-HFC-006 hidden_size");
  CHECK(verdict(changed(llama(), "num_attention_heads", 8)) ==
        "E-HFC-005 hidden_size");  // heads of 512 features
  json mixture = llama();
  mixture.update(
      {{"architectures", {"MixtralForCausalLM"}}, {"num_local_experts", 4}, {"num_experts_per_tok", 8}});
  CHECK(verdict(mixture) == "E-HFC-006 num_experts_per_tok");
  mixture.erase("num_experts_per_tok");
  CHECK(read(mixture).experts_per_token == 2);
}

TEST_CASE("model configuration: unknown keys and architectures are refused with the nearest name",
          "[model_config]") {
  CHECK(verdict(changed(llama(), "hiden_size", 4096)) == "E-HFC-004 hiden_size");
  CHECK_THROWS_WITH(
      read(changed(changed(llama(), "hiden_size", 1), "new_feature", 1)),
      Catch::Contains("2 unknown keys: hiden_size (did you mean 'hidden_size'?), new_feature") &&
          Catch::Contains("--ignore hiden_size,new_feature"));
  CHECK(verdict(changed(llama(), "new_feature", true)) == "E-HFC-004 new_feature");
  CHECK(verdict(changed(llama(), "new_feature", true), {"new_feature"}) == "accepted");
  CHECK(verdict(changed(llama(), "architectures", {"LlamaForCausalLN"})) == "E-HFC-002 architectures");
  CHECK(verdict(without(llama(), "architectures")) == "E-HFC-003 architectures");
  CHECK_THROWS_WITH(runtime::family_of("LlamaForCausalLN", "x"),
                    Catch::Contains("did you mean 'LlamaForCausalLM'"));
  // Another number is another architecture.
  CHECK_THROWS_WITH(runtime::family_of("Qwen9ForCausalLM", "x"), !Catch::Contains("did you mean"));
  for (const runtime::ModelFamily& family : runtime::model_families())
    CHECK(verdict(changed(llama(), "architectures", {family.architecture})).starts_with("E-HFC-002") ==
          (family.refused != nullptr));
}

TEST_CASE("model configuration: a file that is cut anywhere is refused", "[model_config]") {
  const std::string text = llama().dump();
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK(verdict_of_text(text.substr(0, size)) == "E-HFC-001");
  CHECK(verdict_of_text("[]") == "E-HFC-001");
  CHECK(verdict_of_text(R"({"hidden_size": 1, "hidden_size": 2})") == "E-HFC-001");
  CHECK(verdict_of_text(std::string(100000, '[')) == "E-HFC-001");
}

TEST_CASE("model configuration: text behind a NUL byte, and bytes that are not UTF-8, are refused",
          "[model_config]") {
  CHECK(verdict_of_text(llama().dump() + "\n") == "accepted");
  CHECK(verdict_of_text(llama().dump() + std::string(1, '\0') + " garbage") == "E-HFC-001");
  CHECK(verdict_of_text(llama().dump() + std::string(1, '\0')) == "E-HFC-001");
  CHECK(verdict_of_text("{\"model_type\": \"\xff\"}") == "E-HFC-001");
}

TEST_CASE("model configuration: values may have at most 100 levels of nesting, the file's object included",
          "[model_config]") {
  const auto nested = [](const std::string& key, std::size_t lists) {
    json config = without(llama(), key);
    std::string text = config.dump();
    text.pop_back();
    return text + ",\"" + key + "\":" + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  CHECK(verdict_of_text(nested("hidden_size", 99)) == "E-HFC-003 hidden_size");
  CHECK(verdict_of_text(nested("model_type", 99)) == "accepted");
  for (const char* key : {"hidden_size", "hidden_act", "layer_types", "model_type"})
    for (const std::size_t lists : {100, 10000, 200000})
      CHECK(verdict_of_text(nested(key, lists)) == "E-HFC-001");
}

TEST_CASE(
    "model configuration: heads have an even number of features, which the rotary embedding turns in pairs",
    "[model_config]") {
  CHECK(verdict(changed(llama(), "head_dim", 18)) == "accepted");
  CHECK(verdict(changed(llama(), "head_dim", 17)) == "E-HFC-003 head_dim");
  json config = without(llama(), "head_dim");
  config.update({{"hidden_size", 32 * 17}});
  CHECK(verdict(config) == "E-HFC-005 hidden_size");
}

TEST_CASE("model configuration: sequences beyond the model's, or beyond a window of some layers, are refused",
          "[model_config]") {
  const auto code = [](const json& config, std::uint64_t tokens) -> std::string {
    try {
      runtime::require_sequence(read(config), tokens);
    } catch (const base::UserError& e) {
      return e.code + e.place.substr(e.place.rfind(':'));
    }
    return "accepted";
  };
  CHECK(code(llama(), 131072) == "accepted");
  CHECK(code(llama(), 131073) == "E-HFC-005:max_position_embeddings");
  CHECK(code(changed(mistral(), "sliding_window", 4096), 8192) == "accepted");
  json qwen = changed(llama(), "architectures", {"Qwen2ForCausalLM"});
  qwen.update({{"sliding_window", 4096}, {"use_sliding_window", true}, {"max_window_layers", 8}});
  CHECK(code(qwen, 4096) == "accepted");
  CHECK(code(qwen, 4097) == "E-HFC-005:max_window_layers");
  CHECK(code(changed(qwen, "use_sliding_window", false), 8192) == "accepted");
  CHECK(code(without(qwen, "use_sliding_window"), 8192) == "accepted");
  CHECK(code(changed(qwen, "max_window_layers", 1000), 8192) == "accepted");
  CHECK(code(changed(qwen, "max_window_layers", 0), 8192) == "accepted");
}

TEST_CASE("model configuration: the layers that a window limits are counted", "[model_config]") {
  const auto kinds = [](const json& config, std::uint64_t tokens) {
    const runtime::LayerKinds k = runtime::layer_kinds(read(config), tokens);
    return std::to_string(k.local) + " local, " + std::to_string(k.global) + " global";
  };
  const json window = changed(changed(mistral(), "sliding_window", 4096), "num_hidden_layers", 7);
  // A Llama ignores the key, as in transformers.
  CHECK(kinds(changed(changed(llama(), "sliding_window", 4096), "num_hidden_layers", 7), 5000) ==
        "0 local, 7 global");
  CHECK(kinds(window, 4096) == "0 local, 7 global");
  CHECK(kinds(window, 4097) == "7 local, 0 global");
  const auto types = [&](const json& listed) { return changed(window, "layer_types", listed); };
  const json sliding(7, "sliding_attention"), full(7, "full_attention");
  CHECK(kinds(types(sliding), 5000) == "7 local, 0 global");
  CHECK(kinds(types(full), 5000) == "0 local, 7 global");
  json third = sliding;
  third[2] = third[5] = "full_attention";
  CHECK(kinds(types(third), 5000) == "5 local, 2 global");
  third[6] = "full_attention";
  CHECK(verdict(types(third)) == "E-HFC-005 layer_types");
  CHECK(verdict(types({"full_attention"})) == "E-HFC-006 layer_types");
  CHECK(verdict(types("sliding_attention")) == "E-HFC-003 layer_types");
  CHECK(verdict(types(json(7, "linear_attention"))) == "E-HFC-005 layer_types");
  // Pairs by counting them.
  const runtime::ModelConfig c = read(types(sliding));
  double pairs = 0;
  for (std::uint64_t t = 4000; t < 4200; ++t)
    pairs += 7 * static_cast<double>(std::min<std::uint64_t>(t + 1, 4096));
  CHECK(runtime::pairs_of_layers(c, 4000, 200) == Approx(pairs));
}
