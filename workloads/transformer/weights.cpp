// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "isa/dtype.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HostTensor;

namespace {

// A tensor of every layer; what it is filled with where there is no file.
struct Maker {
  const TransformerParams& params;
  std::uint64_t seed;

  struct Uniform {
    double middle = 0, reach = 1;
  };
  std::vector<HostTensor> layers(const char* name, std::uint64_t number, DType dtype, std::uint64_t rows,
                                 std::uint64_t columns, const Uniform& uniform) const {
    const std::string& path = params.inputs.of(name);
    HostTensor all;
    if (path.empty())
      all = generate(name, number, dtype, params.layers * rows, columns, uniform);
    else
      all = runtime::load_input(path, name, dtype, {params.layers, rows, columns});
    std::vector<HostTensor> result;
    const std::size_t bytes = rows * columns * isa::size_of(dtype);
    for (std::uint64_t l = 0; l < params.layers; ++l) {
      HostTensor& one = result.emplace_back(runtime::make_tensor(name, dtype, {rows, columns}));
      std::copy_n(all.values.data() + l * bytes, bytes, one.values.data());
    }
    return result;
  }
  HostTensor generate(const char* name, std::uint64_t number, DType dtype, std::uint64_t rows,
                      std::uint64_t columns, const Uniform& uniform) const {
    HostTensor tensor = runtime::make_tensor(name, dtype, {rows, columns});
    const std::size_t size = isa::size_of(dtype);
    for (std::uint64_t i = 0; i < rows * columns; ++i)
      isa::store_from_fp32(
          tensor.values.data() + i * size, dtype,
          static_cast<float>(uniform.middle + uniform.reach * runtime::generated_value(seed, number, i)));
    return tensor;
  }
};

// The tensors of a layer: where they go, how large they are.
struct Row {
  const char* name;
  HostTensor HostWeights::*to;
  bool gain;
  std::uint64_t rows, columns;
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

HostCase host_case(const TransformerParams& params, std::uint64_t seed) {
  const ModelShape& m = params.model;
  const Maker maker{params, seed};
  const std::uint64_t q = m.heads * m.head_dim, kv = m.kv_heads * m.head_dim;
  const std::array<Row, 9> rows{{{"attention_gain", &HostWeights::attention_gain, true, 1, m.hidden},
                                 {"q", &HostWeights::q, false, m.hidden, q},
                                 {"k", &HostWeights::k, false, m.hidden, kv},
                                 {"v", &HostWeights::v, false, m.hidden, kv},
                                 {"o", &HostWeights::o, false, q, m.hidden},
                                 {"mlp_gain", &HostWeights::mlp_gain, true, 1, m.hidden},
                                 {"gate", &HostWeights::gate, false, m.hidden, m.ffn},
                                 {"up", &HostWeights::up, false, m.hidden, m.ffn},
                                 {"down", &HostWeights::down, false, m.ffn, m.hidden}}};
  constexpr DType kDType = TransformerParams::kDType;
  HostCase values;
  values.weights.resize(params.layers);
  std::uint64_t number = 1;
  for (const Row& row : rows) {
    const auto uniform =
        row.gain ? Maker::Uniform{1, 0.5} : Maker::Uniform{0, std::sqrt(3.0 / static_cast<double>(row.rows))};
    auto layers =
        maker.layers(row.name, number++, row.gain ? DType::kFp32 : kDType, row.rows, row.columns, uniform);
    for (std::uint64_t l = 0; l < params.layers; ++l) values.weights[l].*row.to = std::move(layers[l]);
  }
  const bool decodes = params.phase() == Phase::kDecode;
  const std::uint64_t kept = decodes ? params.batch * params.context : 0;
  if (kept > 0) {
    auto k = maker.layers("k_cache", number++, kDType, kept, kv, {}),
         v = maker.layers("v_cache", number++, kDType, kept, kv, {});
    for (std::uint64_t l = 0; l < params.layers; ++l)
      values.caches.push_back({std::move(k[l]), std::move(v[l])});
  } else {
    values.caches.resize(params.layers);
  }
  values.table =
      decodes ? rope_table(m, params.context, 0, params.rows()) : rope_table(m, 0, 1, params.tokens);
  values.x = runtime::input(params.inputs.of("x"), "x", kDType, {params.all_rows(), m.hidden}, seed, 0);
  return values;
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
