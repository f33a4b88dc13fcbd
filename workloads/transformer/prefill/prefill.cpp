// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/prefill.h"

#include "workloads/delta/delta_kernel.h"
#include "workloads/transformer/layer/latent_heads.h"
#include "workloads/transformer/prefill/last_tokens.h"
#include "workloads/transformer/vocabulary/logits.h"
#include "workloads/transformer/vocabulary/token_embedding.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

Prefill::Prefill(Replica& replica, const TransformerParams& params, const Station& station,
                 const ExpertRouting* routing)
    : PhasePrograms(replica, params, station),
      rows_{params.overlap, replica.physical_cores(), replica.ranks(),
            params.rows() / (params.overlap * replica.physical_cores() * replica.ranks())},
      tokens_(params, station.group),
      tensors_(replica, params, station, share_, rows_, tokens_),
      attention_(replica, params, share_, rows_, tokens_, tensors_) {
  add_experts(routing, rows_.slices, [this](std::size_t s, std::size_t r, std::size_t h) {
    return runtime::Part{rows_.first(s, h, r), rows_.run};
  });
  add_embedding(rows_.slices, [this](std::size_t s, std::size_t h) {
    return runtime::Part{rows_.first_of_block(s, h), rows_.block()};
  });
  if (tokens_.has_last()) add_logits();
}

HbmView Prefill::own(const PrefillLayer& layer, std::size_t h, std::size_t slice, Rows rows) const {
  return rows_of((layer.core_tensors[h].*rows).of(h), slice * rows_.run, rows_.run);
}

HbmView Prefill::own(const PrefillLayer& layer, std::size_t h, std::size_t slice, Rows rows,
                     Whole whole) const {
  if (replica_.ranks() > 1) return own(layer, h, slice, rows);
  return rows_of((layer.*whole).of(h), rows_.first(slice, h, 0), rows_.run);
}

HbmView Prefill::slice_of(std::size_t r, std::size_t h, std::size_t slice, Whole whole) const {
  return rows_of((layers_[r].*whole).of(h), rows_.first_of_block(slice, 0), rows_.slice());
}

Prefill::Summands Prefill::left_by(const PrefillLayer& of_rank, std::size_t layer, std::size_t h,
                                   std::size_t slice) const {
  using Core = PrefillLayer::CoreTensors;
  if (!feeds(layer))
    return {own(of_rank, h, slice, &Core::stream),
            own(of_rank, h, slice, &Core::sum, &PrefillLayer::partial)};
  return {own(of_rank, h, slice, &Core::middle),
          own(of_rank, h, slice, &Core::sum_mlp, &PrefillLayer::partial_mlp)};
}

void Prefill::exchange(const char* region, Operation operation, std::size_t slice, Rows rows, Whole whole) {
  if (replica_.ranks() == 1) return;
  replica_.region(region);
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    Communicator& communicator = replica_.communicator(h);
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      const PrefillLayer& layer = layers_[r];
      const End one = end_of(layer.core_tensors[h].*rows, h, slice * rows_.run, rows_.run, 1),
                block = end_of(layer.*whole, h, rows_.first_of_block(slice, h), rows_.run, rows_.ranks);
      const bool gathers = operation == Operation::kAllGather;
      ends.input.push_back(gathers ? one : block);
      ends.output.push_back(gathers ? block : one);
    }
    PlannedCollective planned = communicator.plan(operation, ends.input.front().window.dtype,
                                                  rows_.block() * params_.model.hidden, params_.algorithm);
    communicator.add(planned, ends);
    keep(region, h, std::move(planned));
  }
}

void Prefill::synchronise_rows(std::size_t slice, Whole whole) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{
          rows_of((layers_[r].*whole).of(viewer), rows_.first_of_block(slice, writer), rows_.block())};
    });
}

Products Prefill::products(std::size_t layer, std::size_t slice) const {
  return {replica_,
          params_.model,
          share_,
          [this](std::size_t r) -> const LayerTensors& { return layers_[r]; },
          [this, layer](std::size_t r) -> const LayerWeights& { return tensors_[r].weights[layer]; },
          {rows_.first_of_block(slice, 0), rows_.slice()}};
}

