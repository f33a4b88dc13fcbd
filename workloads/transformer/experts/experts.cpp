// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/experts.h"

#include "workloads/moe/expert_rows.h"
#include "workloads/moe/routing_kernel.h"
#include "workloads/transformer/layer/feed_forward.h"

namespace tahoma::workloads {

using runtime::HbmView;

namespace {

// Control values [first, first + rows columns) as a matrix.
HbmView numbers_at(const HbmView& all, std::uint64_t first, std::uint64_t rows, std::uint64_t columns) {
  HbmView view = all.window(first, 0, rows, 1);
  view.columns = columns;
  view.row_stride = static_cast<std::int64_t>(columns);
  return view;
}

// By layer of the stage, and rank.
std::vector<std::vector<ExpertWeights>> weights_of(Replica& replica, const TransformerParams& params,
                                                   const RankShare& share, std::uint64_t layers) {
  std::vector<std::vector<ExpertWeights>> weights;
  for (std::size_t l = 0; l < layers; ++l) {
    std::vector<ExpertWeights>& of_layer = weights.emplace_back();
    for (std::size_t r = 0; r < replica.ranks(); ++r) of_layer.emplace_back(replica, r, params.model, share);
  }
  return weights;
}

}  // namespace

Experts::Experts(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
                 const ExpertSteps::Stage& stage, ExpertExchange::Keep keep)
    : replica_(replica),
      params_(params),
      per_token_(routing.per_token()),
      share_(params, replica.physical_cores()),
      shape_{replica.ranks(),
             replica.physical_cores(),
             share_.block,
             share_.experts,
             params.model.expert_width(),
             params.phase == Phase::kPrefill && replica.ranks() > 1},
      layers_(stage.layers),
      exchange_(shape_.exchanged ? std::make_unique<ExpertExchange>(replica, params, shape_, std::move(keep))
                                 : nullptr),
      weights_(weights_of(replica, params, share_, layers_.size())),
      steps_(replica, params, routing, shape_, stage) {}

void Experts::route(const ExpertStep& step, const View& normed) {
  replica_.each("router", [&](std::size_t r, std::size_t h) {
    const ExpertStep::CoreTensors& tensors = step.ranks[r].core_tensors[h];
    const std::uint64_t rows = step.own(r, h).count;
    if (rows == 0) return;
    RoutingShape shape{rows, params_.model.experts, per_token_, params_.model.hidden};
    shape.dtype = kModelDType;
    shape.by_rows = shape.prescribed = true;
    shape.normalised = params_.model.normalised_gates;
    shape.sigmoid = params_.model.gate_function == GateFunction::kSigmoid;
    shape.factor = static_cast<float>(params_.model.gate_factor);
    runtime::Kernel& kernel = replica_.kernel(r, h);
    const runtime::Kernel::Scope scope(kernel);
    emit_routing(
        kernel, replica_.machine(), shape,
        {normed(r, h), weights_[step.turn.layer][r].router.of(h), tensors.logits.of(h), tensors.chosen.of(h),
         tensors.gates.of(h), tensors.places.of(h), tensors.counts.of(h), tensors.bias.of(h)});
  });
}

void Experts::take(const ExpertStep& step, const View& normed, std::size_t slot) {
  replica_.each("expert rows", [&](std::size_t r, std::size_t h) {
    const ExpertStep::OfRank& rank = step.ranks[r];
    std::uint64_t first = rank.core_tensors[h].numbers;
    for (std::size_t before = 0; before < slot; ++before) first += step.layout.taken(r, h, before).size();
    const std::uint64_t count = step.layout.taken(r, h, slot).size();
    if (count == 0) return;
    const Segment& segment = shape_.exchanged ? step.layout.sent(r, h, slot) : step.layout.rows(r, slot);
    const HbmView to = shape_.exchanged ? segment.part_of(rank.core_tensors[h].sent.of(h), 0, count)
                                        : segment.part_of(rank.rows.of(h),
                                                          step.layout.rows_of_core(r, slot, h).first, count);
    const runtime::Kernel::Scope scope(replica_.kernel(r, h));
    emit_take_rows(replica_.kernel(r, h), replica_.machine(),
                   {normed(r, h), numbers_at(steps_.numbers(r, h).of(h), first, count, 1), to});
  });
}

void Experts::synchronise_rows(const ExpertStep& step) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      std::vector<HbmView> written;
      for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
        const auto [first, count] = step.layout.rows_of_core(r, slot, writer);
        if (count > 0)
          written.push_back(step.layout.rows(r, slot).part_of(step.ranks[r].rows.of(viewer), first, count));
      }
      return written;
    });
}

void Experts::compute(const ExpertStep& step, std::size_t slot) {
  const FeedForwardOf of = [&](std::size_t r, std::size_t h) {
    const ExpertStep::OfRank& rank = step.ranks[r];
    const Segment& segment = step.layout.rows(r, slot);
    const ExpertWeights::Expert& expert = weights_[step.turn.layer][r].experts[slot];
    const auto rows = [&](const Matrix& matrix) { return segment.part_of(matrix.of(h), 0, segment.rows()); };
    return FeedForwardViews{rows(rank.rows),
                            expert.gate_up.of(h),
                            expert.down.of(h),
                            params_.model.gated ? rows(rank.gate_up) : HbmView{},
                            rows(rank.hidden),
                            rows(rank.partial),
                            optional_view(expert.gate_up_bias, h),
                            optional_view(expert.down_bias, h)};
  };
  emit_widen(replica_, params_.model, of);
  emit_narrow(replica_, params_.model, of);
}

