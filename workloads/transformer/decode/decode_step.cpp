// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/decode/decode_step.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "workloads/delta/delta_kernel.h"
#include "workloads/transformer/layer/latent_heads.h"
#include "workloads/transformer/vocabulary/logits.h"
#include "workloads/transformer/vocabulary/token_embedding.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

DecodeStep::DecodeStep(Replica& replica, const TransformerParams& params, const Station& station,
                       const ExpertRouting* routing)
    : PhasePrograms(replica, params, station),
      sharding_(params, share_, replica.ranks(), station.group),
      tensors_(replica, params, station, share_, sharding_),
      attention_(replica, params, share_, sharding_, tensors_) {
  add_experts(routing, 1,
              [this](std::size_t, std::size_t, std::size_t h) { return sharding_.reduced_rows(h); });
  add_embedding(1, [this](std::size_t, std::size_t h) { return sharding_.reduced_rows(h); });
  add_logits();
}

Products DecodeStep::products(std::size_t layer) const {
  return {replica_,
          params_.model,
          share_,
          [this](std::size_t r) -> const LayerTensors& { return layers_[r]; },
          [this, layer](std::size_t r) -> const LayerWeights& { return tensors_[r].weights[layer]; },
          {0, sharding_.rows}};
}

void DecodeStep::make_heads(std::size_t layer) {
  const std::uint64_t d = params_.model.head_dim, rotated = share_.heads + share_.kv_heads;
  const auto normed = [&](std::size_t r, std::size_t h) {
    return all_rows(layers_[r].core_tensors[h].normed, h);
  };
  if (params_.model.latent)
    return LatentHeads(products(layer))
        .make(normed, [&](std::size_t r, std::size_t h, const HbmView& heads, const runtime::Part& rows) {
          part(r, h).rope(heads, rows_of(tensors_.table(r, layer).of(h), rows.first, rows.count),
                          params_.model.latent.rope);
        });
  products(layer).make_heads(normed);
  if (params_.model.joint_qk_norm)
    normalise_jointly(
        products(layer), [this](std::size_t h) { return sharding_.reduced_rows(h); }, params_.algorithm,
        [this](std::size_t h, PlannedCollective planned) { keep("qk norm", h, std::move(planned)); });
  replica_.each("rope", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share_.units_of(h);
    if (params_.model.turned(params_.first_layer + layer_number(layer)) && count > 0 && first < rotated)
      part(r, h).rope(heads_of(all_rows(layers_[r].qkv, h), first, std::min(count, rotated - first), d),
                      tensors_.table(r, layer).of(h), d);
  });
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share_.units_of(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{heads_of(all_rows(layers_[r].qkv, viewer), first, count, d)};
    });
}

void DecodeStep::delta_rule(std::size_t layer) {
  const Products products = this->products(layer);
  delta_.make(products,
              [&](std::size_t r, std::size_t h) { return all_rows(layers_[r].core_tensors[h].normed, h); });
  delta_.apply(products, [&](const LayerPart& part, const DeltaHeads& heads, DeltaViews views, std::size_t r,
                             std::size_t h) {
    const DecodeStageTensors::Cache& cache = tensors_[r].caches[layer][microbatch_][h];
    views.states = cache.k.of(h);
    views.past = cache.v.of(h);
    // The step puts the new tokens in place of the oldest ones.
    keep_states({layer, r, h, cache.k, cache.v, 0,
                 [rows = sharding_.rows, more = heads.taps - 1](std::uint64_t s, std::uint64_t j) {
                   return (j + 1) % more * rows + s;
                 }});
    emit_delta_step(part.kernel, part.machine, heads, sharding_.rows, static_cast<float>(part.model.epsilon),
                    views);
  });
  if (share(layer).delta_heads(params_.model).split && params_.model.delta.scans())
    normalise_groups(
        products, [this](std::size_t h) { return sharding_.reduced_rows(h); }, params_.algorithm,
        [this](std::size_t h, PlannedCollective planned) { keep("group norm", h, std::move(planned)); });
}

