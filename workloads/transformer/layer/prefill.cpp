// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/prefill.h"

#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {}  // namespace

Prefill::Prefill(Replica& replica, const TransformerParams& params, const Station& station,
                 const ExpertRouting* routing)
    : PhasePrograms(replica, params, station),
      share_(params, replica.physical_cores()),
      rows_{params.overlap, replica.physical_cores(), replica.ranks(),
            params.rows() / (params.overlap * replica.physical_cores() * replica.ranks())},
      tokens_(params, station.group) {
  const ModelShape& m = params.model;
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    Rank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < params.stage_layers(); ++l) rank.weights.emplace_back(replica, r, m, share_);
    rank.table = replica.shared(r, "rope_table", kModelDType, tokens_.tokens(), m.head_dim);
    replica.declare_input(rank.table.tensor);
    for (std::size_t b = 0; b < params.microbatches; ++b) {
      rank.in.emplace_back();
      rank.out.emplace_back();
      for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
        const Matrix& in =
            rank.in[b].emplace_back(replica.own(r, h, "in", kModelDType, rows_.own(), m.hidden));
        if (station.before != nullptr)
          station.before->expect(r, h, in, in.of(h));
        else
          replica.declare_input(in.tensor);
        rank.out[b].push_back(replica.own(r, h, "out", kModelDType, rows_.own(), m.hidden));
      }
    }
  }
  if (routing != nullptr)
    experts_ = std::make_unique<Experts>(
        replica, params, *routing, layer_number(0), rows_.slices,
        [this](std::size_t s, std::size_t r, std::size_t h) {
          return runtime::Part{rows_.first(s, h, r), rows_.run};
        },
        [this](Exchange exchange) { keep(std::move(exchange)); });
}

Prefill::Layer Prefill::allocate(std::size_t r, std::size_t number) {
  const ModelShape& m = params_.model;
  const std::uint64_t rows = transposed_load_rows(rows_.rows());
  Layer layer;
  const auto whole = [&](const char* name, std::uint64_t columns) {
    Matrix matrix = replica_.shared(r, name, kModelDType, rows, columns);
    if (rows != rows_.rows()) replica_.declare_input(matrix.tensor);  // rows that are read but not used
    return matrix;
  };
  layer.gathered = whole("gathered", m.hidden);
  layer.qkv = whole("qkv", share_.units() * m.head_dim);
  layer.o = whole("attention", share_.heads * m.head_dim);
  // Rows that another rank computes remain zero.
  if (share_.sharers > 1) replica_.declare_input(layer.o.tensor);
  if (tokens_.groups > 1) {
    const std::uint64_t columns = 2 * share_.kv_heads * m.head_dim;
    layer.keys = whole("keys_values", columns);
    layer.all_keys =
        replica_.shared(r, "all_keys_values", kModelDType, params_.sequences() * params_.tokens, columns);
  }
  layer.partial = whole("partial", m.hidden);
  if (!experts_) {
    layer.gathered_mlp = whole("gathered_mlp", m.hidden);
    layer.gate_up = whole("gate_up", 2 * share_.ffn);
    layer.hidden = whole("hidden", share_.ffn);
  }
  if (!experts_ || replica_.ranks() == 1) layer.partial_mlp = whole("partial_mlp", m.hidden);
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    Layer::CoreTensors& tensors = layer.core_tensors.emplace_back();
    const auto own = [&](const char* name) {
      return replica_.own(r, h, name, kModelDType, rows_.own(), m.hidden);
    };
    tensors.stream = number == 0 ? ranks_[r].in[microbatch_][h] : own("stream");
    tensors.middle = own("middle");
    const bool alone = replica_.ranks() == 1;
    if (!alone) {
      tensors.normed = own("normed");
      tensors.sum = own("sum");
    }
    if (experts_) {
      tensors.normed_mlp =
          replica_.own(r, h, "normed_mlp", kModelDType, rows_.own() + kTransposeRows, m.hidden);
      replica_.declare_input(tensors.normed_mlp.tensor);  // rows that are read but not used
    } else if (!alone) {
      tensors.normed_mlp = own("normed_mlp");
    }
    if (!alone) tensors.sum_mlp = own("sum_mlp");
  }
  return layer;
}

HbmView Prefill::own(const Layer& layer, std::size_t h, std::size_t slice, Rows rows) const {
  return rows_of((layer.core_tensors[h].*rows).of(h), slice * rows_.run, rows_.run);
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
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    Communicator& communicator = replica_.communicator(h);
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      const Layer& layer = layers_[r];
      const End one = end_of(layer.core_tensors[h].*rows, h, slice * rows_.run, rows_.run, 1),
                block = end_of(layer.*whole, h, rows_.first_of_block(slice, h), rows_.run, rows_.ranks);
      const bool gathers = operation == Operation::kAllGather;
      ends.input.push_back(gathers ? one : block);
      ends.output.push_back(gathers ? block : one);
    }
    Placed placed =
        communicator.plan(operation, kModelDType, rows_.block() * params_.model.hidden, params_.algorithm);
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
    const HbmView stream = own(layers_[r], h, slice, &Layer::CoreTensors::stream),
                  gain = ranks_[r].weights[layer].attention_gain.of(h),
                  normed = own(layers_[r], h, slice, &Layer::CoreTensors::normed, &Layer::gathered);
    if (layer == 0) return part(r, h).norm(stream, nullptr, nullptr, gain, normed);
    const HbmView middle = own(before_[r], h, slice, &Layer::CoreTensors::middle),
                  sum = own(before_[r], h, slice, &Layer::CoreTensors::sum_mlp, &Layer::partial_mlp);
    part(r, h).norm(middle, &sum, &stream, gain, normed);
  });
  exchange("attention all_gather", Operation::kAllGather, slice, &Layer::CoreTensors::normed,
           &Layer::gathered);
}

