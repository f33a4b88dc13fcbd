// SPDX-License-Identifier: Apache-2.0
// The parameters of a transformer: the dimensions of the model, the phase, and the sharding over the machine.
// A *rank* is a logical core (`machine.chip.lnc` physical ones). `tensor` ranks, a *group*, share every
// weight of a layer; `sequence` groups share the tokens of a sequence; `data` replicas of these have their
// own sequences; and `pipeline` *stages* have their own layers. Groups are numbered in this order, those that
// share a sequence first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/dtype.h"
#include "isa/core/instruction.h"
#include "model/base/params.h"
#include "model/system/machine/machine_params.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/run/placement.h"
#include "workloads/transformer/partition/delta_rule.h"
#include "workloads/transformer/partition/latent_shape.h"
#include "workloads/transformer/partition/sublayers.h"

namespace tahoma::workloads {

// Long contexts: how the angles of the rotary embedding differ from theta^(-2 i / head_dim) a token, i the
// pair of features. `linear` divides all of them by `factor`. `llama3` (Llama 3.1) does so for pairs whose
// wavelength, in tokens, exceeds original_context / low_frequency_factor, leaves those below original_context
// / high_frequency_factor as they are, and interpolates between the two. `yarn` (YaRN, Peng et al. 2023)
// interpolates over the numbers of pairs, between the pair that turns beta_fast times in original_context
// tokens and the one that turns beta_slow times.
enum class RopeScaling : std::uint8_t { kNone, kLinear, kLlama3, kYarn };
inline constexpr base::Named<RopeScaling> kRopeScalings[] = {{RopeScaling::kNone, "none"},
                                                             {RopeScaling::kLinear, "linear"},
                                                             {RopeScaling::kLlama3, "llama3"},
                                                             {RopeScaling::kYarn, "yarn"}};
// With `local_theta`, local layers (ModelShape) have that base and no scaling (Gemma 3).
struct RotaryAngles {
  RopeScaling scaling{};
  double factor = 1, low_frequency_factor = 1, high_frequency_factor = 4;
  std::uint64_t original_context = 8192;
  double beta_fast = 32, beta_slow = 1;
  double local_theta = 0;
  std::uint64_t features = 0;  // first ones of a head that are turned; 0: all
  bool global = true;          // in global layers, too (false: SmolLM3, EXAONE 4)
  bool local = true;           // in the others; false in both: no layer has it (GPT-2)
  bool truncated = true;       // yarn: the ends of the interpolation are whole numbers of pairs
  // "1.05,1.1": the frequency of each pair is divided by its number; empty: by none (LongRoPE)
  std::string divisors;
  double magnitude = 1;  // of cosines and sines (YaRN, LongRoPE)
  void declare(base::ParamTree& t);
};
// The numbers of such a text; 0 for what is no number.
std::vector<double> rope_divisors(const std::string& text);

// What the gate of a feed-forward part may apply.
inline constexpr std::array kGateActivations{isa::ActFn::kSilu, isa::ActFn::kGeluTanh, isa::ActFn::kGelu,
                                             isa::ActFn::kRelu, isa::ActFn::kGeluSigmoid};

// The norms in front of the sublayers and of the logits: RMS norms, or layer norms with or without a bias.
enum class NormKind : std::uint8_t { kRms, kLayer, kLayerBias };
inline constexpr base::Named<NormKind> kNormKinds[] = {
    {NormKind::kRms, "rms"}, {NormKind::kLayer, "layer"}, {NormKind::kLayerBias, "layer_bias"}};

// The gates of a token's experts: a softmax, or sigmoids, which normalised_gates divide by their sum.
enum class GateFunction : std::uint8_t { kSoftmax, kSigmoid };
inline constexpr base::Named<GateFunction> kGateFunctions[] = {{GateFunction::kSoftmax, "softmax"},
                                                               {GateFunction::kSigmoid, "sigmoid"}};

// A decoder layer: RMS norm, grouped-query attention with rotary embedding, RMS norm, SwiGLU; or, instead of
// SwiGLU, a mixture of such experts, of which each token uses some.
struct ModelShape {
  std::string name;
  std::uint64_t layers = 1;  // of the whole model
  std::uint64_t hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  std::uint64_t experts = 0, experts_per_token = 2;  // 0: no mixture
  bool normalised_gates =
      true;  // gates are a softmax over the chosen experts, otherwise over all (Qwen2-MoE)
  GateFunction gate_function{};
  double gate_factor = 1;     // of the gates (DeepSeek)
  bool gated_inputs = false;  // gates multiply what experts get, not what they make (Llama 4)
  std::uint64_t expert_every =
      1;  // only every layer of this number has experts, the others dense_ffn (Llama 4)
  // A mixture may have one more expert, which every token uses, with so many hidden features; `shared_gated`:
  // its output is multiplied by the sigmoid of a product with the token (Qwen2-MoE).
  std::uint64_t shared_ffn = 0;
  bool shared_gated = false;
  // Experts have so many features of a product with the token, and the sum of what they make is multiplied
  // back; 0: they have the token (Nemotron 3 Super).
  std::uint64_t expert_latent = 0;
  // Query heads, the last of each group, that fill the groups up to a number that the ranks can share: they
  // count as no work. Heads with keys of their own are one group, and keys are filled up, too.
  std::uint64_t padding_heads = 0;
  // The first so many layers of a mixture have one feed-forward part of so many hidden features instead
  // (DeepSeek).
  std::uint64_t dense_layers = 0, dense_ffn = 0;
  double epsilon = 1e-5, theta = 500000;
  RotaryAngles rope;
  // Attention from latent vectors, if it has any. Then head_dim is that of queries and keys, and kv_heads
  // that of queries.
  LatentShape latent;
  DeltaRule delta;              // of local layers, instead of attention (Qwen3-Next)
  Sublayers sublayers;          // of layers that follow no rule (Nemotron-H); none: as the other members say
  bool attention_gate = false;  // outputs of attention are multiplied by sigmoids of products of the token
  // The matrices of a layer, except the router's, have this type. The tensor engine multiplies bf16 by fp8 at
  // the rate of bf16.
  isa::DType weights = isa::DType::kBf16;
  // The rows that the products of a layer multiply by these matrices have this type. An fp8 type must be that
  // of the weights: then the array works in double_row mode, at twice the rate. Rows are rounded without
  // scales.
  isa::DType activations = isa::DType::kBf16;
  bool qkv_bias = false;  // queries, keys and values have a bias (Qwen2)
  bool o_bias = false;    // the outputs of attention have a bias
  bool mlp_bias =
      false;  // so have both products of the feed-forward part, those of each expert and the router's
  bool qk_norm = false;        // each head of queries and keys passes an RMS norm before its rotation (Qwen3)
  bool qk_norm_global = true;  // in global layers, too (false: Llama 4)
  double qkv_limit = 0;        // queries, keys and values are at most this away from 0; 0: as they are (DBRX)
  bool joint_qk_norm = false;  // the features of all heads together do: queries, and keys (OLMo 2)
  std::uint64_t positions = 0;  // rows of a learned matrix that are added to embedded tokens (GPT-2); 0: none
  bool logit_bias = false;      // logits have a bias (GPT-J, Phi)

