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

}  // namespace

Experts::Experts(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
                 std::uint64_t first_layer, std::size_t slices, const Own& own, Keep keep)
    : replica_(replica),
      params_(params),
      routing_(routing),
      share_(params, replica.physical_cores()),
      shape_{replica.ranks(),     replica.physical_cores(),
             share_.block,        share_.experts,
             params.model.hidden, params.phase == Phase::kPrefill && replica.ranks() > 1},
      first_layer_(first_layer),
      slices_(slices),
      keep_(std::move(keep)) {
  if (shape_.exchanged) teams_.emplace(replica, params.parallel);
  for (std::size_t l = 0; l < params.stage_layers(); ++l) {
    std::vector<ExpertWeights>& of_layer = weights_.emplace_back();
    for (std::size_t r = 0; r < replica.ranks(); ++r) of_layer.emplace_back(replica, r, params.model, share_);
  }
  for (std::size_t b = 0; b < params.microbatches; ++b)
    for (std::size_t l = 0; l < params.stage_layers(); ++l)
      for (std::size_t s = 0; s < slices; ++s) steps_.push_back(plan({b, l, s}, own));
  place_numbers();
}

Experts::Step Experts::plan(const Turn& turn, const Own& own) const {
  std::vector<runtime::Part> rows;
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) rows.push_back(own(turn.slice, r, h));
  ExpertLayout layout(
      shape_, routing_.per_token(), [&](std::uint64_t row, std::uint64_t k) { return expert(turn, row, k); },
      [&](std::size_t r, std::size_t h) { return rows[r * replica_.physical_cores() + h]; });
  std::vector<OfRank> ranks(replica_.ranks());
  for (OfRank& rank : ranks) rank.core_tensors.resize(replica_.physical_cores());
  return {turn, std::move(rows), std::move(layout), std::move(ranks)};
}

// The control values of a physical core's kernels in a step: for each slot the rows that are taken, then the
// positions to which all of them return.
std::vector<std::uint64_t> Experts::numbers_of(const Step& step, std::size_t r, std::size_t h) const {
  std::vector<std::uint64_t> numbers;
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    const std::vector<std::uint64_t> taken = step.layout.taken(r, h, slot);
    numbers.insert(numbers.end(), taken.begin(), taken.end());
  }
  const std::vector<std::uint64_t> returned = step.layout.returned(r, h);
  numbers.insert(numbers.end(), returned.begin(), returned.end());
  return numbers;
}

void Experts::place_numbers() {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      std::uint64_t count = 0;
      for (Step& step : steps_) {
        step.ranks[r].core_tensors[h].numbers = count;
        count += numbers_of(step, r, h).size();
      }
      numbers_.push_back(
          replica_.control(r, h, "expert_rows", isa::DType::kInt32, std::max<std::uint64_t>(1, count), 1));
      replica_.declare_input(numbers_.back().tensor);
    }
}

void Experts::allocate(Step& step) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    OfRank& rank = step.ranks[r];
    // A row after the segments remains zero, for experts of other ranks.
    const std::uint64_t rows = step.layout.rows(r, shape_.slots - 1).end() + 1;
    const auto tensor = [&](const char* name, std::uint64_t columns) {
      Matrix matrix = replica_.shared(r, name, kModelDType, rows, columns);
      replica_.declare_input(matrix.tensor);  // rows that are read but not used
      return matrix;
    };
    rank.rows = tensor("expert_rows_in", params_.model.hidden);
    rank.gate_up = tensor("expert_gate_up", 2 * share_.ffn);
    rank.hidden = tensor("expert_hidden", share_.ffn);
    rank.partial = tensor("expert_partial", params_.model.hidden);
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t numbers = rank.core_tensors[h].numbers;
      rank.core_tensors[h] = allocate_core_tensors(step, r, h);
      rank.core_tensors[h].numbers = numbers;
    }
  }
}

Experts::CoreTensors Experts::allocate_core_tensors(const Step& step, std::size_t r, std::size_t h) {
  CoreTensors tensors;
  const std::uint64_t rows = std::max<std::uint64_t>(1, own(step, r, h).count), k = routing_.per_token(),
                      hidden = params_.model.hidden, experts = params_.model.experts;
  const auto tensor = [&](const char* name, isa::DType dtype, std::uint64_t count, std::uint64_t columns) {
    return replica_.own(r, h, name, dtype, count, columns);
  };
  tensors.bias = tensor("routing_bias", isa::DType::kFp32, rows, experts);
  replica_.declare_input(tensors.bias.tensor);
  tensors.logits = tensor("router_logits", isa::DType::kFp32, rows, experts);
  tensors.chosen = tensor("experts_chosen", isa::DType::kInt32, rows, k);
  tensors.gates = tensor("gates", isa::DType::kFp32, rows, k);
  tensors.places = tensor("places", isa::DType::kInt32, rows, k);
  tensors.counts = tensor("expert_counts", isa::DType::kInt32, 1, experts);
  const auto segments = [&](const char* name, const Segment& last) {
    Matrix matrix = tensor(name, kModelDType, last.end(), hidden);
    replica_.declare_input(matrix.tensor);  // transferred where there is no row
    return matrix;
  };
  if (!shape_.exchanged) return tensors;
  tensors.sent = segments("expert_sent", step.layout.sent(r, h, shape_.slots - 1));
  tensors.back = segments("expert_back", step.layout.sent(r, h, shape_.slots - 1));
  if (shape_.block == 1 || shape_.blocks() == 1) return tensors;
  tensors.arrived = segments("expert_arrived", step.layout.arrived(r, h, shape_.slots - 1));
  tensors.returned = segments("expert_returned", step.layout.arrived(r, h, shape_.slots - 1));
  return tensors;
}