void Prefill::embed(std::size_t slice) {
  const bool alone = replica_.ranks() == 1;
  replica_.each("embedding", [&](std::size_t r, std::size_t h) {
    PrefillLayer& layer = layers_[r];
    embedding_->emit(microbatch_, slice, r, h,
                     alone ? own(layer, h, slice, &PrefillLayer::CoreTensors::stream)
                           : rows_of(layer.embedded.of(h), rows_.first_of_block(slice, h), rows_.block()));
  });
  exchange("embedding reduce_scatter", Operation::kReduceScatter, slice, &PrefillLayer::CoreTensors::stream,
           &PrefillLayer::embedded);
}

void Prefill::normalise(std::size_t layer, std::size_t slice) {
  replica_.each("attention norm", [&](std::size_t r, std::size_t h) {
    const HbmView stream = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::stream),
                  normed =
                      own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed, &PrefillLayer::gathered);
    const NormViews norm = tensors_[r].weights[layer].attention_norm(h);
    if (layer == 0) return part(r, h).sublayer_norm(stream, nullptr, nullptr, norm, normed);
    const auto [middle, sum] = left_by(before_[r], layer - 1, h, slice);
    if (!params_.model.norm_sums) return part(r, h).sublayer_norm(middle, &sum, &stream, norm, normed);
    part(r, h).sum_norm(middle, sum, tensors_[r].weights[layer - 1].mlp_norm(h), stream, &normed);
  });
  exchange("attention all_gather", Operation::kAllGather, slice, &PrefillLayer::CoreTensors::normed,
           &PrefillLayer::gathered);
}

void Prefill::post_norm(std::size_t layer, std::size_t slice, Matrix LayerWeights::*gain, Rows rows,
                        Whole whole) {
  if (!params_.model.post_norm) return;
  replica_.each("post norm", [&](std::size_t r, std::size_t h) {
    const HbmView view = own(layers_[r], h, slice, rows, whole);
    part(r, h).norm(view, nullptr, nullptr, (tensors_[r].weights[layer].*gain).of(h), view);
  });
}

void Prefill::normalise_mlp(std::size_t layer, std::size_t slice) {
  post_norm(layer, slice, &LayerWeights::attention_post_gain, &PrefillLayer::CoreTensors::sum,
            &PrefillLayer::partial);
  replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
    const HbmView sum = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::sum, &PrefillLayer::partial),
                  middle = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::middle);
    const HbmView stream = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::stream);
    const NormViews norm = tensors_[r].weights[layer].mlp_norm(h);
    const HbmView normed =
        has_experts(layer)
            ? own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed_mlp)
            : own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed_mlp, &PrefillLayer::gathered_mlp);
    if (params_.model.norm_sums)
      return part(r, h).sum_norm(stream, sum, tensors_[r].weights[layer].attention_norm(h), middle, &normed);
    if (!params_.model.parallel) return part(r, h).sublayer_norm(stream, &sum, &middle, norm, normed);
    part(r, h).add(stream, sum, middle);
    if (params_.model.parallel_norm) part(r, h).model_norm(stream, nullptr, nullptr, norm, normed);
  });
  if (share(layer).common_ffn == 0 || params_.model.one_norm()) return;
  if (has_experts(layer) && replica_.ranks() == 1)
    replica_.each("mlp norm", [&](std::size_t r, std::size_t h) {
      part(r, h).kernel.move(rows_of(layers_[r].gathered_mlp.of(h), rows_.first(slice, h, 0), rows_.run),
                             own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed_mlp),
                             isa::Queue::kSync);
    });
  exchange("mlp all_gather", Operation::kAllGather, slice, &PrefillLayer::CoreTensors::normed_mlp,
           &PrefillLayer::gathered_mlp);
}

