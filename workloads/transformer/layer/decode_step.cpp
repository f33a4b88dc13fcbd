// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/decode_step.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {}  // namespace

DecodeStep::DecodeStep(Replica& replica, const TransformerParams& params, const Station& station,
                       const ExpertRouting* routing)
    : PhasePrograms(replica, params, station), share_(params, replica.physical_cores()) {
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    Rank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < params.stage_layers(); ++l) {
      rank.weights.emplace_back(replica, r, params.model, share_);
      auto& caches = rank.caches.emplace_back(params.microbatches);
      for (std::vector<Cache>& of_microbatch : caches)
        for (std::size_t h = 0; h < replica.physical_cores(); ++h)
          of_microbatch.push_back(allocate_cache(r, h));
    }
    rank.table = replica.shared(r, "rope_table", kModelDType, rows(), params.model.head_dim);
    replica.declare_input(rank.table.tensor);
    for (std::size_t b = 0; b < params.microbatches; ++b) place_stream(r);
  }
  if (routing != nullptr)
    experts_ = std::make_unique<Experts>(
        replica, params, *routing, layer_number(0), 1,
        [this](std::size_t, std::size_t, std::size_t h) { return reduced_rows(h); },
        [this](Exchange exchange) { keep(std::move(exchange)); });
}

runtime::Part DecodeStep::sequences_of(std::size_t rank, std::size_t physical_core) const {
  const std::uint64_t physical_cores = replica_.physical_cores();
  return runtime::part_of(rows(), share_.sharers * physical_cores,
                          rank % share_.sharers * physical_cores + physical_core);
}

DecodeStep::Cache DecodeStep::allocate_cache(std::size_t r, std::size_t h) {
  const std::uint64_t heads = share_.kv_heads * std::max<std::uint64_t>(1, sequences_of(r, h).count),
                      d = params_.model.head_dim;
  Cache cache{replica_.own(r, h, "k_cache", kModelDType, heads * d, capacity()),
              replica_.own(r, h, "v_cache", kModelDType, heads * capacity(), d)};
  replica_.declare_input(cache.k.tensor);
  replica_.declare_input(cache.v.tensor);
  return cache;
}

DecodeStep::Layer DecodeStep::allocate(std::size_t r, std::size_t number) {
  const ModelShape& m = params_.model;
  const std::uint64_t padded = transposed_load_rows(rows());
  const auto known = [&](Matrix matrix) {
    if (padded != rows()) replica_.declare_input(matrix.tensor);  // rows that are read but not used
    return matrix;
  };
  const auto whole = [&](const char* name, std::uint64_t columns) {
    return known(replica_.shared(r, name, kModelDType, padded, columns));
  };
  Layer layer;
  layer.qkv = whole("qkv", share_.units() * m.head_dim);
  layer.o = whole("attention", share_.heads * m.head_dim);
  if (share_.sharers > 1) replica_.declare_input(layer.o.tensor);  // other ranks' sequences remain zero
  layer.partial = whole("partial", m.hidden);
  if (!experts_) {
    layer.gate_up = whole("gate_up", 2 * share_.ffn);
    layer.hidden = whole("hidden", share_.ffn);
  }
  layer.partial_mlp = whole("partial_mlp", m.hidden);
  layer.sum = replica_.ranks() > 1 ? whole("sum", m.hidden) : layer.partial;
  layer.sum_mlp = replica_.ranks() > 1 ? whole("sum_mlp", m.hidden) : layer.partial_mlp;
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    Layer::CoreTensors& tensors = layer.core_tensors.emplace_back();
    const auto own = [&](const char* name) {
      return known(replica_.own(r, h, name, kModelDType, padded, m.hidden));
    };
    tensors.stream = number == 0 ? ranks_[r].in[microbatch_][h] : own("stream");
    tensors.normed = own("normed");
    tensors.middle = own("middle");
    tensors.normed_mlp =
        replica_.own(r, h, "normed_mlp", kModelDType, padded + (experts_ ? kTransposeRows : 0), m.hidden);
    if (experts_ || padded != rows()) replica_.declare_input(tensors.normed_mlp.tensor);
  }
  if (shares_sequences()) allocate_parts(r, layer);
  return layer;
}

