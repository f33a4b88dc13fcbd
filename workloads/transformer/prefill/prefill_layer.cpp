// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/prefill_layer.h"

#include <algorithm>

#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

PrefillLayer::PrefillLayer(Replica& replica, std::size_t r, const TransformerParams& params,
                           const PrefillSharding& sharding, const std::vector<Matrix>* streams) {
  const RankShare& share = sharding.share;
  const RowSharding& rows = sharding.rows;
  const TokenSharding& tokens = sharding.tokens;
  const ModelShape& m = params.model;
  // Products read all rows, attention those of a run.
  const std::uint64_t padded =
      std::max(transposed_load_rows(rows.rows()), transposed_tensor_rows(rows.rows(), tokens.run));
  const auto typed = [&](const char* name, std::uint64_t columns, isa::DType dtype) {
    Matrix matrix = replica.shared(r, name, dtype, padded, columns);
    if (padded != rows.rows()) replica.declare_input(matrix.tensor);  // rows that are read, but not used
    return matrix;
  };
  const auto whole = [&](const char* name, std::uint64_t columns) {
    return typed(name, columns, kModelDType);
  };
  gathered = typed("gathered", m.hidden, m.activations);
  if (share.delta)
    allocate_delta(replica, r, m, share, rows.rows());
  else if (m.latent)
    allocate_latent(whole, m.latent, share.heads);
  else
    qkv = whole("qkv", share.units() * m.head_dim);
  o = typed("attention", share.mixed(m), m.activations);
  // Rows that another rank computes remain zero.
  if (share.sharers > 1) replica.declare_input(o.tensor);
  if (tokens.groups > 1) {
    const std::uint64_t columns = 2 * share.kv_heads * m.head_dim;
    keys = whole("keys_values", columns);
    all_keys = replica.shared(r, "all_keys_values", kModelDType, params.sequences() * params.tokens, columns);
  }
  partial = whole("partial", m.hidden);
  if (share.common_ffn > 0) {
    gathered_mlp = typed("gathered_mlp", m.hidden, m.activations);
    if (m.gated) gate_up = whole("gate_up", 2 * share.common_ffn);
    hidden = typed("hidden", share.common_ffn, m.activations);
  }
  if (share.common_ffn > 0 || replica.ranks() == 1) partial_mlp = whole("partial_mlp", m.hidden);
  allocate_core_tensors(replica, r, m, sharding, streams);
}

void PrefillLayer::allocate_delta(Replica& replica, std::size_t r, const ModelShape& m,
                                  const RankShare& share, std::uint64_t rows) {
  const DeltaHeads heads = share.delta_heads(m);
  delta_in = replica.shared(r, "delta_in", kModelDType, rows, share.physical_cores * heads.columns());
  for (std::size_t h = 0; h < share.physical_cores; ++h)
    mixed.push_back(replica.own(r, h, "mixed_tokens", kModelDType, rows, heads.channels()));
}

void PrefillLayer::allocate_latent(const Allocate& whole, const LatentShape& l, std::uint64_t heads) {
  latent.down = whole("latents", l.down());
  latent.q_nope = whole("q_nope", heads * l.nope);
  latent.q_rope = whole("q_rope", heads * l.rope);
  latent.k = whole("keys", heads * l.nope);
  latent.v = whole("values", heads * l.values);
}

void PrefillLayer::allocate_core_tensors(Replica& replica, std::size_t r, const ModelShape& model,
                                         const PrefillSharding& sharding,
                                         const std::vector<Matrix>* streams) {
  const RankShare& share = sharding.share;
  const RowSharding& rows = sharding.rows;
  const bool mixture = share.mixture;
  for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
    CoreTensors& tensors = core_tensors.emplace_back();
    if (model.sinks) {
      tensors.sums = replica.own(r, h, "log_sums", isa::DType::kFp32,
                                 transposed_load_rows(share.heads_of(r, h).count), sharding.tokens.tokens());
      replica.declare_input(tensors.sums.tensor);  // rows that are read, but not used
    }
    const auto typed = [&](const char* name, isa::DType dtype) {
      return replica.own(r, h, name, dtype, rows.own(), model.hidden);
    };
    const auto own = [&](const char* name) { return typed(name, kModelDType); };
    tensors.stream = streams != nullptr ? (*streams)[h] : own("stream");
    tensors.middle = own("middle");
    const bool alone = replica.ranks() == 1;
    if (!alone) {
      tensors.normed = typed("normed", model.activations);
      tensors.sum = own("sum");
    }
    if (mixture) {
      tensors.normed_mlp =
          replica.own(r, h, "normed_mlp", kModelDType, rows.own() + kTransposeRows, model.hidden);
      replica.declare_input(tensors.normed_mlp.tensor);  // rows that are read, but not used
    } else if (!alone) {
      tensors.normed_mlp = typed("normed_mlp", model.activations);
    }
    if (!alone) tensors.sum_mlp = own("sum_mlp");
    if (mixture && model.shared_ffn > 0) tensors.mixed = own("mixed");
    if (mixture && model.shared_gated)
      tensors.shared_logits = replica.own(r, h, "shared_logits", isa::DType::kFp32, rows.own(), 1);
  }
}

}  // namespace tahoma::workloads