void Prefill::make_heads(std::size_t layer, std::size_t slice) {
  replica_.region("qkv");
  synchronise_rows(slice, &PrefillLayer::gathered);
  const Products products = this->products(layer, slice);
  const auto normed = [&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, &PrefillLayer::gathered);
  };
  if (share(layer).delta) return delta_.make(products, normed);
  if (params_.model.latent)
    return LatentHeads(products).make(
        normed, [&](std::size_t r, std::size_t h, const HbmView& heads, const runtime::Part& rows) {
          attention_.rotate(r, h, layer, heads, products.rows.first + rows.first);
        });
  products.make_heads(normed);
  if (params_.model.joint_qk_norm)
    normalise_jointly(
        products,
        [&](std::size_t h) {
          return runtime::Part{rows_.first_of_block(slice, h), rows_.block()};
        },
        params_.algorithm,
        [this](std::size_t h, PlannedCollective planned) { keep("qk norm", h, std::move(planned)); });
  attention_.rotate_heads(layers_, layer, slice);
}

void Prefill::delta_rule(std::size_t layer) {
  delta_.apply(products(layer, 0), [&](const LayerPart& part, const DeltaHeads& heads, DeltaViews views,
                                       std::size_t r, std::size_t h) {
    const Matrix states = replica_.own(r, h, "delta_states", isa::DType::kFp32,
                                       params_.sequences() * heads.state_rows(), heads.state_columns());
    views.states = states.of(h);
    if (params_.tokens + 1 >= heads.taps)
      keep_states({layer, r, h, states, layers_[r].delta_in, h * heads.columns(),
                   [tokens = params_.tokens, more = heads.taps - 1](std::uint64_t s, std::uint64_t j) {
                     return (s + 1) * tokens - more + j;
                   }});
    emit_delta_chunks(part.kernel, part.machine, heads, params_.tokens,
                      static_cast<float>(part.model.epsilon), views);
  });
  if (share(layer).delta_heads(params_.model).split && params_.model.delta.scans())
    normalise_groups(
        products(layer, 0),
        [&](std::size_t h) { return runtime::part_of(rows_.rows(), replica_.physical_cores(), h); },
        params_.algorithm,
        [this](std::size_t h, PlannedCollective planned) { keep("group norm", h, std::move(planned)); });
}

void Prefill::project(std::size_t layer, std::size_t slice) {
  products(layer, slice).project();
  exchange("attention reduce_scatter", Operation::kReduceScatter, slice, &PrefillLayer::CoreTensors::sum,
           &PrefillLayer::partial);
}

void Prefill::mix_experts(std::size_t layer, std::size_t slice) {
  const bool shared = share(layer).common_ffn > 0;
  experts_->feed_forward(
      turn(layer, slice),
      [&](std::size_t r, std::size_t h) {
        return own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed_mlp);
      },
      [&](std::size_t r, std::size_t h) {
        if (shared) return own(layers_[r], h, slice, &PrefillLayer::CoreTensors::mixed);
        return own(layers_[r], h, slice, &PrefillLayer::CoreTensors::sum_mlp, &PrefillLayer::partial_mlp);
      });
}

void Prefill::add_shared_expert(std::size_t layer, std::size_t slice) {
  replica_.each("shared expert", [&](std::size_t r, std::size_t h) {
    const HbmView sum =
        own(layers_[r], h, slice, &PrefillLayer::CoreTensors::sum_mlp, &PrefillLayer::partial_mlp);
    const HbmView mixed = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::mixed);
    if (!params_.model.shared_gated) return part(r, h).add(mixed, sum, sum);
    const HbmView logits = own(layers_[r], h, slice, &PrefillLayer::CoreTensors::shared_logits);
    part(r, h).product(own(layers_[r], h, slice, &PrefillLayer::CoreTensors::normed_mlp),
                       tensors_[r].weights[layer].shared_router.of(h), logits);
    part(r, h).add_gated(mixed, sum, &logits, sum);
  });
}

void Prefill::feed_forward(std::size_t layer, std::size_t slice) {
  if (share(layer).common_ffn > 0) common_feed_forward(layer, slice);
  if (!has_experts(layer)) return;
  mix_experts(layer, slice);
  if (share(layer).common_ffn > 0) add_shared_expert(layer, slice);
}