  isa::ActFn activation = isa::ActFn::kSilu;
  // The gate is at most this, the second product at most this away from 0, and 1 is added to the latter; 0:
  // they are as they are (GPT-OSS).
  double gate_limit = 0;
  bool sinks = false;    // each head has a score of its own beside those of the keys, with no value (GPT-OSS)
  bool gated = true;     // the feed-forward part multiplies the activated product by a second one
  bool squared = false;  // otherwise, hidden features are squares of the activated product (relu2)
  NormKind norm{};
  bool pre_norm = true;        // sublayers begin with a norm (false: OLMo 2, EXAONE 4)
  bool norm_sums = false;      // sums of stream and sublayer pass the norm instead (BERT); for prefills
  bool bidirectional = false;  // queries see all keys, later ones, too (encoders); for prefills
  bool parallel = false;       // the feed-forward part has the normalised input of attention (Cohere, Phi)
  bool parallel_norm = false;  // of parallel parts: that input has a norm of its own (GPT-NeoX)
  bool post_norm = false;  // the outputs of attention and of the feed-forward part pass an RMS norm (Gemma 2)
  // Scores are multiplied by `query_scale`, 0: 1 / sqrt(head_dim); scores and logits become cap tanh(x /
  // cap), 0: as they are.
  double query_scale = 0, score_cap = 0, logit_cap = 0;

  // Queries of a local layer see only that many keys, their own among them; 0: all. Layers are local, except
  // every `global_every`-th one; 0: all are. Only local layers use `window` and rope.local_theta.
  std::uint64_t window = 0, global_every = 0;