void DecodeStep::project(std::size_t layer) {
  const bool latent = static_cast<bool>(params_.model.latent);
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = sharding_.sequences_of(r, writer);
      if (count == 0) return std::vector<HbmView>{};
      const Matrix& made = latent ? layers_[r].latent.o : layers_[r].o;
      return std::vector<HbmView>{rows_of(made.of(viewer), first, count)};
    });
  if (latent) LatentHeads(products(layer)).expand();
  products(layer).project();
}

// The sum over the ranks; each physical core has a part of the rows.
void DecodeStep::reduce(const char* region, Whole partial, Whole sum) {
  if (replica_.ranks() == 1) return;
  replica_.region(region);
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    const auto [first, count] = sharding_.reduced_rows(h);
    if (count == 0) continue;
    Communicator& communicator = replica_.communicator(h);
    const std::uint64_t elements = count * params_.model.hidden;
    PlannedCollective planned =
        communicator.plan(Operation::kAllReduce, kModelDType, elements, params_.algorithm);
    if (chunk_pitch(planned) * planned.chunks != elements)
      throw base::UserError(
          "E-MDL-004", "workload.algorithm",
          fmt::format("{} cuts the {} elements of an all_reduce into {} chunks, which are not whole "
                      "accesses of HBM; expected another algorithm, batch or degree",
                      planned.spec.algorithm->name, elements, planned.chunks));
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (const Whole whole : {partial, sum}) {
        const Matrix& matrix = layers_[r].*whole;
        End end{rows_of(matrix.of(h), first, count), 0, planned.chunks};
        end.address = matrix.tensor.address + end.window.offset;
        (whole == partial ? ends.input : ends.output).push_back(end);
      }
    communicator.add(planned, ends);
    keep(region, h, std::move(planned));
  }
  synchronise_rows(sum);
}

// Each physical core normalises the rows that it has summed over the ranks.
void DecodeStep::post_norm(std::size_t layer, Matrix LayerWeights::*gain, Whole sum) {
  if (!params_.model.post_norm) return;
  replica_.each("post norm", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = sharding_.reduced_rows(h);
    if (count == 0) return;
    const HbmView rows = rows_of((layers_[r].*sum).of(h), first, count);
    part(r, h).norm(rows, nullptr, nullptr, (tensors_[r].weights[layer].*gain).of(h), rows);
  });
  synchronise_rows(sum);
}

void DecodeStep::feed_forward(std::size_t layer) {
  replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
    const DecodeLayer::CoreTensors& tensors = layers_[r].core_tensors[h];
    const HbmView sum = all_rows(layers_[r].sum, h), middle = all_rows(tensors.middle, h);
    if (params_.model.parallel) part(r, h).add(all_rows(tensors.stream, h), sum, middle);
    if (params_.model.parallel_norm)
      part(r, h).model_norm(all_rows(tensors.stream, h), nullptr, nullptr,
                            tensors_[r].weights[layer].mlp_norm(h), all_rows(tensors.normed_mlp, h));
    if (params_.model.parallel) return;
    part(r, h).sublayer_norm(all_rows(tensors.stream, h), &sum, &middle,
                             tensors_[r].weights[layer].mlp_norm(h), all_rows(tensors.normed_mlp, h));
  });
  if (share(layer).common_ffn > 0)
    products(layer).feed_forward([&](std::size_t r, std::size_t h) {
      const DecodeLayer::CoreTensors& tensors = layers_[r].core_tensors[h];
      return all_rows(params_.model.one_norm() ? tensors.normed : tensors.normed_mlp, h);
    });
  if (!has_experts(layer)) return;
  mix_experts(layer);
  if (share(layer).common_ffn > 0) add_shared_expert(layer);
  if (replica_.ranks() == 1) synchronise_rows(&DecodeLayer::partial_mlp);
}