void Prefill::common_feed_forward(std::size_t layer, std::size_t slice) {
  replica_.region("gate and up");
  const Whole normed = params_.model.one_norm() ? &PrefillLayer::gathered : &PrefillLayer::gathered_mlp;
  if (!params_.model.one_norm()) synchronise_rows(slice, normed);
  products(layer, slice).feed_forward([&](std::size_t r, std::size_t h) {
    return slice_of(r, h, slice, normed);
  });
  exchange("mlp reduce_scatter", Operation::kReduceScatter, slice, &PrefillLayer::CoreTensors::sum_mlp,
           &PrefillLayer::partial_mlp);
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
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    layers_.emplace_back(replica_, r, params_, PrefillSharding{share(layer), rows_, tokens_},
                         layer == 0 ? &tensors_[r].in[microbatch_] : nullptr);
  if (embedding_ && layer == 0) {
    for (std::size_t r = 0; r < replica_.ranks() && replica_.ranks() > 1; ++r)
      layers_[r].embedded = replica_.shared(r, "embedded", kModelDType, rows_.rows(), params_.model.hidden);
    for (std::size_t s = 0; s < rows_.slices; ++s) embed(s);
  }
  for (std::size_t s = 0; s < rows_.slices; ++s) normalise(layer, s);
  for (std::size_t s = 0; s < rows_.slices; ++s) make_heads(layer, s);
  if (share(layer).delta) return;
  attention_.finish_heads(layers_, layer, microbatch_);
  for (std::size_t r = 0; r < replica_.ranks(); ++r) keep_heads(layer, r, layers_[r].qkv);
}

// The inputs of a slice come before the slice after it, because queues are in order.
void Prefill::complete(std::size_t layer) {
  const std::size_t slices = rows_.slices;
  if (share(layer).delta)
    delta_rule(layer);
  else
    attention_.attend(layers_, layer, microbatch_);
  for (std::size_t s = 0; s < slices; ++s) project(layer, s);
  for (std::size_t s = 0; feeds(layer) && s <= slices; ++s) {
    if (s < slices) normalise_mlp(layer, s);
    if (s == 0) continue;
    feed_forward(layer, s - 1);
    post_norm(layer, s - 1, &LayerWeights::mlp_post_gain, &PrefillLayer::CoreTensors::sum_mlp,
              &PrefillLayer::partial_mlp);
  }
}

void Prefill::emit_logits(std::size_t microbatch) {
  LastTokens last(replica_, params_, rows_, tokens_.tokens());
  last.emit(
      [&](std::size_t r, std::size_t h, std::size_t s) {
        const auto [middle, sum] = left_by(layers_[r], last_layer(), h, s);
        return LastTokens::Stream{middle, sum};
      },
      [&](std::size_t h, PlannedCollective planned) { keep("last rows all_gather", h, std::move(planned)); });
  logits_->emit(microbatch, [&](std::size_t r, std::size_t h) {
    return Logits::Stream{last.rows(r, h), std::nullopt};
  });
}

void Prefill::end(std::size_t microbatch) {
  if (logits_) {
    emit_logits(microbatch);
    return finish(microbatch,
                  [&](std::size_t r, std::size_t h) { return logits_->columns(microbatch, r, h); });
  }
  // On the last stage, nothing needs the sum of the rows of a group without the last tokens.
  if (params_.logits && station_.behind == nullptr)
    return finish(microbatch, [&](std::size_t r, std::size_t h) {
      return left_by(layers_[r], last_layer(), h, rows_.slices - 1).sublayer;
    });
  replica_.each("residual", [&](std::size_t r, std::size_t h) {
    for (std::size_t s = 0; s < rows_.slices; ++s) {
      const auto [middle, sum] = left_by(layers_[r], last_layer(), h, s);
      const HbmView out = rows_of(tensors_[r].out[microbatch][h].of(h), s * rows_.run, rows_.run);
      if (params_.model.norm_sums)
        part(r, h).sum_norm(middle, sum, tensors_[r].weights.back().mlp_norm(h), out, nullptr);
      else
        part(r, h).add(middle, sum, out);
    }
  });
  finish(microbatch, [&](std::size_t r, std::size_t h) { return tensors_[r].out[microbatch][h].of(h); });
}

void Prefill::fill(runtime::Machine& machine, const HostCase& values) const {
  if (experts_) experts_->fill(machine, values);
  fill_vocabulary(machine, values);
  tensors_.fill(machine, values, layer_number(0));
}

}  // namespace tahoma::workloads
