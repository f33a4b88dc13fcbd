// SPDX-License-Identifier: Apache-2.0
// Where the parts of a model's tensors are on a rank.
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

using runtime::HostTensor;

void copy_block(const HostTensor& from, const runtime::Window& window, HostTensor& to,
                const runtime::Window& place) {
  std::vector<std::byte> block(window.rows * window.columns * isa::size_of(from.dtype));
  runtime::copy_window(from, window, block.data());
  runtime::paste_window(to, place, block.data());
}

namespace {

std::vector<WeightBlock> latent_blocks(const ModelShape& m, const RankShare& share, std::size_t rank) {
  const LatentShape& l = m.latent;
  const std::uint64_t first = share.first_head(rank), count = share.heads, from = l.query_input(m.hidden);
  const auto columns = [&](std::uint64_t rows, std::uint64_t features) {
    return runtime::Window{0, first * features, rows, count * features};
  };
  const auto rows = [&](std::uint64_t features, std::uint64_t width) {
    return runtime::Window{first * features, 0, count * features, width};
  };
  std::vector<WeightBlock> blocks{
      {&HostWeights::kv_a, &LayerWeights::latent_down, {0, 0, m.hidden, l.cached()}, 0, l.q_rank},
      {&HostWeights::q_nope, &LayerWeights::q_nope, columns(from, l.nope), 0, 0},
      {&HostWeights::q_rope, &LayerWeights::q_rope, columns(from, l.rope), 0, 0},
      {&HostWeights::k_up, &LayerWeights::k_up,
       share.absorbed ? rows(l.nope, l.kv_rank) : columns(l.kv_rank, l.nope), 0, 0},
      {&HostWeights::v_up, &LayerWeights::v_up, columns(l.kv_rank, l.values), 0, 0},
      {&HostWeights::o, &LayerWeights::o, rows(l.values, m.hidden), 0, 0}};
  if (l.q_rank > 0)
    blocks.push_back({&HostWeights::q_a, &LayerWeights::latent_down, {0, 0, m.hidden, l.q_rank}, 0, 0});
  return blocks;
}

// Of each physical core its columns of all matrices, side by side.
std::vector<WeightBlock> delta_blocks(const ModelShape& m, const RankShare& share, std::size_t rank) {
  using W = HostWeights;
  using L = LayerWeights;
  const DeltaRule& d = m.delta;
  const DeltaHeads own = share.delta_heads(m);
  const std::uint64_t cores = share.ranks * share.physical_cores, mixed = share.mixed(m);
  std::vector<WeightBlock> blocks{{&W::delta_o, &L::o, {rank * mixed, 0, mixed, m.hidden}, 0, 0}};
  for (std::uint64_t h = 0; h < share.physical_cores; ++h) {
    const std::uint64_t core = rank * share.physical_cores + h,
                        key = d.first_key_head(core, cores) * d.key_dim,
                        head = d.first_value_head(core, cores), value = head * d.value_dim;
    const struct {
      HostTensor W::*whole;
      std::uint64_t first, count;
    } columns[] = {{&W::delta_q, key, own.keys()},
                   {&W::delta_k, key, own.keys()},
                   {&W::delta_v, value, own.values()},
                   {&W::delta_z, value, own.values()},
                   {&W::delta_b, head, d.scans() ? 0 : own.value_heads},
                   {&W::delta_a, head, own.value_heads}},
      taps[] = {{&W::delta_taps_q, key, own.keys()},
                {&W::delta_taps_k, key, own.keys()},
                {&W::delta_taps_v, value, own.values()}},
      biases[] = {{&W::delta_bias_q, key, own.keys()},
                  {&W::delta_bias_k, key, own.keys()},
                  {&W::delta_bias_v, value, own.values()}};
    std::uint64_t at = h * own.columns();
    for (const auto& [whole, first, count] : columns) {
      if (count == 0) continue;
      blocks.push_back({whole, &L::delta_in, {0, first, m.hidden, count}, 0, at});
      at += count;
    }
    at = h * own.channels();
    for (const auto& [whole, first, count] : taps) {
      blocks.push_back({whole, &L::delta_taps, {0, first, d.taps, count}, 0, at});
      at += count;
    }
    at = h * own.channels();
    for (const auto& [whole, first, count] : biases) {
      if (d.tap_bias) blocks.push_back({whole, &L::delta_taps, {0, first, 1, count}, d.taps, at});
      at += count;
    }
    const runtime::Window numbers{0, head, 1, own.value_heads};
    if (d.scans()) {
      blocks.push_back({&W::delta_skip, &L::delta_skip, numbers, 0, h * own.value_heads});
      blocks.push_back({&W::delta_gain, &L::delta_gain, {0, value, 1, own.values()}, 0, h * own.values()});
    }
    blocks.push_back({&W::delta_rate, &L::delta_rate, numbers, 0, h * own.value_heads});
    blocks.push_back({&W::delta_shift, &L::delta_shift, numbers, 0, h * own.value_heads});
  }
  return blocks;
}

}  // namespace