// Each physical core computes the rows that it then sums over the ranks.
void DecodeStep::mix_experts(std::size_t layer) {
  experts_->feed_forward(
      turn(layer, 0),
      [&](std::size_t r, std::size_t h) { return reduced(layers_[r].core_tensors[h].normed_mlp, h); },
      [&](std::size_t r, std::size_t h) {
        return reduced(
            share(layer).common_ffn > 0 ? layers_[r].core_tensors[h].mixed : layers_[r].partial_mlp, h);
      });
}

void DecodeStep::add_shared_expert(std::size_t layer) {
  replica_.each("shared expert", [&](std::size_t r, std::size_t h) {
    const DecodeLayer::CoreTensors& tensors = layers_[r].core_tensors[h];
    const HbmView sum = reduced(layers_[r].partial_mlp, h), mixed = reduced(tensors.mixed, h);
    if (sum.rows == 0) return;
    if (!params_.model.shared_gated) return part(r, h).add(mixed, sum, sum);
    const HbmView logits = reduced(tensors.shared_logits, h);
    part(r, h).product(reduced(tensors.normed_mlp, h), tensors_[r].weights[layer].shared_router.of(h),
                       logits);
    part(r, h).add_gated(mixed, sum, &logits, sum);
  });
}

// Each physical core has its part of the rows of a tensor.
void DecodeStep::synchronise_rows(Whole whole) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = sharding_.reduced_rows(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{rows_of((layers_[r].*whole).of(viewer), first, count)};
    });
}

DecodeStep::Summands DecodeStep::left_by(const DecodeLayer& of_rank, std::size_t layer, std::size_t h) const {
  const DecodeLayer::CoreTensors& tensors = of_rank.core_tensors[h];
  if (!feeds(layer)) return {all_rows(tensors.stream, h), all_rows(of_rank.sum, h)};
  return {all_rows(tensors.middle, h), all_rows(of_rank.sum_mlp, h)};
}

void DecodeStep::normalise(std::size_t layer) {
  replica_.each("attention norm", [&](std::size_t r, std::size_t h) {
    const DecodeLayer::CoreTensors& tensors = layers_[r].core_tensors[h];
    const HbmView stream = all_rows(tensors.stream, h), normed = all_rows(tensors.normed, h);
    const NormViews norm = tensors_[r].weights[layer].attention_norm(h);
    if (layer == 0) return part(r, h).sublayer_norm(stream, nullptr, nullptr, norm, normed);
    const auto [middle, sum] = left_by(before_[r], layer - 1, h);
    part(r, h).sublayer_norm(middle, &sum, &stream, norm, normed);
  });
}

// Each physical core embeds the rows that it then sums over the ranks.
void DecodeStep::embed() {
  const bool alone = replica_.ranks() == 1;
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    layers_[r].stream = tensors_[r].in[microbatch_].front();
    layers_[r].embedded = alone
                              ? layers_[r].stream
                              : replica_.shared(r, "embedded", kModelDType, sharding_.rows, sharding_.hidden);
  }
  replica_.each("embedding", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = sharding_.reduced_rows(h);
    embedding_->emit(microbatch_, 0, r, h, rows_of(layers_[r].embedded.of(h), first, count));
  });
  if (alone) return synchronise_rows(&DecodeLayer::stream);
  reduce("embedding all_reduce", &DecodeLayer::embedded, &DecodeLayer::stream);
}

void DecodeStep::prepare(std::size_t layer) {
  before_ = std::move(layers_);
  layers_.clear();
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    layers_.emplace_back(replica_, r, params_, share(layer), sharding_,
                         layer == 0 ? &tensors_[r].in[microbatch_] : nullptr);
  if (embedding_ && layer == 0) embed();
  normalise(layer);
  if (share(layer).delta) return delta_rule(layer);
  make_heads(layer);
  for (std::size_t r = 0; r < replica_.ranks(); ++r) keep_heads(layer, r, layers_[r].qkv);
  attention_.attend(layers_, layer, microbatch_);
}

