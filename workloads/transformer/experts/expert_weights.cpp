// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_weights.h"

namespace tahoma::workloads {

ExpertWeights::ExpertWeights(Replica& replica, std::size_t rank, const ModelShape& m,
                             const RankShare& share) {
  const auto matrix = [&](const char* name, isa::DType dtype, std::uint64_t rows, std::uint64_t columns) {
    Matrix made = replica.shared(rank, name, dtype, rows, columns);
    replica.declare_input(made.tensor);
    return made;
  };
  router = matrix("router_weights", kModelDType, m.hidden, m.experts);
  if (m.expert_latent > 0) {
    in = matrix("expert_in_weights", m.weights, m.hidden, m.expert_latent);
    out = matrix("expert_out_weights", m.weights, m.expert_latent, m.hidden);
  }
  for (std::uint64_t e = 0; e < share.experts; ++e) {
    experts.push_back({matrix("expert_gate_up_weights", m.weights, m.expert_width(), m.widened() * share.ffn),
                       matrix("expert_down_weights", m.weights, share.ffn, m.expert_width()),
                       {},
                       {}});
    if (!m.mlp_bias) continue;
    experts.back().gate_up_bias =
        matrix("expert_gate_up_bias", isa::DType::kFp32, 1, m.widened() * share.ffn);
    experts.back().down_bias = matrix("expert_down_bias", isa::DType::kFp32, 1, m.hidden);
  }
}

void ExpertWeights::fill(runtime::Machine& machine, const Replica& replica, std::size_t rank,
                         const HostWeights& w, const RankShare& share) const {
  fill_all(machine, replica, router, w.router);
  if (!in.views.empty()) {
    fill_all(machine, replica, in, w.expert_in);
    fill_all(machine, replica, out, w.expert_out);
  }
  const auto like = [](const Matrix& matrix) {
    return runtime::make_tensor(matrix.tensor.name, matrix.tensor.dtype, matrix.tensor.shape);
  };
  const std::uint64_t first = rank % share.block * share.ffn, hidden = w.down.columns(),
                      columns = share.ffn / share.physical_cores;
  const bool gated = !w.gate.shape.empty();
  const std::uint64_t widened = gated ? 2 : 1, ffn = w.up.columns();
  for (std::uint64_t e = 0; e < share.experts; ++e) {
    const std::uint64_t number = rank / share.block * share.experts + e;
    runtime::HostTensor gate_up = like(experts[e].gate_up), down = like(experts[e].down);
    for (std::uint64_t h = 0; h < share.physical_cores; ++h) {
      const runtime::Window window{number * hidden, first + h * columns, hidden, columns};
      const std::uint64_t at = widened * h * columns;
      if (gated) copy_block(w.gate, window, gate_up, {0, at, hidden, columns});
      copy_block(w.up, window, gate_up, {0, at + (widened - 1) * columns, hidden, columns});
    }
    copy_block(w.down, {number * ffn + first, 0, share.ffn, hidden}, down, {0, 0, share.ffn, hidden});
    if (!experts[e].down_bias.views.empty()) {
      runtime::HostTensor biases = like(experts[e].gate_up_bias), last = like(experts[e].down_bias);
      for (std::uint64_t h = 0; h < share.physical_cores; ++h) {
        const runtime::Window window{number, first + h * columns, 1, columns};
        const std::uint64_t at = widened * h * columns;
        if (gated) copy_block(w.gate_bias, window, biases, {0, at, 1, columns});
        copy_block(w.up_bias, window, biases, {0, at + (widened - 1) * columns, 1, columns});
      }
      // The ranks of a block add up their products.
      if (rank % share.block == 0) copy_block(w.down_bias, {number, 0, 1, hidden}, last, {0, 0, 1, hidden});
      fill_all(machine, replica, experts[e].gate_up_bias, biases);
      fill_all(machine, replica, experts[e].down_bias, last);
    }
    fill_all(machine, replica, experts[e].gate_up, gate_up);
    fill_all(machine, replica, experts[e].down, down);
  }
}

}  // namespace tahoma::workloads