  void declare(base::ParamTree& t);
  bool has_delta(std::uint64_t layer) const {
    return sublayers ? sublayers.of(layer).state : delta && local(layer);
  }
  bool one_norm() const { return parallel && !parallel_norm; }  // of both sublayers
  double score_scale() const;
  bool local(std::uint64_t layer) const { return global_every == 0 || (layer + 1) % global_every != 0; }
  // By the rotary embedding.
  bool turned(std::uint64_t layer) const { return local(layer) ? rope.local : rope.global; }
  std::uint64_t widened() const { return gated ? 2 : 1; }  // first products of the feed-forward part
  // The keys that queries of the n-th layer see; 0: all.
  std::uint64_t window_of(std::uint64_t layer) const { return local(layer) ? window : 0; }
  // Returns how many of `context` cached tokens the n-th layer keeps for a decoding step: a window without
  // the new token.
  std::uint64_t kept(std::uint64_t layer, std::uint64_t context) const {
    const std::uint64_t most = window_of(layer);
    return most == 0 ? context : std::min(context, most - 1);
  }
  // Returns the parameter of a feature that the layers of Llama do not have, or null.
  const char* beyond_llama() const;
  // Rotated features of a head.
  std::uint64_t rotary_dim() const {
    return latent ? latent.rope : rope.features > 0 ? rope.features : head_dim;
  }
  std::uint64_t rotary_pitch() const {
    return latent ? latent.rope : head_dim;
  }  // features of what it is part of
  std::uint64_t value_dim() const { return latent ? latent.values : head_dim; }
  std::uint64_t group() const { return heads / kv_heads; }  // query heads that share keys and values
  std::uint64_t feed_forwards() const { return experts > 0 ? experts : 1; }
  double ffn_weights(std::uint64_t features) const {  // of a feed-forward part
    return static_cast<double>((widened() + 1) * hidden * features);
  }
  std::uint64_t expert_width() const { return expert_latent > 0 ? expert_latent : hidden; }
  double expert_weights() const {  // of one of the experts, or of the only feed-forward part
    return static_cast<double>((widened() + 1) * expert_width() * ffn);
  }
  std::uint64_t counted_heads() const { return heads - padding_heads; }
  std::uint64_t counted_kv_heads() const { return kv_heads - (group() == 1 ? padding_heads : 0); }
  // Hidden features of the part that every token passes: all of a model without experts, or the shared
  // expert's.
  std::uint64_t common_ffn() const { return experts > 0 ? shared_ffn : ffn; }
  double attention_weights() const;                 // elements
  double mixer_weights(std::uint64_t layer) const;  // of attention or the delta rule
  double layer_weights() const;                     // elements
  bool has_experts(std::uint64_t layer) const {
    if (sublayers) return sublayers.of(layer).feed_forward == FeedForwardKind::kExperts;
    return experts > 0 && layer >= dense_layers && (layer + 1) % expert_every == 0;
  }
  bool has_feed_forward(std::uint64_t layer) const {
    return !sublayers || sublayers.of(layer).feed_forward != FeedForwardKind::kNone;
  }
  bool has_head_norms(std::uint64_t layer) const { return qk_norm && (qk_norm_global || local(layer)); }
  double dense_weights() const;                    // of a layer without experts
  double token_weights() const;                    // weights that a token uses; only its own experts
  double used_weights(std::uint64_t layer) const;  // elements of matrices that a token uses in this layer
};

struct ParallelDegrees {
  std::uint64_t tensor = 1, sequence = 1, data = 1, pipeline = 1;
  // Blocks of the tensor-parallel ranks: each has some of the experts, and its ranks share them.
  std::uint64_t expert = 1;
  void declare(base::ParamTree& t);
  std::uint64_t groups() const { return sequence * data * pipeline; }
  std::uint64_t ranks() const { return tensor * groups(); }
  std::uint64_t block() const { return tensor / expert; }
};

// Files of inputs, each [layers, rows, columns] except x [rows, hidden]; empty: from the seed.
struct TransformerFiles {
  struct File {
    const char *name, *what;
    std::string path;
  };
  std::vector<File> all{
      {"x", "[rows, hidden], the residual stream in front of the first layer", {}},
      {"attention_gain", "[layers, 1, hidden] of fp32", {}},
      {"q", "[layers, hidden, heads head_dim]", {}},
      {"k", "[layers, hidden, kv_heads head_dim], not with model.latent", {}},
      {"v", "[layers, hidden, kv_heads head_dim], not with model.latent", {}},
      {"o", "[layers, heads head_dim, hidden]", {}},
      {"mlp_gain", "[layers, 1, hidden] of fp32", {}},
      {"gate", "[layers, hidden, ffn], of experts [layers, experts hidden, ffn]", {}},
      {"up", "as gate", {}},
      {"down", "[layers, ffn, hidden], of experts [layers, experts ffn, hidden]", {}},
      {"k_cache", "what is in the cache: [layers, batch context, kv_heads head_dim]", {}},
      {"v_cache", "what is in the cache: [layers, batch context, kv_heads head_dim]", {}},
      {"router", "of experts: [layers, hidden, experts]", {}},
      {"shared_gate", "of the shared expert: [layers, hidden, shared_ffn]", {}},
      {"shared_up", "as shared_gate", {}},
      {"shared_down", "of the shared expert: [layers, shared_ffn, hidden]", {}},
      {"shared_router",
       "with shared_gated: [layers, hidden, 1]; the sigmoid of a token's product with it multiplies the "
       "shared expert's output",
       {}},
      {"routing", "[layers, rows, experts_per_token] of int32, the experts of each token", {}}};
  void declare(base::ParamTree& t);
  const std::string& of(std::string_view name) const;
};

enum class Phase : std::uint8_t { kPrefill, kDecode };
inline constexpr base::Named<Phase> kPhases[] = {{Phase::kPrefill, "prefill"}, {Phase::kDecode, "decode"}};

// The experts of tokens: equally many tokens for each, or at random with the first ones more often.
enum class RoutingChoice : std::uint8_t { kBalanced, kSkewed };
inline constexpr base::Named<RoutingChoice> kRoutingChoices[] = {{RoutingChoice::kBalanced, "balanced"},
                                                                 {RoutingChoice::kSkewed, "skewed"}};

struct TransformerParams {
  ModelShape model;
  ParallelDegrees parallel;
  TransformerFiles inputs;
  Phase phase = Phase::kPrefill;
  std::string placement;
  runtime::collective::Algorithm algorithm{};
  RoutingChoice routing{};
  double skew = 1;                 // of skewed routing
  std::uint64_t layers = 1;        // that are simulated
  std::uint64_t first_layer = 0;   // number in the model of the first of them, which decides which are local
  std::uint64_t batch = 1;         // sequences of the whole machine
  std::uint64_t tokens = 1;        // prefill: of each sequence
  std::uint64_t context = 0;       // decode: tokens of each sequence that are in the cache before this one
  std::uint64_t cached = 0;        // prefill: the same before these tokens, a chunk of a longer prompt
  std::uint64_t padding = 0;       // prefill: of the tokens of a sequence, that many last ones do not count
  std::uint64_t overlap = 1;       // slices of the tokens; one is exchanged while others are computed
  std::uint64_t microbatches = 1;  // parts of the sequences of a replica
  std::string stages;              // simulated layers of each stage, "2,2,1"; empty: equally many
  // The run begins with token ids, which are embedded, and ends with the last norm and the logits of the last
  // token of each sequence; otherwise it begins and ends with the residual stream.
  bool logits = false;

