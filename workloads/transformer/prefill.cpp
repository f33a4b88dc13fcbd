// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill.h"

#include <algorithm>

#include "workloads/kernel/turned.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {

constexpr isa::DType kDType = TransformerParams::kDType;

// Chunks that are rows of a tensor, from a row on.
End end_of(const Matrix& matrix, std::size_t half, std::uint64_t first, std::uint64_t rows,
           std::uint64_t places) {
  End end;
  end.window = rows_of(matrix.of(half), first, rows * places);
  end.address = matrix.tensor.address + end.window.offset;
  end.places = places;
  return end;
}

}  // namespace

Prefill::Prefill(Replica& replica, const TransformerParams& params, const ExpertRouting* routing)
    : replica_(replica),
      params_(params),
      share_(params, replica.halves()),
      rows_{params.overlap, replica.halves(), replica.ranks(),
            params.rows() / (params.overlap * replica.halves() * replica.ranks())} {
  const ModelShape& m = params.model;
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    Rank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < params.layers; ++l) rank.weights.emplace_back(replica, r, m, share_);
    rank.table = replica.shared(r, "rope_table", kDType, params.tokens, m.head_dim);
    replica.declare_input(rank.table.tensor);
    for (std::size_t h = 0; h < replica.halves(); ++h) {
      rank.in.push_back(replica.own(r, h, "in", kDType, rows_.own(), m.hidden));
      replica.declare_input(rank.in.back().tensor);
      rank.out.push_back(replica.own(r, h, "out", kDType, rows_.own(), m.hidden));
    }
  }
  if (routing != nullptr)
    experts_ = std::make_unique<Experts>(
        replica, params, *routing, rows_.slices,
        [this](std::size_t s, std::size_t r, std::size_t h) {
          return runtime::Part{rows_.first(s, h, r), rows_.run};
        },
        [this](Exchange exchange) { keep(std::move(exchange)); });
}

Prefill::Layer Prefill::allocate(std::size_t r, std::size_t number) {
  const ModelShape& m = params_.model;
  const std::uint64_t rows = turned_rows(rows_.rows());
  Layer layer;
  const auto whole = [&](const char* name, std::uint64_t columns) {
    Matrix matrix = replica_.shared(r, name, kDType, rows, columns);
    if (rows != rows_.rows()) replica_.declare_input(matrix.tensor);  // rows that are read, but not used
    return matrix;
  };
  layer.gathered = whole("gathered", m.hidden);
  layer.qkv = whole("qkv", share_.units() * m.head_dim);
  layer.o = whole("attention", share_.heads * m.head_dim);
  // Rows that another rank does stay zero.
  if (share_.sharers > 1) replica_.declare_input(layer.o.tensor);
  layer.partial = whole("partial", m.hidden);
  if (!experts_) {
    layer.gathered_mlp = whole("gathered_mlp", m.hidden);
    layer.gate_up = whole("gate_up", 2 * share_.ffn);
    layer.hidden = whole("hidden", share_.ffn);
  }
  if (!experts_ || replica_.ranks() == 1) layer.partial_mlp = whole("partial_mlp", m.hidden);
  for (std::size_t h = 0; h < replica_.halves(); ++h) {
    Layer::Half& half = layer.halves.emplace_back();
    const auto own = [&](const char* name) {
      return replica_.own(r, h, name, kDType, rows_.own(), m.hidden);
    };
    half.stream = number == 0 ? ranks_[r].in[h] : own("stream");
    half.middle = own("middle");
    const bool alone = replica_.ranks() == 1;
    if (!alone) {
      half.normed = own("normed");
      half.sum = own("sum");
    }
    if (experts_) {
      half.normed_mlp = replica_.own(r, h, "normed_mlp", kDType, rows_.own() + kTurnedRows, m.hidden);
      replica_.declare_input(half.normed_mlp.tensor);  // rows that are read, but not used
    } else if (!alone) {
      half.normed_mlp = own("normed_mlp");
    }
    if (!alone) half.sum_mlp = own("sum_mlp");
  }
  return layer;
}

HbmView Prefill::own(const Layer& layer, std::size_t h, std::size_t slice, Rows rows) const {
  return rows_of((layer.halves[h].*rows).of(h), slice * rows_.run, rows_.run);
}

HbmView Prefill::own(const Layer& layer, std::size_t h, std::size_t slice, Rows rows, Whole whole) const {
  if (replica_.ranks() > 1) return own(layer, h, slice, rows);
  return rows_of((layer.*whole).of(h), rows_.first(slice, h, 0), rows_.run);
}

HbmView Prefill::slice_of(std::size_t r, std::size_t h, std::size_t slice, Whole whole) const {
  return rows_of((layers_[r].*whole).of(h), rows_.first_of_block(slice, 0), rows_.slice());
}