void Experts::combine(const ExpertStep& step, const View& out) {
  replica_.each("expert sum", [&](std::size_t r, std::size_t h) {
    const ExpertStep::OfRank& rank = step.ranks[r];
    const std::uint64_t rows = step.own(r, h).count, k = per_token_;
    if (rows == 0) return;
    const std::uint64_t first =
        rank.core_tensors[h].numbers + steps_.numbers_of(step, r, h).size() - rows * k;
    const runtime::Kernel::Scope scope(replica_.kernel(r, h));
    emit_weighted_rows(replica_.kernel(r, h), replica_.machine(),
                       {shape_.exchanged ? rank.core_tensors[h].back.of(h) : rank.partial.of(h),
                        numbers_at(steps_.numbers(r, h).of(h), first, rows, k),
                        rank.core_tensors[h].gates.of(h), out(r, h)});
  });
}

// Each token times the gate of its expert; outputs then have the gate 1.
Experts::View Experts::scaled(const ExpertStep& step, const View& normed) {
  std::vector<Matrix> made(replica_.ranks() * replica_.physical_cores());
  replica_.each("expert gates", [&](std::size_t r, std::size_t h) {
    const std::uint64_t rows = step.own(r, h).count;
    if (rows == 0) return;
    Matrix& matrix = made[r * replica_.physical_cores() + h];
    matrix = replica_.own(r, h, "gated_rows", kModelDType, rows, params_.model.hidden);
    LayerPart{replica_.kernel(r, h), replica_.machine(), params_.model}.scale_rows(
        rows_of(normed(r, h), 0, rows), rows_of(step.ranks[r].core_tensors[h].gates.of(h), 0, rows),
        matrix.of(h));
  });
  return [made = std::move(made), this](std::size_t r, std::size_t h) {
    return made[r * replica_.physical_cores() + h].of(h);
  };
}

// The latent vectors of its rows.
Experts::View Experts::lowered(const ExpertStep& step, const View& normed) {
  const View to = latents(step, "latent_rows");
  replica_.each("expert latents", [&](std::size_t r, std::size_t h) {
    const std::uint64_t rows = step.own(r, h).count;
    if (rows == 0) return;
    LayerPart{replica_.kernel(r, h), replica_.machine(), params_.model}.product(
        rows_of(normed(r, h), 0, rows), weights_[step.turn.layer][r].in.of(h), rows_of(to(r, h), 0, rows));
  });
  return to;
}

// A tensor of its rows, which products read with rows behind them.
Experts::View Experts::latents(const ExpertStep& step, const char* name) {
  std::vector<Matrix> made(replica_.ranks() * replica_.physical_cores());
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t rows = step.own(r, h).count;
      if (rows == 0) continue;
      Matrix& matrix = made[r * replica_.physical_cores() + h];
      matrix = replica_.own(r, h, name, kModelDType, rows + kTransposeRows, params_.model.expert_latent);
      replica_.declare_input(matrix.tensor);
    }
  return [made = std::move(made), this](std::size_t r, std::size_t h) {
    return made[r * replica_.physical_cores() + h].of(h);
  };
}

void Experts::raise(const ExpertStep& step, const View& sums, const View& out) {
  replica_.each("expert latents", [&](std::size_t r, std::size_t h) {
    const std::uint64_t rows = step.own(r, h).count;
    if (rows == 0) return;
    LayerPart{replica_.kernel(r, h), replica_.machine(), params_.model}.product(
        rows_of(sums(r, h), 0, rows), weights_[step.turn.layer][r].out.of(h), out(r, h));
  });
}

void Experts::feed_forward(const ExpertTurn& turn, const View& normed, const View& out) {
  const ExpertStep& step = steps_.allocate(turn, share_);
  const bool latent = params_.model.expert_latent > 0;
  route(step, normed);
  const View rows = params_.model.gated_inputs ? scaled(step, normed)
                    : latent                   ? lowered(step, normed)
                                               : normed;
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    take(step, rows, slot);
    if (exchange_) exchange_->dispatch(step, slot);
  }
  synchronise_rows(step);
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    compute(step, slot);
    if (exchange_) exchange_->bring_back(step, slot);
  }
  if (!latent) return combine(step, out);
  const View all = latents(step, "latent_sums");
  const View sums = [&](std::size_t r, std::size_t h) { return rows_of(all(r, h), 0, step.own(r, h).count); };
  combine(step, sums);
  raise(step, sums, out);
}

void Experts::fill(runtime::Machine& machine, const HostCase& values) const {
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      weights_[l][r].fill(machine, replica_, r, values.weights[layers_[l]], share_);
  steps_.fill_bias(machine, values);
}

}  // namespace tahoma::workloads
