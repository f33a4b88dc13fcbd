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

bool scored(const ModelFamily& f) { return f.scored || f.gemma; }  // others of Gemma refuse their values
bool patterned(const ModelFamily& f) { return f.gemma || f.pattern > 0; }
bool routed(const ModelFamily& f) { return f.routed; }
bool latent(const ModelFamily& f) { return f.latent; }
bool partial(const ModelFamily& f) { return f.partial_rope; }
bool multiplied(const ModelFamily& f) { return f.multipliers; }
bool listed_bias(const ModelFamily& f) { return f.listed_bias; }
bool shared(const ModelFamily& f) { return f.shared_ffn_key != nullptr; }

constexpr FixedKey kFixed[] = {
    {"hidden_act", "\"silu\"", "another activation than SiLU",
     [](const ModelFamily& f) { return f.gemma || f.free_activation; }},
    {"hidden_activation", "\"silu\"", "another activation than SiLU", nullptr, "\"gelu_pytorch_tanh\""},
    {"attention_bias", "false", "biases of the projections of attention",
     [](const ModelFamily& f) { return f.listed_bias || f.sinks; }},
    {"swiglu_limit", "null", "gates with a limit", [](const ModelFamily& f) { return f.sinks; }},
    {"attention_out_bias", "false", "a bias of the output of attention"},
    {"bias", "false", "biases of the projections", [](const ModelFamily& f) { return f.o_bias; }},
    {"use_bias", "false", "biases of the projections", [](const ModelFamily& f) { return f.o_bias; }},
    {"use_qkv_bias", "false", "biases of queries, keys and values", listed_bias},
    {"use_parallel_residual", "false", "feed-forward parts beside attention"},
    {"qk_layernorm", "false", "norms of queries and keys"},
    {"qkv_bias", "false", "biases of queries, keys and values"},
    {"mlp_bias", "false", "biases of the feed-forward part"},
    {"use_qk_norm", "false", "norms of queries and keys",
     [](const ModelFamily& f) { return f.qk_norm || f.listed_norm; }},
    {"partial_rotary_factor", "1.0", "a rotation of some features only", partial},
    {"attn_logit_softcapping", "null", "bounded scores of attention", scored},
    {"final_logit_softcapping", "null", "bounded logits", scored},
    {"query_pre_attn_scalar", "null", "another scale of the scores", scored},
    {"rope_local_base_freq", "null", "local layers with another base of the rotary embedding",
     [](const ModelFamily& f) { return f.local_rope; }},
    {"sliding_window_pattern", "null", "a pattern of local layers", patterned},
    {"_sliding_window_pattern", "null", "a pattern of local layers", patterned},
    {"no_rope_layer_interval", "null", "layers without rotary embedding", patterned},
    {"use_bidirectional_attention", "false", "attention to later tokens"},
    {"decoder_sparse_step", "1", "layers without experts between layers with experts"},
    {"mlp_only_layers", "[]", "layers without experts between layers with experts"},
    {"moe_frequency", "1", "layers without experts between layers with experts"},
    {"shared_expert_intermediate_size", "0", "shared experts", shared},
    {"shared_intermediate_size", "0", "shared experts"},
    {"n_shared_experts", "0", "shared experts", routed},
    {"n_routed_experts", "null", "experts", routed},
    {"q_lora_rank", "null", "multi-head latent attention", latent},
    {"kv_lora_rank", "null", "multi-head latent attention", latent},
    {"qk_nope_head_dim", "null", "multi-head latent attention", latent},
    {"qk_rope_head_dim", "null", "multi-head latent attention", latent},
    {"qk_head_dim", "null", "multi-head latent attention", latent},
    {"v_head_dim", "null", "multi-head latent attention", latent},
    {"index_topk", "null", "sparse attention", latent},
    {"index_head_dim", "null", "sparse attention", latent},
    {"index_n_heads", "null", "sparse attention", latent},
    {"topk_method", "\"greedy\"", "a choice of experts by groups", routed},
    {"n_group", "1", "a choice of experts by groups", routed},
    {"topk_group", "1", "a choice of experts by groups", routed},
    {"scoring_func", "\"softmax\"", "gates that are no softmax", routed},
    {"routed_scaling_factor", "1.0", "gates with a factor", routed},
    {"first_k_dense_replace", "0", "first layers without experts", routed},
    {"moe_layer_freq", "1", "layers without experts between layers with experts"},
    {"embedding_multiplier", "1.0", "scaled embeddings", multiplied},
    {"attention_multiplier", "null", "another scale of the scores", multiplied},
    {"residual_multiplier", "1.0", "scaled outputs of sublayers", multiplied},
    {"logits_scaling", "1.0", "scaled logits", multiplied},
    {"scale_emb", "1", "scaled embeddings", multiplied},
    {"scale_depth", "null", "scaled outputs of sublayers", multiplied},
    {"dim_model_base", "null", "scaled logits", multiplied},
    {"no_rope_layers", "null", "layers without rotary embedding", patterned},
    {"logit_scale", "null", "scaled logits", multiplied},
    {"attention_chunk_size", "null", "attention within chunks"},
    {"num_experts", "0", "experts",
     [](const ModelFamily& f) { return f.experts_key != nullptr || f.routed; }},
    {"scale_attn_by_inverse_layer_idx", "false", "scores with another scale in each layer"},
    {"lm_head_bias", "false", "a bias of the logits"},
    {"scale_attn_weights", "true", "scores without a scale"},
    {"mlp_type", "\"default\"", "another feed-forward part"},
    {"norm_type", "\"layer_norm\"", "other norms"}};

