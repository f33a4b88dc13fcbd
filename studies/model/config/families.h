// SPDX-License-Identifier: Apache-2.0
// The architectures that `config.json` may name: what their layers have beside those of Llama, and why others
// are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tahoma::runtime {

// A decoder layer of Llama with other or more parts. A family that consists of these parts is one row.
struct ModelFamily {
  const char* architecture;
  // Values that transformers gives keys that a file lacks, as JSON; keys without one are required or have
  // those of Llama.
  const char* defaults = "{}";
  bool qkv_bias = false, qk_norm = false;
  bool joint_norm = false;   // queries and keys have a norm over all heads
  bool listed_norm = false;  // heads of queries and keys have norms if use_qk_norm says so
  bool listed_bias = false;  // queries, keys and values have a bias if attention_bias or use_qkv_bias says so
  bool o_bias = false, mlp_bias = false;  // biases of the output of attention, and of the feed-forward part
  const char* norm = "rms";               // as workload.model.norm
  bool pre_norm = true;                   // sublayers begin with a norm
  bool parallel = false;                  // the feed-forward part has the input of attention
  bool listed_parallel = false;           // unless use_parallel_residual or parallel_attn is false
  bool parallel_norm = false;             // of parallel parts: that input has a norm of its own
  bool gated = true;                      // the feed-forward part has a gate
  bool sinks = false;                     // of attention, and gates with a limit (GPT-OSS)
  bool free_activation = false;           // hidden_act may be silu, gelu or relu
  bool positions = false;                 // learned ones instead of the rotary embedding
  bool logit_bias = false;
  bool listed_heads = false;    // keys have one head if multi_query says so
  std::uint64_t ffn_times = 0;  // intermediate_size is absent: so many times hidden_size; 0: required
  bool halved_ffn = false;      // intermediate_size counts the gate, too (Qwen 1)
  // Layers are local, except every n-th one, unless the file says otherwise; 0: all are alike. Global layers
  // may have no rotary embedding.
  std::uint64_t pattern = 0;
  bool global_rope = true;
  // Gains of norms are 1 + weight, token embeddings are multiplied by sqrt(hidden) in bf16, the gate's
  // activation is gelu by tanh, and the logits use the embedding's matrix unless the file says otherwise.
  bool gemma = false;
  bool post_norm = false;   // the outputs of the sublayers pass a norm
  bool scored = false;      // scores have a scale of their own, and scores and logits may be capped (Gemma 2)
  bool local_rope = false;  // local layers have a base of the rotary embedding of their own
  bool plain_local = false;   // the rotary embedding of local layers is not scaled
  bool partial_rope = false;  // the rotary embedding may turn the first features of a head only
  bool window = false;  // layers, or some of them, see sliding_window tokens only; others ignore the key
  bool optional_window =
      false;           // sliding_window counts with use_sliding_window only, and not in the first layers
  bool fused = false;  // weights of q, k and v, and of gate and up, are one tensor each (Phi-3)
  const char* experts_key = nullptr;     // the number of experts
  bool optional_experts = false;         // the key may be absent or 0
  const char* expert_ffn_key = nullptr;  // their hidden features, if they differ from intermediate_size
  const char* shared_ffn_key = nullptr;  // those of an expert that every token uses
  bool shared_gated = true;              // its output is gated
  bool latent = false;                   // multi-head latent attention
  bool routed = false;  // experts as DeepSeek names them, behind first layers without (deepseek_config.h)
  bool sigmoid_gates = false;  // gates are sigmoids, and a bias is added to them for the choice of experts
  bool encoder = false;       // one pass over a sequence, whose tokens see each other; no logits, no decoding
  bool norm_sums = false;     // the sums of stream and sublayer pass the norms (BERT)
  bool cross_layers = false;  // layers of cross_attention_layers attend to images; text passes them by
  // MiniMax-M3: attention to chosen blocks of keys, first layers without experts, and gates with a limit.
  bool blocks = false;
  bool interleaved =
      false;            // Llama 4: experts with gated inputs in some layers, norms of heads in local ones
  bool limits = false;  // clip_qkv bounds queries, keys and values
  bool delta = false;   // local layers have a gated delta rule; attention has gates (Qwen3-Next)
  bool states = false;  // layers of Mamba-2, attention and feed-forward parts, as the file lists (Nemotron-H)
  bool fed = false;     // of states: a feed-forward part is behind each of the others (Granite 4, Bamba)
  bool multipliers = false;       // Granite: constants that scale embeddings, scores, sublayers and logits
  bool other_names = false;       // tensors of checkpoints have other names or shapes than Llama's
  const char* refused = nullptr;  // why the kernels cannot run it
};

std::span<const ModelFamily> model_families();

// The family, or UserError E-HFC-002 at `place`.
const ModelFamily& family_of(const std::string& architecture, const std::string& place);

}  // namespace tahoma::runtime