void Prefill::exchange(const char* region, Operation operation, std::size_t slice, Rows rows, Whole whole) {
  if (replica_.ranks() == 1) return;
  replica_.region(region);
  for (std::size_t h = 0; h < replica_.halves(); ++h) {
    Communicator& communicator = replica_.communicator(h);
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      const Layer& layer = layers_[r];
      const End one = end_of(layer.halves[h].*rows, h, slice * rows_.run, rows_.run, 1),
                block = end_of(layer.*whole, h, rows_.first_of_block(slice, h), rows_.run, rows_.ranks);
      const bool gathers = operation == Operation::kAllGather;
      ends.input.push_back(gathers ? one : block);
      ends.output.push_back(gathers ? block : one);
    }
    Placed placed =
        communicator.plan(operation, kDType, rows_.block() * params_.model.hidden, params_.algorithm);
    communicator.add(placed, ends);
    keep(region, h, std::move(placed));
  }
}

void Prefill::meet_rows(std::size_t slice, Whole whole) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{
          rows_of((layers_[r].*whole).of(viewer), rows_.first_of_block(slice, writer), rows_.block())};
    });
}

Products Prefill::products(std::size_t layer, std::size_t slice) const {
  return {replica_,
          params_.model,
          share_,
          [this](std::size_t r) -> const LayerTensors& { return layers_[r]; },
          [this, layer](std::size_t r) -> const LayerWeights& { return ranks_[r].weights[layer]; },
          {rows_.first_of_block(slice, 0), rows_.slice()}};
}

void Prefill::normalise(std::size_t layer, std::size_t slice) {
  replica_.each("attention norm", [&](std::size_t r, std::size_t h) {
    const HbmView stream = own(layers_[r], h, slice, &Layer::Half::stream),
                  gain = ranks_[r].weights[layer].attention_gain.of(h),
                  normed = own(layers_[r], h, slice, &Layer::Half::normed, &Layer::gathered);
    if (layer == 0) return part(r, h).norm(stream, nullptr, nullptr, gain, normed);
    const HbmView middle = own(before_[r], h, slice, &Layer::Half::middle),
                  sum = own(before_[r], h, slice, &Layer::Half::sum_mlp, &Layer::partial_mlp);
    part(r, h).norm(middle, &sum, &stream, gain, normed);
  });
  exchange("attention all_gather", Operation::kAllGather, slice, &Layer::Half::normed, &Layer::gathered);
}

void Prefill::normalise_mlp(std::size_t layer, std::size_t slice) {
  replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
    const HbmView sum = own(layers_[r], h, slice, &Layer::Half::sum, &Layer::partial),
                  middle = own(layers_[r], h, slice, &Layer::Half::middle);
    part(r, h).norm(own(layers_[r], h, slice, &Layer::Half::stream), &sum, &middle,
                    ranks_[r].weights[layer].mlp_gain.of(h),
                    experts_ ? own(layers_[r], h, slice, &Layer::Half::normed_mlp)
                             : own(layers_[r], h, slice, &Layer::Half::normed_mlp, &Layer::gathered_mlp));
  });
  if (experts_) return;
  exchange("mlp all_gather", Operation::kAllGather, slice, &Layer::Half::normed_mlp, &Layer::gathered_mlp);
}

void Prefill::make_heads(std::size_t layer, std::size_t slice) {
  replica_.region("qkv");
  meet_rows(slice, &Layer::gathered);
  products(layer, slice).make_heads([&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, &Layer::gathered);
  });
  turn_heads(slice);
}

// Queries and keys; a slice may hold the end of one sequence and the beginning of the next.
void Prefill::turn_heads(std::size_t slice) {
  const std::uint64_t d = params_.model.head_dim, begin = rows_.first_of_block(slice, 0),
                      end = begin + rows_.slice();
  replica_.each("rope", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share_.units_of(h);
    const std::uint64_t turned = share_.heads + share_.kv_heads;
    if (first >= turned || count == 0) return;
    for (std::uint64_t row = begin; row < end;) {
      const std::uint64_t token = row % params_.tokens, rows = std::min(end - row, params_.tokens - token);
      part(r, h).rope(
          heads_of(rows_of(layers_[r].qkv.of(h), row, rows), first, std::min(count, turned - first), d),
          rows_of(ranks_[r].table.of(h), token, rows));
      row += rows;
    }
  });
}