constexpr LeftOutKey kLeftOut[] = {
    {"num_nextn_predict_layers", "layers that predict several tokens (MTP)"},
    {"use_mtp", "layers that predict several tokens (MTP)"},
    {"num_mtp_modules", "layers that predict several tokens (MTP)"},
    {"mtp_transformer_layers", "layers that predict several tokens (MTP)"},
    {"mtp_num_hidden_layers", "layers that predict several tokens (MTP)"},
    {"index_topk", "the index of sparse attention, which decides nothing for sequences that it keeps whole"},
    {"visual", "the part for images"},
    {"vision_config", "the part for images"},
    {"audio_config", "the part for audio"},
    {"embd_layer", "the part for images"},
    {"img_processor", "the part for images"}};

// Read by other means than a table.
constexpr const char* kStructured[] = {
    "architectures",       "rope_scaling",          "rope_parameters",
    "sliding_window",      "use_sliding_window",    "max_window_layers",
    "tie_word_embeddings", "layer_types",           "original_max_position_embeddings",
    "norm_topk_prob",      "moe_intermediate_size", "quantization_config",
    "rotary_dim",          "mlp_layer_types",       "layer_norm_eps",
    "layer_norm_epsilon",  "norm_epsilon",          "norm_eps"};

constexpr const char* kNeutral[] = {"_name_or_path",
                                    "attention_dropout",
                                    "attn_implementation",
                                    "auto_map",
                                    "aux_loss_alpha",
                                    "bos_token_id",
                                    "cache_implementation",
                                    "dtype",
                                    "embd_pdrop",
                                    "ep_size",
                                    "eos_token_id",
                                    "id2label",
                                    "initializer_range",
                                    "label2id",
                                    "model_type",
                                    "output_attentions",
                                    "output_hidden_states",
                                    "output_router_logits",
                                    "pad_token_id",
                                    "resid_pdrop",
                                    "return_dict",
                                    "rope_interleave",
                                    "rope_interleaved",
                                    "router_aux_loss_coef",
                                    "router_jitter_noise",
                                    "seq_aux",
                                    "torch_dtype",
                                    "torchscript",
                                    "transformers_version",
                                    "use_cache",
                                    "use_bfloat16",
                                    "unk_token_id",
                                    "_attn_implementation",
                                    "_attn_implementation_autoset",
                                    "_flash_attn_2_enabled",
                                    "add_cross_attention",
                                    "attention_probs_dropout_prob",
                                    "bad_words_ids",
                                    "begin_suppress_tokens",
                                    "chunk_size_feed_forward",
                                    "cross_attention_hidden_size",
                                    "decoder_start_token_id",
                                    "diversity_penalty",
                                    "do_sample",
                                    "early_stopping",
                                    "embedding_dropout",
                                    "encoder_no_repeat_ngram_size",
                                    "activation_function",
                                    "n_embd",
                                    "n_head",
                                    "n_head_kv",
                                    "n_inner",
                                    "n_layer",
                                    "n_positions",
                                    "attention_softmax_in_fp32",
                                    "attn_pdrop",
                                    "flash_attn",
                                    "flash_rotary",
                                    "fused_dense",
                                    "max_sequence_length",
                                    "moe_router_dtype",
                                    "scale_attention_softmax_in_fp32",
                                    "experts_per_token",
                                    "initial_context_length",
                                    "exponential_decay_length_penalty",
                                    "finetuning_task",
                                    "forced_bos_token_id",
                                    "forced_eos_token_id",
                                    "gradient_checkpointing",
                                    "hidden_dropout",
                                    "hidden_dropout_prob",
                                    "indexer_rope_interleave",
                                    "interpolate_factor",
                                    "is_decoder",
                                    "model_max_length",
                                    "pretraining_tp",
                                    "selective_checkpoint_enabled",
                                    "sequence_parallel_enabled",
                                    "transformers.js_config",
                                    "use_flash_attention",
                                    "index_share_for_mtp_iteration",
                                    "index_skip_topk_offset",
                                    "index_topk_freq",
                                    "index_topk_pattern",
                                    "indexer_types",
                                    "is_encoder",
                                    "is_encoder_decoder",
                                    "length_penalty",
                                    "max_length",
                                    "min_length",
                                    "mlp_dropout",
                                    "moe_jitter_eps",
                                    "mtp_use_dedicated_embeddings",
                                    "no_repeat_ngram_size",
                                    "num_beam_groups",
                                    "num_beams",
                                    "num_return_sequences",
                                    "output_scores",
                                    "prefix",
                                    "problem_type",
                                    "pruned_heads",
                                    "remove_invalid_values",
                                    "repetition_penalty",
                                    "residual_dropout",
                                    "return_dict_in_generate",
                                    "sep_token_id",
                                    "suppress_tokens",
                                    "task_specific_params",
                                    "temperature",
                                    "tf_legacy_loss",
                                    "tie_encoder_decoder",
                                    "tokenizer_class",
                                    "top_k",
                                    "top_p",
                                    "typical_p",
                                    "use_mrope",
                                    "use_parallel_embedding",
                                    "attn_dropout",
                                    "is_llama_config",
                                    "input_jitter_noise",
                                    "router_dtype",
                                    "z_loss_coef",
                                    "classifier_dropout",
                                    "keys_to_ignore_at_inference",
                                    "vision_end_token_id",
                                    "vision_start_token_id",
                                    "vision_token_id",
                                    "image_token_id",
                                    "video_token_id",
                                    "video_token",
                                    "image_token"};

}  // namespace

std::span<const CountKey> count_keys() { return kCounts; }
std::span<const RealKey> real_keys() { return kReals; }
std::span<const FixedKey> fixed_keys() { return kFixed; }
std::span<const LeftOutKey> left_out_keys() { return kLeftOut; }

std::vector<std::string> known_config_keys() {
  std::vector<std::string> keys(std::begin(kStructured), std::end(kStructured));
  keys.insert(keys.end(), std::begin(kNeutral), std::end(kNeutral));
  for (const CountKey& row : kCounts) keys.emplace_back(row.key);
  for (const RealKey& row : kReals) keys.emplace_back(row.key);
  for (const FixedKey& row : kFixed) keys.emplace_back(row.key);
  for (const LeftOutKey& row : kLeftOut) keys.emplace_back(row.key);
  for (const ModelFamily& family : model_families())
    for (const char* key : {family.experts_key, family.expert_ffn_key})
      if (key != nullptr) keys.emplace_back(key);
  return keys;
}

}  // namespace tahoma::runtime
