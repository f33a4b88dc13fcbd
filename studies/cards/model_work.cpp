// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/model_work.h"

#include <algorithm>
#include <cmath>

#include "studies/model/config/layer_pattern.h"

namespace tahoma::runtime {

namespace {

double number(std::uint64_t n) { return static_cast<double>(n); }

constexpr double kElement = 2;  // bytes in bf16

// Returns a product of `tokens` rows with a matrix of `in` by `out` elements, on one device.
CardWork product(const char* part, double tokens, double in, double out, double kernels) {
  return {part, 2 * tokens * in * out, kElement * (in * out + tokens * (in + out)), kernels, 0};
}

CardWork attention(const ModelConfig& c, const WorkShape& shape, double devices) {
  const double heads = number(c.heads) / devices, kv_heads = std::max(1.0, number(c.kv_heads) / devices),
               width = number(c.head_dim);
  const double queries = 2 * shape.tokens * heads * width,  // read, and the output written
      caches = 2 * shape.cached_rows * kv_heads * width;
  return {"attention", 4 * shape.scores * heads * width, kElement * (queries + caches), 2, 0};
}

// Returns the expected number of experts that at least one of `tokens` chose.
double chosen_experts(const ModelConfig& c, double tokens) {
  const double experts = number(c.experts), share = number(c.experts_per_token) / experts;
  return experts * (1 - std::pow(1 - share, tokens));
}

void add_feed_forward(std::vector<CardWork>& parts, const ModelConfig& c, double tokens, double devices) {
  const double hidden = number(c.hidden), ffn = number(c.ffn) / devices;
  CardWork up = product("gate and up", tokens, hidden, 2 * ffn, 2),
           down = product("down", tokens, ffn, hidden, 1);
  if (c.experts > 0) {
    parts.push_back(product("router", tokens, hidden, number(c.experts), 2));
    const double more = chosen_experts(c, tokens) - 1, per_token = number(c.experts_per_token);
    up.flops *= per_token;
    down.flops *= per_token;
    up.bytes += kElement * more * hidden * 2 * ffn;
    down.bytes += kElement * more * hidden * ffn;
  }
  if (c.shared_ffn > 0) {
    const double shared = number(c.shared_ffn) / devices;
    parts.push_back(product("shared gate and up", tokens, hidden, 2 * shared, 2));
    parts.push_back(product("shared down", tokens, shared, hidden, 1));
  }
  down.reduced_bytes = kElement * tokens * hidden;
  parts.push_back(up);
  parts.push_back(down);
}

}  // namespace

WorkShape shape_of(const ModelDemand& demand, ModelPhase phase) {
  const double prompt = number(demand.prompt), batch = number(demand.batch), context = number(demand.context);
  if (phase == ModelPhase::kPrefill) {
    const double prompts = number(demand.prompts);
    return {prompts * prompt, prompts * prompt * (prompt + 1) / 2, prompts * prompt};
  }
  return {batch, batch * (context + 1), batch * (context + 1)};
}

std::vector<CardWork> layer_work(const ModelConfig& c, const WorkShape& shape, double devices) {
  const double hidden = number(c.hidden), heads = number(c.heads) * number(c.head_dim) / devices,
               kv_heads = std::max(1.0, number(c.kv_heads) / devices) * number(c.head_dim);
  std::vector<CardWork> parts{product("queries, keys, values", shape.tokens, hidden, heads + 2 * kv_heads, 2),
                              attention(c, shape, devices),
                              product("output", shape.tokens, heads, hidden, 1)};
  parts.back().reduced_bytes = kElement * shape.tokens * hidden;
  add_feed_forward(parts, c, shape.tokens, devices);
  return parts;
}

std::vector<CardWork> layer_work(const ModelConfig& c, const ModelDemand& demand, ModelPhase phase,
                                 double devices) {
  WorkShape shape = shape_of(demand, phase);
  const bool prefill = phase == ModelPhase::kPrefill;
  const double sequences = number(prefill ? demand.prompts : demand.batch),
               seen = pairs_of_layers(c, prefill ? 0 : demand.context, prefill ? demand.prompt : 1) /
                      number(c.layers);
  shape.scores = sequences * seen;  // of the mean of the layers
  if (!prefill) shape.cached_rows = shape.scores;
  return layer_work(c, shape, devices);
}

std::vector<CardWork> ends_work(const ModelConfig& c, double tokens, double sequences, double devices) {
  const double hidden = number(c.hidden);
  return {{"embedding", 0, 2 * kElement * tokens * hidden, 1, 0},
          product("logits", sequences, hidden, number(c.vocabulary) / devices, 2)};
}

std::vector<CardWork> ends_work(const ModelConfig& c, const ModelDemand& demand, ModelPhase phase,
                                double devices) {
  return ends_work(c, shape_of(demand, phase).tokens,
                   number(phase == ModelPhase::kPrefill ? demand.prompts : demand.batch), devices);
}

double layer_weights(const ModelConfig& c) {
  const double hidden = number(c.hidden),
               attention = hidden * number(c.head_dim) * number(2 * c.heads + 2 * c.kv_heads),
               experts = number(std::max<std::uint64_t>(c.experts, 1));
  const double features = number(c.ffn) * experts + number(c.shared_ffn);
  return attention + 3 * hidden * features + hidden * number(c.experts);
}

double ends_weights(const ModelConfig& c) {
  return (c.tied ? 1 : 2) * number(c.hidden) * number(c.vocabulary);
}

double resident_bytes(const ModelConfig& c, const ModelDemand& demand) {
  const double caches =
      2 * number(demand.batch) * number(demand.context) * number(c.kv_heads) * number(c.head_dim);
  return kElement * (number(c.layers) * (layer_weights(c) + caches) + ends_weights(c));
}

}  // namespace tahoma::runtime