std::vector<WeightBlock> blocks_of(const ModelShape& m, const RankShare& share, std::size_t rank) {
  const std::uint64_t d = m.head_dim, first = share.first_head(rank) * d,
                      first_kv = share.first_kv_head(rank) * d, q = share.heads * d, kv = share.kv_heads * d,
                      common = share.common_ffn, columns = common / share.physical_cores;
  const bool mixture = share.mixture;
  std::vector<WeightBlock> blocks =
      share.delta ? delta_blocks(m, share, rank)
      : m.latent  ? latent_blocks(m, share, rank)
                  : std::vector<WeightBlock>{
                        {&HostWeights::q, &LayerWeights::qkv, {0, first, m.hidden, q}, 0, 0},
                        {&HostWeights::k, &LayerWeights::qkv, {0, first_kv, m.hidden, kv}, 0, q},
                        {&HostWeights::v, &LayerWeights::qkv, {0, first_kv, m.hidden, kv}, 0, q + kv},
                        {&HostWeights::o, &LayerWeights::o, {first, 0, q, m.hidden}, 0, 0}};
  if (m.qkv_bias) {
    blocks.push_back({&HostWeights::q_bias, &LayerWeights::qkv_bias, {0, first, 1, q}, 0, 0});
    blocks.push_back({&HostWeights::k_bias, &LayerWeights::qkv_bias, {0, first_kv, 1, kv}, 0, q});
    blocks.push_back({&HostWeights::v_bias, &LayerWeights::qkv_bias, {0, first_kv, 1, kv}, 0, q + kv});
  }
  if (share.gated && !share.delta)
    blocks.push_back(
        {&HostWeights::attention_gate, &LayerWeights::qkv, {0, first, m.hidden, q}, 0, q + 2 * kv});
  if (m.joint_qk_norm) {
    blocks.push_back({&HostWeights::joint_q_norm, &LayerWeights::joint_q_norm, {0, first, 1, q}, 0, 0});
    blocks.push_back({&HostWeights::joint_k_norm, &LayerWeights::joint_k_norm, {0, first_kv, 1, kv}, 0, 0});
  }
  if (m.o_bias && rank == 0)
    blocks.push_back({&HostWeights::o_bias, &LayerWeights::o_bias, {0, 0, 1, m.hidden}, 0, 0});
  if (m.sinks)
    blocks.push_back(
        {&HostWeights::sinks, &LayerWeights::sinks, {0, share.first_head(rank), 1, share.heads}, 0, 0});
  if (common == 0) return blocks;
  if (m.mlp_bias && rank == 0)
    blocks.push_back({&HostWeights::down_bias, &LayerWeights::down_bias, {0, 0, 1, m.hidden}, 0, 0});
  blocks.push_back({mixture ? &HostWeights::shared_down : &HostWeights::down,
                    &LayerWeights::down,
                    {rank * common, 0, common, m.hidden},
                    0,
                    0});
  for (std::uint64_t h = 0; h < share.physical_cores; ++h) {
    const runtime::Window window{0, rank * common + h * columns, m.hidden, columns},
        biases{0, rank * common + h * columns, 1, columns};
    const std::uint64_t gate = m.widened() * h * columns, up = m.gated ? gate + columns : gate;
    if (m.gated)
      blocks.push_back({mixture ? &HostWeights::shared_gate : &HostWeights::gate, &LayerWeights::gate_up,
                        window, 0, gate});
    blocks.push_back(
        {mixture ? &HostWeights::shared_up : &HostWeights::up, &LayerWeights::gate_up, window, 0, up});
    if (m.mlp_bias && m.gated)
      blocks.push_back({&HostWeights::gate_bias, &LayerWeights::gate_up_bias, biases, 0, gate});
    if (m.mlp_bias) blocks.push_back({&HostWeights::up_bias, &LayerWeights::gate_up_bias, biases, 0, up});
  }
  return blocks;
}

}  // namespace tahoma::workloads