  void declare(base::ParamTree& t);
  // Declares those of them that a training step also has: all except phases, inputs and slices.
  void declare_case(base::ParamTree& t);
  // Throws the errors of check_case().
  void check(const model::MachineParams& machine) const;

  static constexpr isa::DType kDType = isa::DType::kBf16;
  // The simulated layers of a stage, of each stage, and those of the stage that has most of them in the whole
  // model, of which the layers that are not simulated are divided equally.
  runtime::Part layers_of_stage(std::uint64_t stage) const;
  std::vector<std::uint64_t> stage_layers() const;
  std::uint64_t longest_stage() const;
  std::uint64_t replica_sequences() const { return batch / parallel.data; }
  std::uint64_t sequences() const { return replica_sequences() / microbatches; }  // of a microbatch
  std::uint64_t before() const { return phase == Phase::kDecode ? context : cached; }
  std::uint64_t sequence_rows() const { return phase == Phase::kDecode ? 1 : tokens; }
  // Rows of the activations of a group in a microbatch: its tokens, or its sequences' new ones.
  std::uint64_t rows() const {
    return phase == Phase::kDecode ? sequences() : sequences() * tokens / parallel.sequence;
  }
  std::uint64_t all_rows() const { return batch * sequence_rows(); }
  // Those of a sequence that are no padding.
  std::uint64_t counted_rows() const { return sequence_rows() - (phase == Phase::kPrefill ? padding : 0); }
  // The learned position of a row of the case.
  std::uint64_t position_of(std::uint64_t row) const {
    return std::min(before() + row % sequence_rows(), model.positions - 1);
  }
  double keys_seen(std::uint64_t window) const;
  // Multiply-accumulates count twice, for the simulated layers on all replicas; causal attention counts half.
  double useful_flops() const;
  std::string describe() const;
};

inline constexpr isa::DType kModelDType =
    TransformerParams::kDType;  // of activations, and of weights outside the layers

}  // namespace tahoma::workloads