void DecodeStep::complete(std::size_t layer) {
  if (share(layer).delta) {
    products(layer).project();
  } else {
    attention_.merge(layers_);
    attention_.gate(layers_);
    project(layer);
  }
  reduce("attention all_reduce", &DecodeLayer::partial, &DecodeLayer::sum);
  post_norm(layer, &LayerWeights::attention_post_gain, &DecodeLayer::sum);
  if (!feeds(layer)) return;
  feed_forward(layer);
  reduce("mlp all_reduce", &DecodeLayer::partial_mlp, &DecodeLayer::sum_mlp);
  post_norm(layer, &LayerWeights::mlp_post_gain, &DecodeLayer::sum_mlp);
}

void DecodeStep::begin(std::size_t microbatch) {
  microbatch_ = microbatch;
  layers_.clear();
  if (station_.before == nullptr) return;
  replica_.each("hand-over", [&](std::size_t r, std::size_t h) {
    if (sharding_.run_of(r, h).rows > 0) station_.before->receive(r, h);
  });
  put_together();
}

void DecodeStep::put_together() {
  for (std::size_t h = 0; h < replica_.physical_cores() && replica_.ranks() > 1; ++h) {
    const auto [first, count] = sharding_.reduced_rows(h);
    if (count == 0) continue;
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      const DecodeSharding::Run run = sharding_.run_of(r, h);
      ends.input.push_back(end_of(tensors_[r].came[microbatch_][h], h, 0, run.rows, 1));
      ends.output.push_back(end_of(tensors_[r].in[microbatch_][h], h, first, count, 1));
      ends.output.back().places = replica_.ranks();
    }
    Communicator& communicator = replica_.communicator(h);
    PlannedCollective planned = communicator.plan(Operation::kAllGather, kModelDType,
                                                  count * params_.model.hidden, params_.algorithm);
    communicator.add(planned, ends);
    keep("hand-over all_gather", h, std::move(planned));
  }
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = sharding_.reduced_rows(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{rows_of(tensors_[r].in[microbatch_][viewer].of(viewer), first, count)};
    });
}

void DecodeStep::end(std::size_t microbatch) {
  if (logits_) {
    logits_->emit(microbatch, [&](std::size_t r, std::size_t h) {
      const auto [middle, sum] = left_by(layers_[r], last_layer(), h);
      return Logits::Stream{middle, sum};
    });
    return finish(microbatch,
                  [&](std::size_t r, std::size_t h) { return logits_->columns(microbatch, r, h); });
  }
  replica_.each("residual", [&](std::size_t r, std::size_t h) {
    const HbmView middle = left_by(layers_[r], last_layer(), h).stream,
                  sum = left_by(layers_[r], last_layer(), h).sublayer;
    if (station_.behind == nullptr) return part(r, h).add(middle, sum, tensors_[r].out[microbatch][h].of(h));
    const DecodeSharding::Run run = sharding_.run_of(r, h);
    const auto own = [&](const HbmView& view) {
      return view.window(run.row, run.column, run.rows, run.columns);
    };
    if (run.rows > 0) part(r, h).add(own(middle), own(sum), tensors_[r].out[microbatch][h].of(h));
  });
  finish(microbatch, [&](std::size_t r, std::size_t h) {
    return sharding_.run_of(r, h).rows > 0 ? tensors_[r].out[microbatch][h].of(h) : HbmView{};
  });
}

void DecodeStep::fill(runtime::Machine& machine, const HostCase& values) const {
  if (experts_) experts_->fill(machine, values);
  fill_vocabulary(machine, values);
  tensors_.fill(machine, values, layer_number(0));
}

}  // namespace tahoma::workloads
