// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/config_keys.h"

#include "studies/model/config/families.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 20;

// Ranges of the workload's parameters (workloads/transformer/partition/transformer_params.cpp).
constexpr CountKey kCounts[] = {
    {"num_hidden_layers", &ModelConfig::layers, 1, 1000, true},
    {"hidden_size", &ModelConfig::hidden, 64, kMost, true},
    {"num_attention_heads", &ModelConfig::heads, 1, 1024, true},
    {"num_key_value_heads", &ModelConfig::kv_heads, 1, 1024, false},
    {"head_dim", &ModelConfig::head_dim, kLeastHead, kMostHead, false},
    {"intermediate_size", &ModelConfig::ffn, 16, kMost, true},
    {"vocab_size", &ModelConfig::vocabulary, 1, kMost, true},
    {"num_experts_per_tok", &ModelConfig::experts_per_token, 1, 8, false},
    {"max_position_embeddings", &ModelConfig::longest, 1, std::uint64_t{1} << 32, false}};

constexpr RealKey kReals[] = {{"rms_norm_eps", &ModelConfig::epsilon, 0, 1, 1e-6},
                              {"rope_theta", &ModelConfig::theta, 1, 1e9, 10000}};

constexpr FixedKey kFixed[] = {
    {"hidden_act", "\"silu\"", "another activation than SiLU", kRead},
    {"hidden_activation", "\"silu\"", "another activation than SiLU", "\"gelu_pytorch_tanh\""},
    {"attention_bias", "false", "biases of the projections of attention"},
    {"mlp_bias", "false", "biases of the feed-forward part"},
    {"partial_rotary_factor", "1.0", "a rotation of some features only"},
    {"attn_logit_softcapping", "null", "bounded scores of attention", kRead},
    {"final_logit_softcapping", "null", "bounded logits", kRead},
    {"query_pre_attn_scalar", "null", "another scale of the scores", kRead},
    {"rope_local_base_freq", "null", "local layers with another base of the rotary embedding", kRead},
    {"sliding_window_pattern", "null", "a pattern of local layers", kRead},
    {"_sliding_window_pattern", "null", "a pattern of local layers", kRead},
    {"use_bidirectional_attention", "false", "attention to later tokens"},
    {"decoder_sparse_step", "1", "layers without experts between layers with experts"},
    {"mlp_only_layers", "[]", "layers without experts between layers with experts"},
    {"shared_expert_intermediate_size", "null", "shared experts"},
    {"n_shared_experts", "null", "shared experts", nullptr, kRead},
    {"n_routed_experts", "null", "experts", nullptr, kRead},
    {"q_lora_rank", "null", "multi-head latent attention", nullptr, kRead},
    {"kv_lora_rank", "null", "multi-head latent attention", nullptr, kRead},
    {"qk_nope_head_dim", "null", "multi-head latent attention", nullptr, kRead},
    {"qk_rope_head_dim", "null", "multi-head latent attention", nullptr, kRead},
    {"v_head_dim", "null", "multi-head latent attention", nullptr, kRead},
    {"topk_method", "null", "a choice of experts by groups", nullptr, "\"greedy\""},
    {"n_group", "null", "a choice of experts by groups", nullptr, kRead},
    {"topk_group", "null", "a choice of experts by groups", nullptr, kRead},
    {"scoring_func", "null", "gates that are no softmax", nullptr, "\"softmax\""},
    {"routed_scaling_factor", "1.0", "gates with a factor"},
    {"first_k_dense_replace", "0", "first layers without experts", nullptr, kRead},
    {"moe_layer_freq", "1", "layers without experts between layers with experts"},
    {"pretraining_tp", "1", "products that are cut as in pretraining"},
    {"quantization_config", "null", "quantised weights"},
    {"no_rope_layers", "null", "layers without rotary embedding"},
    {"attention_chunk_size", "null", "attention within chunks"}};

// Read by other means than a table.
constexpr const char* kStructured[] = {
    "architectures",       "rope_scaling",         "rope_parameters",
    "sliding_window",      "use_sliding_window",   "max_window_layers",
    "tie_word_embeddings", "layer_types",          "original_max_position_embeddings",
    "norm_topk_prob",      "moe_intermediate_size"};

constexpr const char* kNeutral[] = {"_name_or_path",        "attention_dropout",
                                    "attn_implementation",  "auto_map",
                                    "aux_loss_alpha",       "bos_token_id",
                                    "cache_implementation", "dtype",
                                    "embd_pdrop",           "ep_size",
                                    "eos_token_id",         "id2label",
                                    "initializer_range",    "label2id",
                                    "model_type",           "output_attentions",
                                    "output_hidden_states", "output_router_logits",
                                    "pad_token_id",         "resid_pdrop",
                                    "return_dict",          "rope_interleave",
                                    "rope_interleaved",     "router_aux_loss_coef",
                                    "router_jitter_noise",  "seq_aux",
                                    "torch_dtype",          "torchscript",
                                    "transformers_version", "use_cache",
                                    "use_bfloat16",         "unk_token_id"};

}  // namespace

std::span<const CountKey> count_keys() { return kCounts; }
std::span<const RealKey> real_keys() { return kReals; }
std::span<const FixedKey> fixed_keys() { return kFixed; }

std::vector<std::string> known_config_keys() {
  std::vector<std::string> keys(std::begin(kStructured), std::end(kStructured));
  keys.insert(keys.end(), std::begin(kNeutral), std::end(kNeutral));
  for (const CountKey& row : kCounts) keys.emplace_back(row.key);
  for (const RealKey& row : kReals) keys.emplace_back(row.key);
  for (const FixedKey& row : kFixed) keys.emplace_back(row.key);
  for (const ModelFamily& family : model_families())
    for (const char* key : {family.experts_key, family.expert_ffn_key})
      if (key != nullptr) keys.emplace_back(key);
  return keys;
}

}  // namespace tahoma::runtime