void Prefill::attend() {
  const std::uint64_t d = params_.model.head_dim;
  replica_.region("attention");
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share_.units_of(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{heads_of(layers_[r].qkv.of(viewer), first, count, d)};
    });
  replica_.each("attention", [&](std::size_t r, std::size_t h) {
    const RankShare::Heads heads = share_.heads_of(r, h);
    const std::uint64_t kv = heads.first / share_.heads_per_kv,
                        kv_end = (heads.first + heads.count - 1) / share_.heads_per_kv + 1;
    for (std::uint64_t s = 0; s < params_.sequences(); ++s) {
      const auto rows = [&](const HbmView& view, std::uint64_t first, std::uint64_t count) {
        return heads_of(rows_of(view, s * params_.tokens, params_.tokens), first, count, d);
      };
      const HbmView qkv = layers_[r].qkv.of(h);
      part(r, h).attention({rows(qkv, heads.first, heads.count), rows(qkv, share_.heads + kv, kv_end - kv),
                            rows(qkv, share_.heads + share_.kv_heads + kv, kv_end - kv),
                            rows(layers_[r].o.of(h), heads.first, heads.count), heads, share_.heads_per_kv});
    }
  });
  replica_.region("attention");
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const RankShare::Heads heads = share_.heads_of(r, writer);
      return std::vector<HbmView>{heads_of(layers_[r].o.of(viewer), heads.first, heads.count, d)};
    });
}

void Prefill::project(std::size_t layer, std::size_t slice) {
  products(layer, slice).project();
  exchange("attention reduce_scatter", Operation::kReduceScatter, slice, &Layer::Half::sum, &Layer::partial);
}

void Prefill::mix_experts(std::size_t layer, std::size_t slice) {
  experts_->feed_forward(
      layer, slice,
      [&](std::size_t r, std::size_t h) { return own(layers_[r], h, slice, &Layer::Half::normed_mlp); },
      [&](std::size_t r, std::size_t h) {
        return own(layers_[r], h, slice, &Layer::Half::sum_mlp, &Layer::partial_mlp);
      });
}

void Prefill::feed_forward(std::size_t layer, std::size_t slice) {
  if (experts_) return mix_experts(layer, slice);
  replica_.region("gate and up");
  meet_rows(slice, &Layer::gathered_mlp);
  products(layer, slice).feed_forward([&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, &Layer::gathered_mlp);
  });
  exchange("mlp reduce_scatter", Operation::kReduceScatter, slice, &Layer::Half::sum_mlp,
           &Layer::partial_mlp);
}

// What a slice needs next comes before the slice behind it: queues are in order.
void Prefill::emit_layer(std::size_t layer) {
  before_ = std::move(layers_);
  layers_.clear();
  for (std::size_t r = 0; r < replica_.ranks(); ++r) layers_.push_back(allocate(r, layer));
  const std::size_t slices = rows_.slices;
  for (std::size_t s = 0; s < slices; ++s) normalise(layer, s);
  for (std::size_t s = 0; s < slices; ++s) make_heads(layer, s);
  attend();
  for (std::size_t s = 0; s < slices; ++s) project(layer, s);
  for (std::size_t s = 0; s <= slices; ++s) {
    if (s < slices) normalise_mlp(layer, s);
    if (s > 0) feed_forward(layer, s - 1);
  }
}

void Prefill::finish() {
  replica_.each("residual", [&](std::size_t r, std::size_t h) {
    for (std::size_t s = 0; s < rows_.slices; ++s)
      part(r, h).add(own(layers_[r], h, s, &Layer::Half::middle),
                     own(layers_[r], h, s, &Layer::Half::sum_mlp, &Layer::partial_mlp),
                     rows_of(ranks_[r].out[h].of(h), s * rows_.run, rows_.run));
  });
}

void Prefill::emit() {
  for (std::size_t l = 0; l < params_.layers; ++l) emit_layer(l);
  finish();
}

template <class Body>
void Prefill::for_runs(Body&& body) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t r = 0; r < rows_.ranks; ++r)
      for (std::size_t h = 0; h < rows_.halves; ++h)
        for (std::size_t s = 0; s < rows_.slices; ++s)
          body(g, r, h, s * rows_.run, replica_.alike()[g].number * rows_.rows() + rows_.first(s, h, r));
}

void Prefill::fill(runtime::Machine& machine, const HostCase& values) const {
  if (experts_) experts_->fill(machine, values);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < params_.layers; ++l)
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[l], share_);
    fill_all(machine, replica_, ranks_[r].table, values.table);
  }
  for_runs([&](std::size_t g, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
    runtime::copy_window(values.x, {row, 0, rows_.run, values.x.columns()},
                         row_of(machine, replica_, g, ranks_[r].in[h], own));
  });
}

void Prefill::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for_runs([&](std::size_t g, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
    runtime::paste_window(out, {row, 0, rows_.run, out.columns()},
                          row_of(machine, replica_, g, ranks_[r].out[h], own));
  });
}

}  // namespace tahoma::workloads
