// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/decode/decode_layer.h"

#include "runtime/collective/lowering/strips.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

DecodeLayer::DecodeLayer(Replica& replica, std::size_t r, const TransformerParams& params,
                         const RankShare& share, const DecodeSharding& sharding,
                         const std::vector<Matrix>* streams) {
  const ModelShape& m = params.model;
  const bool experts = share.mixture;
  const std::uint64_t padded = transposed_load_rows(sharding.rows);
  const auto known = [&](Matrix matrix) {
    if (padded != sharding.rows) replica.declare_input(matrix.tensor);  // rows that are read, but not used
    return matrix;
  };
  const auto whole = [&](const char* name, std::uint64_t columns) {
    return known(replica.shared(r, name, kModelDType, padded, columns));
  };
  const auto multiplied = [&](const char* name, std::uint64_t columns) {
    return known(replica.shared(r, name, m.activations, padded, columns));
  };
  if (share.delta) {
    const DeltaHeads heads = share.delta_heads(m);
    delta_in =
        replica.shared(r, "delta_in", kModelDType, sharding.rows, share.physical_cores * heads.columns());
    for (std::size_t h = 0; h < share.physical_cores; ++h)
      mixed.push_back(replica.own(r, h, "mixed_tokens", kModelDType, sharding.rows, heads.channels()));
  } else if (m.latent) {
    const LatentShape& l = m.latent;
    latent.down = whole("latents", l.down());
    latent.q_nope = whole("q_nope", share.heads * l.nope);
    latent.q_rope = whole("q_rope", share.heads * l.rope);
    latent.q = whole("q_latent", share.heads * l.kv_rank);
    latent.o = whole("sums of latents", share.heads * l.kv_rank);
  } else {
    qkv = whole("qkv", share.units() * m.head_dim);
  }
  o = multiplied("attention", share.mixed(m));
  if (share.sharers > 1) replica.declare_input(o.tensor);  // other ranks' sequences stay zero
  partial = whole("partial", m.hidden);
  if (share.common_ffn > 0) {
    if (m.gated) gate_up = whole("gate_up", 2 * share.common_ffn);
    hidden = multiplied("hidden", share.common_ffn);
  }
  partial_mlp = whole("partial_mlp", m.hidden);
  sum = replica.ranks() > 1 ? whole("sum", m.hidden) : partial;
  sum_mlp = replica.ranks() > 1 ? whole("sum_mlp", m.hidden) : partial_mlp;
  for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
    CoreTensors& tensors = core_tensors.emplace_back();
    const auto own = [&](const char* name) {
      return known(replica.own(r, h, name, kModelDType, padded, m.hidden));
    };
    tensors.stream = streams != nullptr ? (*streams)[h] : own("stream");
    tensors.normed = known(replica.own(r, h, "normed", m.activations, padded, m.hidden));
    tensors.middle = own("middle");
    tensors.normed_mlp =
        replica.own(r, h, "normed_mlp", m.activations, padded + (experts ? kTransposeRows : 0), m.hidden);
    if (experts || padded != sharding.rows) replica.declare_input(tensors.normed_mlp.tensor);
    if (const std::uint64_t own_sequences = sharding.sequences_of(r, h).count; m.sinks && own_sequences > 0) {
      tensors.sums =
          replica.own(r, h, "log_sums", isa::DType::kFp32, transposed_load_rows(share.heads), own_sequences);
      replica.declare_input(tensors.sums.tensor);  // rows that are read, but not used
    }
    if (experts && m.shared_ffn > 0)
      tensors.mixed = replica.own(r, h, "mixed", kModelDType, sharding.rows, m.hidden);
    if (experts && m.shared_gated)
      tensors.shared_logits = replica.own(r, h, "shared_logits", isa::DType::kFp32, sharding.rows, 1);
  }
  if (sharding.groups > 1) allocate_parts(replica, r, params, share, sharding);
}

// Rows of `part` belong to the physical core's sequences. `lse` is a row of whole accesses, of which some
// elements may be unused.
void DecodeLayer::allocate_parts(Replica& replica, std::size_t r, const TransformerParams& params,
                                 const RankShare& share, const DecodeSharding& sharding) {
  constexpr isa::DType kWide = isa::DType::kFp32;
  const std::uint64_t groups = sharding.groups, columns = share.heads * params.model.head_dim;
  for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
    const std::uint64_t count = sharding.sequences_of(r, h).count,
                        sums = runtime::collective::aligned(share.heads * count, kWide);
    if (count == 0) continue;
    CoreTensors& tensors = core_tensors[h];
    tensors.part = replica.own(r, h, "part", kModelDType, count, columns);
    tensors.lse = replica.own(r, h, "lse", kWide, 1, sums);
    replica.declare_input(tensors.lse.tensor);
    tensors.parts = replica.own(r, h, "parts", kModelDType, groups * count, columns);
    tensors.lses = replica.own(r, h, "lses", kWide, groups, sums);
  }
}

}  // namespace tahoma::workloads