void Experts::route(const Step& step, const View& normed) {
  replica_.each("router", [&](std::size_t r, std::size_t h) {
    const CoreTensors& tensors = step.ranks[r].core_tensors[h];
    const std::uint64_t rows = own(step, r, h).count;
    if (rows == 0) return;
    RoutingShape shape{rows, params_.model.experts, routing_.per_token(), params_.model.hidden};
    shape.dtype = kModelDType;
    shape.by_rows = shape.prescribed = true;
    runtime::Kernel& kernel = replica_.kernel(r, h);
    const runtime::Kernel::Scope scope(kernel);
    emit_routing(
        kernel, replica_.machine(), shape,
        {normed(r, h), weights_[step.turn.layer][r].router.of(h), tensors.logits.of(h), tensors.chosen.of(h),
         tensors.gates.of(h), tensors.places.of(h), tensors.counts.of(h), tensors.bias.of(h)});
  });
}

void Experts::take(const Step& step, const View& normed, std::size_t slot) {
  replica_.each("expert rows", [&](std::size_t r, std::size_t h) {
    const OfRank& rank = step.ranks[r];
    std::uint64_t first = rank.core_tensors[h].numbers;
    for (std::size_t before = 0; before < slot; ++before) first += step.layout.taken(r, h, before).size();
    const std::uint64_t count = step.layout.taken(r, h, slot).size();
    if (count == 0) return;
    const Segment& segment = shape_.exchanged ? step.layout.sent(r, h, slot) : step.layout.rows(r, slot);
    const HbmView to = shape_.exchanged ? segment.part_of(rank.core_tensors[h].sent.of(h), 0, count)
                                        : segment.part_of(rank.rows.of(h),
                                                          step.layout.rows_of_core(r, slot, h).first, count);
    const runtime::Kernel::Scope scope(replica_.kernel(r, h));
    emit_take_rows(
        replica_.kernel(r, h), replica_.machine(),
        {normed(r, h), numbers_at(numbers_[r * replica_.physical_cores() + h].of(h), first, count, 1), to});
  });
}

void Experts::meet_rows(const Step& step) {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      std::vector<HbmView> written;
      for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
        const auto [first, count] = step.layout.rows_of_core(r, slot, writer);
        if (count > 0)
          written.push_back(step.layout.rows(r, slot).part_of(step.ranks[r].rows.of(viewer), first, count));
      }
      return written;
    });
}

void Experts::compute(const Step& step, std::size_t slot) {
  const FeedForwardOf of = [&](std::size_t r, std::size_t h) {
    const OfRank& rank = step.ranks[r];
    const Segment& segment = step.layout.rows(r, slot);
    const ExpertWeights::Expert& expert = weights_[step.turn.layer][r].experts[slot];
    const auto rows = [&](const Matrix& matrix) { return segment.part_of(matrix.of(h), 0, segment.rows()); };
    return FeedForwardViews{rows(rank.rows),    expert.gate_up.of(h), expert.down.of(h),
                            rows(rank.gate_up), rows(rank.hidden),    rows(rank.partial)};
  };
  emit_widen(replica_, params_.model, of);
  emit_narrow(replica_, params_.model, of);
}

void Experts::combine(const Step& step, const View& out) {
  replica_.each("expert sum", [&](std::size_t r, std::size_t h) {
    const OfRank& rank = step.ranks[r];
    const std::uint64_t rows = own(step, r, h).count, k = routing_.per_token();
    if (rows == 0) return;
    const std::uint64_t first = rank.core_tensors[h].numbers + numbers_of(step, r, h).size() - rows * k;
    const runtime::Kernel::Scope scope(replica_.kernel(r, h));
    emit_weighted_rows(replica_.kernel(r, h), replica_.machine(),
                       {shape_.exchanged ? rank.core_tensors[h].back.of(h) : rank.partial.of(h),
                        numbers_at(numbers_[r * replica_.physical_cores() + h].of(h), first, rows, k),
                        rank.core_tensors[h].gates.of(h), out(r, h)});
  });
}

void Experts::feed_forward(const Turn& turn, const View& normed, const View& out) {
  Step& step = steps_[(turn.microbatch * params_.stage_layers() + turn.layer) * slices_ + turn.slice];
  allocate(step);
  route(step, normed);
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    take(step, normed, slot);
    if (shape_.exchanged) dispatch(step, slot);
  }
  meet_rows(step);
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    compute(step, slot);
    if (shape_.exchanged) bring_back(step, slot);
  }
  combine(step, out);
}

}  // namespace tahoma::workloads
