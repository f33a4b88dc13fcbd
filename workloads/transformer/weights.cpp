// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/weights.h"

#include <cmath>
#include <span>

#include "isa/dtype.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HostTensor;

namespace {

constexpr std::uint64_t kTensorsOfLayer = 32;  // numbers of generated tensors; more than there are

enum class Number : std::uint8_t { kAttentionGain = 8, kQ, kK, kV, kO, kMlpGain, kGate, kUp, kDown, kKCache, kVCache };

struct Generator {
  std::uint64_t seed, layer;

  HostTensor make(const char* name, Number number, DType dtype, std::uint64_t rows, std::uint64_t columns,
                  double scale, double offset) const {
    HostTensor tensor = runtime::make_tensor(name, dtype, {rows, columns});
    const std::uint64_t tensor_number = layer * kTensorsOfLayer + static_cast<std::uint64_t>(number);
    const std::size_t size = isa::size_of(dtype);
    for (std::uint64_t i = 0; i < rows * columns; ++i) {
      const double value = runtime::generated_value(seed, tensor_number, i);
      isa::store_from_fp32(tensor.values.data() + i * size, dtype, static_cast<float>(offset + scale * value));
    }
    return tensor;
  }
  HostTensor weights(const char* name, Number number, std::uint64_t rows, std::uint64_t columns) const {
    return make(name, number, TransformerParams::kDType, rows, columns,
                std::sqrt(3.0 / static_cast<double>(rows)), 0);
  }
  HostTensor gain(const char* name, Number number, std::uint64_t columns) const {
    return make(name, number, DType::kFp32, 1, columns, 0.5, 1);
  }
};

// Columns [first, first + count) of `from` into columns [at, ...) of `to`.
void put_columns(HostTensor& to, std::uint64_t at, const HostTensor& from, std::uint64_t first,
                 std::uint64_t count) {
  std::vector<std::byte> block(from.rows() * count * isa::size_of(from.dtype));
  runtime::copy_window(from, {0, first, from.rows(), count}, block.data());
  runtime::paste_window(to, {0, at, from.rows(), count}, block.data());
}

HostTensor rows_of(const HostTensor& from, std::uint64_t first, std::uint64_t count) {
  HostTensor part = runtime::make_tensor(from.name, from.dtype, {count, from.columns()});
  runtime::copy_window(from, {first, 0, count, from.columns()}, part.values.data());
  return part;
}

}  // namespace

HostWeights make_weights(const ModelShape& m, std::uint64_t seed, std::uint64_t layer) {
  const Generator g{seed, layer};
  const std::uint64_t q = m.heads * m.head_dim, kv = m.kv_heads * m.head_dim;
  return {g.gain("attention_gain", Number::kAttentionGain, m.hidden),
          g.weights("q", Number::kQ, m.hidden, q),
          g.weights("k", Number::kK, m.hidden, kv),
          g.weights("v", Number::kV, m.hidden, kv),
          g.weights("o", Number::kO, q, m.hidden),
          g.gain("mlp_gain", Number::kMlpGain, m.hidden),
          g.weights("gate", Number::kGate, m.hidden, m.ffn),
          g.weights("up", Number::kUp, m.hidden, m.ffn),
          g.weights("down", Number::kDown, m.ffn, m.hidden)};
}

HostCache make_cache(const TransformerParams& params, std::uint64_t seed, std::uint64_t layer) {
  const Generator g{seed, layer};
  const std::uint64_t rows = params.batch * params.context, columns = params.model.kv_heads * params.model.head_dim;
  return {g.make("k_cache", Number::kKCache, TransformerParams::kDType, rows, columns, 1, 0),
          g.make("v_cache", Number::kVCache, TransformerParams::kDType, rows, columns, 1, 0)};
}

LayerWeights::LayerWeights(Replica& replica, std::size_t rank, const ModelShape& m, const RankShare& share) {
  const auto matrix = [&](const char* name, DType dtype, std::uint64_t rows, std::uint64_t columns) {
    Matrix made = replica.shared(rank, name, dtype, rows, columns);
    replica.declare_input(made.tensor);
    return made;
  };
  constexpr DType kDType = TransformerParams::kDType;
  attention_gain = matrix("attention_gain", DType::kFp32, 1, m.hidden);
  mlp_gain = matrix("mlp_gain", DType::kFp32, 1, m.hidden);
  qkv = matrix("qkv_weights", kDType, m.hidden, share.units() * m.head_dim);
  o = matrix("o_weights", kDType, share.heads * m.head_dim, m.hidden);
  gate_up = matrix("gate_up_weights", kDType, m.hidden, 2 * share.ffn);
  down = matrix("down_weights", kDType, share.ffn, m.hidden);
}

void LayerWeights::fill(runtime::Machine& machine, const Replica& replica, std::size_t rank,
                        const HostWeights& w, const RankShare& share) const {
  const std::uint64_t d = qkv.tensor.shape[1] / share.units();
  const std::uint64_t first = share.first_head(rank) * d, first_kv = share.first_kv_head(rank) * d;
  const std::uint64_t q = share.heads * d, kv = share.kv_heads * d;
  HostTensor in = runtime::make_tensor("qkv", qkv.tensor.dtype, qkv.tensor.shape);
  put_columns(in, 0, w.q, first, q);
  put_columns(in, q, w.k, first_kv, kv);
  put_columns(in, q + kv, w.v, first_kv, kv);
  HostTensor middle = runtime::make_tensor("gate_up", gate_up.tensor.dtype, gate_up.tensor.shape);
  const std::uint64_t columns = share.ffn / share.halves;
  for (std::uint64_t h = 0; h < share.halves; ++h) {
    put_columns(middle, 2 * h * columns, w.gate, rank * share.ffn + h * columns, columns);
    put_columns(middle, (2 * h + 1) * columns, w.up, rank * share.ffn + h * columns, columns);
  }
  fill_all(machine, replica, attention_gain, w.attention_gain);
  fill_all(machine, replica, mlp_gain, w.mlp_gain);
  fill_all(machine, replica, qkv, in);
  fill_all(machine, replica, o, rows_of(w.o, first, q));
  fill_all(machine, replica, gate_up, middle);
  fill_all(machine, replica, down, rows_of(w.down, rank * share.ffn, share.ffn));
}

runtime::HostTensor rope_table(const ModelShape& model, std::uint64_t first, std::uint64_t step,
                               std::uint64_t rows) {
  HostTensor table = runtime::make_tensor("rope_table", TransformerParams::kDType, {rows, model.head_dim});
  const std::uint64_t half = model.head_dim / 2;
  const std::size_t size = isa::size_of(table.dtype);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t i = 0; i < half; ++i) {
      const double position = static_cast<double>(first + r * step);
      const double angle =
          position * std::pow(model.theta, -static_cast<double>(i) / static_cast<double>(half));
      std::byte* row = table.values.data() + r * model.head_dim * size;
      isa::store_from_fp32(row + i * size, table.dtype, static_cast<float>(std::cos(angle)));
      isa::store_from_fp32(row + (half + i) * size, table.dtype, static_cast<float>(std::sin(angle)));
    }
  return table;
}

void fill_all(runtime::Machine& machine, const Replica& replica, const Matrix& matrix,
              const HostTensor& values) {
  for (std::size_t g = 0; g < replica.alike().size(); ++g)
    machine.write(replica.at(g, matrix.tensor), std::span(values.values));
}

}  // namespace tahoma::workloads
