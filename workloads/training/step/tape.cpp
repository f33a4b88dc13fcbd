// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/tape.h"

#include "workloads/training/step/backward_parts.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HbmView;

namespace {}  // namespace

LayerTape make_tape(Fleet& fleet, const TrainingParams& params, const RankShare& share,
                    const RowExchange& rows, const Cell& rank) {
  const std::uint64_t d = params.model().head_dim;
  Replica& replica = fleet.replica(rank);
  const auto shared = [&](const char* name, std::uint64_t columns) {
    return replica.shared(rank.rank, name, kModelDType, rows.sharding().rows(), columns);
  };
  LayerTape tape;
  tape.normed = rows.make(rank, "normed");
  tape.attended = rows.make(rank, "attended");
  tape.normed_mlp = rows.make(rank, "normed_mlp");
  tape.widened = rows.make(rank, "widened");
  tape.qkv = shared("qkv", share.units() * d);
  tape.o = shared("attention", share.heads * d);
  tape.partial = tape.attended.all;
  tape.gate_up = shared("gate_up", 2 * share.ffn);
  tape.hidden = shared("hidden", share.ffn);
  tape.partial_mlp = tape.widened.all;
  for (std::size_t h = 0; h < fleet.physical_cores(); ++h) {
    tape.middle.push_back(rows.own({rank.replica, rank.rank, h}, "middle"));
    tape.lse.push_back(replica.own(rank.rank, h, "lse", DType::kFp32,
                                   params.forward.sequences() * CellHeads(share, h).heads,
                                   params.forward.tokens));
  }
  return tape;
}

LayerGradients make_gradients(Fleet& fleet, const TrainingParams& params, const RankShare& share,
                              const RowExchange& rows, const Cell& rank) {
  const ModelShape& m = params.model();
  Replica& replica = fleet.replica(rank);
  const auto shared = [&](const char* name, std::uint64_t columns) {
    return replica.shared(rank.rank, name, kModelDType, rows.sharding().rows(), columns);
  };
  LayerGradients made;
  made.normed = rows.make(rank, "normed_gradient");
  made.middle = rows.make(rank, "middle_gradient");
  made.normed_mlp = rows.make(rank, "normed_mlp_gradient");
  made.qkv = shared("qkv_gradient", share.units() * m.head_dim);
  made.o = shared("attention_gradient", share.heads * m.head_dim);
  made.gate_up = shared("gate_up_gradient", 2 * share.ffn);
  made.hidden = shared("hidden_gradient", share.ffn);
  const CellHeads at(share, 0);
  if (!BackwardPart::needs_sums(fleet.machine().params(), m, params.forward.tokens, at.heads,
                                share.heads_per_kv))
    return made;
  for (std::size_t h = 0; h < fleet.physical_cores(); ++h)
    for (std::vector<Matrix>* sums : {&made.dk_sum, &made.dv_sum})
      sums->push_back(replica.own(rank.rank, h, "head_sums", DType::kFp32, params.forward.tokens,
                                  at.kv_heads * m.head_dim));
  return made;
}

CellHeads::CellHeads(const RankShare& share, std::size_t physical_core) {
  const RankShare::Heads of_core = share.heads_of(0, physical_core);
  q = of_core.first;
  heads = of_core.count;
  kv_heads = heads / share.heads_per_kv;
  k = share.heads + q / share.heads_per_kv;
  v = k + share.kv_heads;
}

std::tuple<HbmView, HbmView, HbmView> CellHeads::of(const HbmView& qkv, std::uint64_t head_dim) const {
  return {heads_of(qkv, q, heads, head_dim), heads_of(qkv, k, kv_heads, head_dim),
          heads_of(qkv, v, kv_heads, head_dim)};
}

}  // namespace tahoma::workloads