Products DecodeStep::products(std::size_t layer) const {
  return {replica_,
          params_.model,
          share_,
          [this](std::size_t r) -> const LayerTensors& { return layers_[r]; },
          [this, layer](std::size_t r) -> const LayerWeights& { return ranks_[r].weights[layer]; },
          {0, rows()}};
}

void DecodeStep::make_heads(std::size_t layer) {
  const std::uint64_t d = params_.model.head_dim, rotated = share_.heads + share_.kv_heads;
  products(layer).make_heads(
      [&](std::size_t r, std::size_t h) { return all_rows(layers_[r].core_tensors[h].normed, h); });
  replica_.each("rope", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share_.units_of(h);
    if (count > 0 && first < rotated)
      part(r, h).rope(heads_of(all_rows(layers_[r].qkv, h), first, std::min(count, rotated - first), d),
                      ranks_[r].table.of(h));
  });
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share_.units_of(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{heads_of(all_rows(layers_[r].qkv, viewer), first, count, d)};
    });
}

// Appends the new token's keys as a column for each sequence, and its values as a row.
void DecodeStep::append(std::size_t r, std::size_t h, const Cache& cache) {
  const auto [first, count] = sequences_of(r, h);
  const auto d = static_cast<std::int64_t>(params_.model.head_dim),
             full = static_cast<std::int64_t>(capacity());
  const HbmView qkv = rows_of(layers_[r].qkv.of(h), first, count);
  for (std::uint64_t head = 0; head < share_.kv_heads; ++head) {
    const std::uint64_t place = head * count, width = params_.model.head_dim;
    HbmView k = heads_of(qkv, share_.heads + head, 1, width);
    k.repeats[0] = {1, 0};
    k.repeats[1] = {count, k.row_stride};
    k.rows = width;
    k.columns = 1;
    k.row_stride = 1;
    HbmView column = cache.k.of(h).window(place * width, context(), width, 1);
    column.repeats[1] = {count, d * full};
    if (count == 1) k.repeats[1] = column.repeats[1] = {};
    const isa::Queue on = isa::Queue::kGpSimd;
    replica_.kernel(r, h).move(column, k, on);
    HbmView row = cache.v.of(h).window(place * capacity() + context(), 0, 1, width);
    row.rows = count;
    row.row_stride = full * d;
    replica_.kernel(r, h).move(row, heads_of(qkv, share_.heads + share_.kv_heads + head, 1, width), on);
  }
}

void DecodeStep::attend(std::size_t layer) {
  const std::uint64_t d = params_.model.head_dim;
  replica_.each("cache", [&](std::size_t r, std::size_t h) {
    if (has_new() && sequences_of(r, h).count > 0) append(r, h, ranks_[r].caches[layer][microbatch_][h]);
  });
  replica_.each("attention", [&](std::size_t r, std::size_t h) {
    const runtime::Part own = sequences_of(r, h);
    if (own.count == 0) return;
    const Cache& cache = ranks_[r].caches[layer][microbatch_][h];
    const auto heads = [&](const Matrix& matrix) {
      return heads_of(rows_of(matrix.of(h), own.first, own.count), 0, share_.heads, d);
    };
    LayerPart::Decode decode{heads(layers_[r].qkv), cache.k.of(h),       cache.v.of(h), heads(layers_[r].o),
                             share_.kv_heads,       share_.heads_per_kv, own.count,     capacity()};
    if (!shares_sequences()) return part(r, h).decode(decode);
    const HbmView lse = lse_of(layers_[r].core_tensors[h], h);
    decode.o = layers_[r].core_tensors[h].part.of(h);
    decode.lse = &lse;
    part(r, h).decode(decode);
  });
}

void DecodeStep::project(std::size_t layer) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = sequences_of(r, writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{rows_of(layers_[r].o.of(viewer), first, count)};
    });
  products(layer).project();
}

