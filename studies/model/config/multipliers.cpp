// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/multipliers.h"

#include <cmath>

namespace tahoma::runtime {

// MiniCPM derives its factors from the numbers of layers and of features of a smaller model.
void read_multipliers(const ConfigReader& in, ModelConfig& c) {
  const auto real = [&](const char* key, double absent) {
    return in.has(key) ? in.real(key, 1e-6, 1e6) : absent;
  };
  c.factors.embedding = real("embedding_multiplier", real("scale_emb", 1));
  c.factors.sublayer = real("residual_multiplier", 1);
  if (in.has("scale_depth"))
    c.factors.sublayer = real("scale_depth", 1) / std::sqrt(static_cast<double>(c.layers));
  c.factors.logits = real("logit_scale", 1) / real("logits_scaling", 1);
  if (in.has("dim_model_base")) c.factors.logits = real("dim_model_base", 1) / static_cast<double>(c.hidden);
  if (in.has("attention_multiplier")) c.query_scalar = std::pow(real("attention_multiplier", 1), -2);
}

}  // namespace tahoma::runtime
