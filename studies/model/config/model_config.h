// SPDX-License-Identifier: Apache-2.0
// Reads the `config.json` of a Hugging Face model. A key that changes what a layer computes is either
// understood or refused by name, so that no run silently simulates another model. What is understood: decoder
// layers of RMS norm, grouped-query attention with rotary embedding (plain, linear or Llama 3 scaling),
// optional biases of queries, keys and values, optional norms of the heads of queries and keys, and SwiGLU or
// a mixture of such experts; and what the Gemma and DeepSeek families have instead (families.h). Absent keys
// have the values that transformers gives the architecture. Of a model with several kinds of inputs, the text
// model is read.
//
// UserError at FILE or FILE:KEY:
//   E-HFC-001  the file is not JSON, repeats a key, is nested too deep, or is not an object
//   E-HFC-002  an architecture that is unknown, or that the kernels cannot run; the message says why
//   E-HFC-003  a key is missing, or its value has the wrong type or is out of range
//   E-HFC-004  a key that is not known; --ignore KEY if it does not influence inference
//   E-HFC-005  a key asks for something that the kernels lack
//   E-HFC-006  values that contradict each other
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/param_choice.h"
#include "workloads/transformer/partition/sublayers.h"

namespace tahoma::runtime {

struct ModelFamily;

// How the angles of the rotary embedding are scaled for long contexts; the names are those of
// workload.model.rope.scaling, and, but for the first one, those of rope_type in config.json.
enum class RotaryScaling : std::uint8_t { kNone, kLinear, kLlama3, kYarn, kLong };
inline constexpr base::Named<RotaryScaling> kRotaryScalings[] = {{RotaryScaling::kNone, "none"},
                                                                 {RotaryScaling::kLinear, "linear"},
                                                                 {RotaryScaling::kLlama3, "llama3"},
                                                                 {RotaryScaling::kYarn, "yarn"},
                                                                 {RotaryScaling::kLong, "longrope"}};

// Multi-head latent attention (DeepSeek-V2); kv_rank 0: heads have keys and values of their own.
struct LatentDimensions {
  std::uint64_t kv_rank = 0, q_rank = 0, nope = 0, rope = 0, values = 0;
};

// The gated delta rule of local layers, or the rule of Mamba-2 of those that `sublayers` names; value_heads
// 0: none has it.
struct DeltaDimensions {
  std::uint64_t value_heads = 0, key_heads = 0, key_dim = 0, value_dim = 0, taps = 0;
  bool mamba2 = false, tap_bias = false;
  double least_step = 0, most_step = 0;  // of a token; 0: no limit
};

// Factors of matrices (multipliers.h): of the embedding, of the sublayers' last matrices, and of the logits'.
struct MatrixFactors {
  double embedding = 1, sublayer = 1, logits = 1;
};

// Features of a head that the kernels take.
inline constexpr std::uint64_t kLeastHead = 16, kMostHead = 256;

struct ModelConfig {
  std::string file, name;
  std::string part;                   // "text_config:" if the keys are inside this object
  std::vector<std::string> keys;      // of the file, or of that object
  std::vector<std::string> left_out;  // parts of the model that are not simulated, in words
  std::string place(const std::string& key) const { return file + ":" + part + key; }
  const ModelFamily* family = nullptr;
  std::uint64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  std::uint64_t experts = 0, experts_per_token = 0;  // 0: no mixture
  std::uint64_t shared_ffn = 0;                      // of an expert that every token uses, 0: there is none
  std::uint64_t expert_latent = 0;                   // as workload.model.expert_latent
  std::uint64_t expert_width() const { return expert_latent > 0 ? expert_latent : hidden; }
  // The first layers, which have one feed-forward part instead of experts.
  std::uint64_t dense_layers = 0, dense_ffn = 0;
  std::uint64_t crossed = 0;       // layers that attend to images, beside `layers`
  std::uint64_t expert_every = 1;  // only every layer of this number has experts
  workloads::Sublayers sublayers;  // of layers that follow no rule; `layers` counts them, not their parts
  bool has_experts(std::uint64_t layer) const {
    if (sublayers) return sublayers.of(layer).feed_forward == workloads::FeedForwardKind::kExperts;
    return experts > 0 && layer >= dense_layers && (layer + 1) % expert_every == 0;
  }
  bool has_feed_forward(std::uint64_t layer) const {
    return !sublayers || sublayers.of(layer).feed_forward != workloads::FeedForwardKind::kNone;
  }
  std::uint64_t layers_without_experts() const;  // of a mixture, with another feed-forward part
  std::uint64_t layers_without_feed_forward() const;
  std::uint64_t chunk = 0;  // attention within chunks of so many tokens; sequences must be shorter; 0: none
  double qkv_limit = 0;     // as workload.model.qkv_limit
  LatentDimensions latent;
  DeltaDimensions delta;
  bool normalised_gates = true;           // the gates of a token's experts add up to 1
  double gate_factor = 1;                 // of the gates
  double gate_limit = 0;                  // as workload.model.gate_limit
  std::uint64_t sparse_keys = 0;          // keys that sparse attention keeps; 0: it sees all
  const char* sparse_key = "index_topk";  // of the file, which says so
  std::uint64_t longest = 0;              // tokens of a sequence; 0: not stated
  std::uint64_t window = 0;               // tokens that attention of local layers sees; 0: all
  bool irregular_window = false;          // of layers in an order that cases cannot express
  double epsilon = 0, theta = 0;
  bool tied = false;  // the logits use the embedding's matrix
  RotaryScaling rope_scaling = RotaryScaling::kNone;
  double rope_factor = 1, rope_low_frequency_factor = 1, rope_high_frequency_factor = 4;
  std::uint64_t rope_original_context = 0;
  double rope_beta_fast = 32, rope_beta_slow = 1;
  bool rope_truncated = true;  // the ends of YaRN's ramp are whole numbers
  // LongRoPE divides the frequency of each pair of features by one of the first, or in sequences of more than
  // rope_original_context tokens by one of the second.
  std::vector<double> rope_short{}, rope_long{};
  std::uint64_t rotated = 0;         // first features of a head that the rotary embedding turns; 0: all
  double rope_magnitude = 1;         // of cosines and sines: YaRN's and LongRoPE's
  double score_factor = 1;           // of the scores, beside 1 / sqrt(head_dim): YaRN's
  double attention_weights() const;  // elements of a layer, of those with a delta rule, too: the mean
  // Hidden features of the feed-forward parts that a token uses, in a layer with experts. Products with
  // latent vectors count as those that have as many weights.
  double experts_of_token() const;
  std::uint64_t cached_elements() const;  // of a token in the cache of a layer
  MatrixFactors factors;
  // Gemma; 0: none of it.
  double query_scalar = 0;  // scores are divided by its root instead of that of head_dim
  double score_cap = 0, logit_cap = 0;
  double local_theta = 0;           // of local layers, which are all but every `global_every`-th one
  std::uint64_t global_every = 0;   // 0: all layers are local
  bool unrotated = false;           // global layers have no rotary embedding
  bool rotary = true;               // any layer has it
  const char* activation = "silu";  // as workload.model.activation
  bool squared = false;             // as workload.model.squared
  bool qkv_bias = false, qk_norm = false, joint_qk_norm = false;
  bool parallel = false, parallel_norm = false;
};

// `path`: config.json or its folder. `ignored`: keys that the caller declares without influence.
ModelConfig read_model_config(const std::string& path, const std::vector<std::string>& ignored);

bool is_encoder(const ModelConfig& config);

// Query heads with those that fill the groups up to a number that a tensor degree can share, as
// workload.model.padding_heads says; as they are if it can share these, or cannot share the heads of keys.
std::uint64_t padded_heads(const ModelConfig& config, std::uint64_t tensor);

// Throws E-HFC-005 if a sequence of that many tokens is longer than the model allows, or than a window that
// only the layers behind the first ones have.
void require_sequence(const ModelConfig& config, std::uint64_t tokens);

}  // namespace tahoma::runtime