void Prefill::normalise_mlp(std::size_t layer, std::size_t slice) {
  replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
    const HbmView sum = own(layers_[r], h, slice, &Layer::CoreTensors::sum, &Layer::partial),
                  middle = own(layers_[r], h, slice, &Layer::CoreTensors::middle);
    part(r, h).norm(own(layers_[r], h, slice, &Layer::CoreTensors::stream), &sum, &middle,
                    ranks_[r].weights[layer].mlp_gain.of(h),
                    experts_
                        ? own(layers_[r], h, slice, &Layer::CoreTensors::normed_mlp)
                        : own(layers_[r], h, slice, &Layer::CoreTensors::normed_mlp, &Layer::gathered_mlp));
  });
  if (experts_) return;
  exchange("mlp all_gather", Operation::kAllGather, slice, &Layer::CoreTensors::normed_mlp,
           &Layer::gathered_mlp);
}

void Prefill::make_heads(std::size_t layer, std::size_t slice) {
  replica_.region("qkv");
  meet_rows(slice, &Layer::gathered);
  products(layer, slice).make_heads([&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, &Layer::gathered);
  });
  rotate_heads(slice);
}

void Prefill::project(std::size_t layer, std::size_t slice) {
  products(layer, slice).project();
  exchange("attention reduce_scatter", Operation::kReduceScatter, slice, &Layer::CoreTensors::sum,
           &Layer::partial);
}

void Prefill::mix_experts(std::size_t layer, std::size_t slice) {
  experts_->feed_forward(
      {microbatch_, layer, slice},
      [&](std::size_t r, std::size_t h) {
        return own(layers_[r], h, slice, &Layer::CoreTensors::normed_mlp);
      },
      [&](std::size_t r, std::size_t h) {
        return own(layers_[r], h, slice, &Layer::CoreTensors::sum_mlp, &Layer::partial_mlp);
      });
}

void Prefill::feed_forward(std::size_t layer, std::size_t slice) {
  if (experts_) return mix_experts(layer, slice);
  replica_.region("gate and up");
  meet_rows(slice, &Layer::gathered_mlp);
  products(layer, slice).feed_forward([&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, &Layer::gathered_mlp);
  });
  exchange("mlp reduce_scatter", Operation::kReduceScatter, slice, &Layer::CoreTensors::sum_mlp,
           &Layer::partial_mlp);
}

void Prefill::begin(std::size_t microbatch) {
  microbatch_ = microbatch;
  layers_.clear();
  if (station_.before != nullptr)
    replica_.each("hand-over", [&](std::size_t r, std::size_t h) { station_.before->receive(r, h); });
}

void Prefill::prepare(std::size_t layer) {
  before_ = std::move(layers_);
  layers_.clear();
  for (std::size_t r = 0; r < replica_.ranks(); ++r) layers_.push_back(allocate(r, layer));
  for (std::size_t s = 0; s < rows_.slices; ++s) normalise(layer, s);
  for (std::size_t s = 0; s < rows_.slices; ++s) make_heads(layer, s);
  meet_heads();
  if (tokens_.groups > 1) collect_keys();
}

// The inputs of a slice come before the slice after it, because queues are in order.
void Prefill::complete(std::size_t layer) {
  const std::size_t slices = rows_.slices;
  if (tokens_.groups > 1) meet_keys();
  attend();
  for (std::size_t s = 0; s < slices; ++s) project(layer, s);
  for (std::size_t s = 0; s <= slices; ++s) {
    if (s < slices) normalise_mlp(layer, s);
    if (s > 0) feed_forward(layer, s - 1);
  }
}

void Prefill::end(std::size_t microbatch) {
  replica_.each("residual", [&](std::size_t r, std::size_t h) {
    for (std::size_t s = 0; s < rows_.slices; ++s)
      part(r, h).add(own(layers_[r], h, s, &Layer::CoreTensors::middle),
                     own(layers_[r], h, s, &Layer::CoreTensors::sum_mlp, &Layer::partial_mlp),
                     rows_of(ranks_[r].out[microbatch][h].of(h), s * rows_.run, rows_.run));
  });
  finish(microbatch, [&](std::size_t r, std::size_t h) { return ranks_[r].out[microbatch][h].of(h); });
}

}  // namespace tahoma::workloads