// The sum over the ranks; each physical core has a part of the rows.
void DecodeStep::reduce(const char* region, Whole partial, Whole sum) {
  if (replica_.ranks() == 1) return;
  replica_.region(region);
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    const auto [first, count] = reduced_rows(h);
    if (count == 0) continue;
    Communicator& communicator = replica_.communicator(h);
    const std::uint64_t elements = count * params_.model.hidden;
    Placed placed = communicator.plan(Operation::kAllReduce, kModelDType, elements, params_.algorithm);
    if (chunk_pitch(placed) * placed.chunks != elements)
      throw base::UserError(
          "E-MDL-004", "workload.algorithm",
          fmt::format("{} cuts the {} elements of an all_reduce into {} chunks, which are not whole "
                      "accesses of HBM; expected another algorithm, batch or degree",
                      placed.spec.algorithm->name, elements, placed.chunks));
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (const Whole whole : {partial, sum}) {
        const Matrix& matrix = layers_[r].*whole;
        End end{rows_of(matrix.of(h), first, count), 0, placed.chunks};
        end.address = matrix.tensor.address + end.window.offset;
        (whole == partial ? ends.input : ends.output).push_back(end);
      }
    communicator.add(placed, ends);
    keep(region, h, std::move(placed));
  }
  meet_rows(sum);
}

void DecodeStep::feed_forward(std::size_t layer) {
  replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
    const Layer::CoreTensors& tensors = layers_[r].core_tensors[h];
    const HbmView sum = all_rows(layers_[r].sum, h), middle = all_rows(tensors.middle, h);
    part(r, h).norm(all_rows(tensors.stream, h), &sum, &middle, ranks_[r].weights[layer].mlp_gain.of(h),
                    all_rows(tensors.normed_mlp, h));
  });
  if (experts_) return mix_experts(layer);
  products(layer).feed_forward(
      [&](std::size_t r, std::size_t h) { return all_rows(layers_[r].core_tensors[h].normed_mlp, h); });
}

// Each physical core computes the rows that it then sums over the ranks.
void DecodeStep::mix_experts(std::size_t layer) {
  const auto rows_of_core = [&](const Matrix& matrix, std::size_t h) {
    const auto [first, count] = reduced_rows(h);
    return rows_of(matrix.of(h), first, count);
  };
  experts_->feed_forward(
      {microbatch_, layer, 0},
      [&](std::size_t r, std::size_t h) { return rows_of_core(layers_[r].core_tensors[h].normed_mlp, h); },
      [&](std::size_t r, std::size_t h) { return rows_of_core(layers_[r].partial_mlp, h); });
  if (replica_.ranks() == 1) meet_rows(&Layer::partial_mlp);
}

// Each physical core has its part of the rows of a tensor.
void DecodeStep::meet_rows(Whole whole) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = reduced_rows(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{rows_of((layers_[r].*whole).of(viewer), first, count)};
    });
}

void DecodeStep::normalise(std::size_t layer) {
  replica_.each("attention norm", [&](std::size_t r, std::size_t h) {
    const Layer::CoreTensors& tensors = layers_[r].core_tensors[h];
    const HbmView stream = all_rows(tensors.stream, h), gain = ranks_[r].weights[layer].attention_gain.of(h),
                  normed = all_rows(tensors.normed, h);
    if (layer == 0) return part(r, h).norm(stream, nullptr, nullptr, gain, normed);
    const HbmView sum = all_rows(before_[r].sum_mlp, h);
    part(r, h).norm(all_rows(before_[r].core_tensors[h].middle, h), &sum, &stream, gain, normed);
  });
}

void DecodeStep::prepare(std::size_t layer) {
  before_ = std::move(layers_);
  layers_.clear();
  for (std::size_t r = 0; r < replica_.ranks(); ++r) layers_.push_back(allocate(r, layer));
  normalise(layer);
  make_heads(layer);
  attend(layer);
}

void DecodeStep::complete(std::size_t layer) {
  if (shares_sequences()) merge();
  project(layer);
  reduce("attention all_reduce", &Layer::partial, &Layer::sum);
  feed_forward(layer);
  reduce("mlp all_reduce", &Layer::partial_mlp, &Layer::sum_mlp);
}

}  // namespace tahoma::workloads
