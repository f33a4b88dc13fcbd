// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/gemma_config.h"

#include <fmt/format.h>

#include <cmath>

#include "isa/core/dtype.h"
#include "studies/model/config/families.h"

namespace tahoma::runtime {

void read_gemma(const ConfigReader& in, ModelConfig& c) {
  if (c.head_dim == 0)
    in.refuse("head_dim", fmt::format("a whole number from {} to {}", kLeastHead, kMostHead));
  const std::string act = in.has("hidden_act") ? in.text("hidden_act") : "gelu_pytorch_tanh";
  if (act != "gelu_pytorch_tanh" && (c.family->scored || act != "gelu"))
    throw base::UserError(
        "E-HFC-005", in.place("hidden_act"),
        fmt::format("asks for another activation than gelu_pytorch_tanh, which the kernels lack; got {}",
                    act));
  // Embedded tokens are multiplied by a root that has the type of the weights.
  c.factors.embedding = double{
      isa::fp32_from_bf16(isa::bf16_from_fp32(static_cast<float>(std::sqrt(static_cast<double>(c.hidden)))))};
  if (!c.family->scored) {
    for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar"})
      if (in.has(key)) in.refuse(key, "null for this architecture");
  } else {
    c.query_scalar = in.has("query_pre_attn_scalar") ? in.real("query_pre_attn_scalar", 1, 1e6) : 256;
    if (in.has("attn_logit_softcapping")) c.score_cap = in.real("attn_logit_softcapping", 1, 60);
    if (in.has("final_logit_softcapping")) c.logit_cap = in.real("final_logit_softcapping", 1, 1e4);
  }
  if (!c.family->local_rope) return;
  if (!in.has("rope_theta")) c.theta = 1e6;
  c.local_theta = in.has("rope_local_base_freq") ? in.real("rope_local_base_freq", 1, 1e9) : 1e4;
}

}  // namespace tahoma::runtime
