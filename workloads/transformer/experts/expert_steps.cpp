// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_steps.h"

#include <algorithm>
#include <cstring>

#include "workloads/moe/routing_kernel.h"

namespace tahoma::workloads {

using runtime::HostTensor;

namespace {

HostTensor integers(const std::string& name, const std::vector<std::uint64_t>& values,
                    std::uint64_t columns) {
  HostTensor tensor = runtime::make_tensor(name, isa::DType::kInt32, {values.size() / columns, columns});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int32_t>(values[i]);
    std::memcpy(tensor.values.data() + i * sizeof value, &value, sizeof value);
  }
  return tensor;
}

}  // namespace

ExpertSteps::ExpertSteps(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
                         const ExpertCase& shape, const Stage& stage)
    : replica_(replica),
      params_(params),
      routing_(routing),
      shape_(shape),
      layers_(stage.layers),
      slices_(stage.slices) {
  for (std::size_t b = 0; b < params.microbatches; ++b)
    for (std::size_t l = 0; l < layers_.size(); ++l)
      for (std::size_t s = 0; s < slices_; ++s) steps_.push_back(plan({b, l, s}, stage.own));
  place_numbers();
}

ExpertStep ExpertSteps::plan(const ExpertTurn& turn, const Own& own) const {
  std::vector<runtime::Part> rows;
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) rows.push_back(own(turn.slice, r, h));
  ExpertLayout layout(
      shape_, routing_.per_token(), [&](std::uint64_t row, std::uint64_t k) { return expert(turn, row, k); },
      [&](std::size_t r, std::size_t h) { return rows[r * replica_.physical_cores() + h]; });
  std::vector<ExpertStep::OfRank> ranks(replica_.ranks());
  for (ExpertStep::OfRank& rank : ranks) rank.core_tensors.resize(replica_.physical_cores());
  return {turn, std::move(rows), std::move(layout), std::move(ranks)};
}

std::vector<std::uint64_t> ExpertSteps::numbers_of(const ExpertStep& step, std::size_t r,
                                                   std::size_t h) const {
  std::vector<std::uint64_t> numbers;
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    const std::vector<std::uint64_t> taken = step.layout.taken(r, h, slot);
    numbers.insert(numbers.end(), taken.begin(), taken.end());
  }
  const std::vector<std::uint64_t> returned = step.layout.returned(r, h);
  numbers.insert(numbers.end(), returned.begin(), returned.end());
  return numbers;
}

void ExpertSteps::place_numbers() {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      std::uint64_t count = 0;
      for (ExpertStep& step : steps_) {
        step.ranks[r].core_tensors[h].numbers = count;
        count += numbers_of(step, r, h).size();
      }
      numbers_.push_back(
          replica_.control(r, h, "expert_rows", isa::DType::kInt32, std::max<std::uint64_t>(1, count), 1));
      replica_.declare_input(numbers_.back().tensor);
    }
}

const ExpertStep& ExpertSteps::allocate(const ExpertTurn& turn, const RankShare& share) {
  ExpertStep& step = steps_[(turn.microbatch * layers_.size() + turn.layer) * slices_ + turn.slice];
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    ExpertStep::OfRank& rank = step.ranks[r];
    // A row after the segments remains zero, for experts of other ranks.
    const std::uint64_t rows = step.layout.rows(r, shape_.slots - 1).end() + 1;
    const auto tensor = [&](const char* name, std::uint64_t columns) {
      Matrix matrix = replica_.shared(r, name, kModelDType, rows, columns);
      replica_.declare_input(matrix.tensor);  // rows that are read but not used
      return matrix;
    };
    rank.rows = tensor("expert_rows_in", params_.model.expert_width());
    if (params_.model.gated) rank.gate_up = tensor("expert_gate_up", 2 * share.ffn);
    rank.hidden = tensor("expert_hidden", share.ffn);
    rank.partial = tensor("expert_partial", params_.model.expert_width());
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t numbers = rank.core_tensors[h].numbers;
      rank.core_tensors[h] = allocate_core_tensors(step, r, h);
      rank.core_tensors[h].numbers = numbers;
    }
  }
  return step;
}

ExpertStep::CoreTensors ExpertSteps::allocate_core_tensors(const ExpertStep& step, std::size_t r,
                                                           std::size_t h) {
  ExpertStep::CoreTensors tensors;
  const std::uint64_t rows = std::max<std::uint64_t>(1, step.own(r, h).count), k = routing_.per_token(),
                      hidden = params_.model.expert_width(), experts = params_.model.experts;
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

void ExpertSteps::fill_control(runtime::Machine& machine) const {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      std::vector<std::uint64_t> all;
      for (const ExpertStep& step : steps_) {
        const std::vector<std::uint64_t> some = numbers_of(step, r, h);
        all.insert(all.end(), some.begin(), some.end());
      }
      if (!all.empty()) fill_all(machine, replica_, numbers(r, h), integers("expert_rows", all, 1));
    }
}

// The router's own bias, if it has one, and the one that prescribes the choice.
void ExpertSteps::fill_bias(runtime::Machine& machine, const HostCase& values) const {
  for (const ExpertStep& step : steps_)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = step.own(r, h);
        const Matrix& matrix = step.ranks[r].core_tensors[h].bias;
        HostTensor bias = runtime::make_tensor("routing_bias", isa::DType::kFp32, matrix.tensor.shape);
        const HostTensor& own = values.weights[layers_[step.turn.layer]].router_bias;
        const std::size_t size = own.values.size();
        for (std::uint64_t row = 0; row < count; ++row) {
          if (size > 0) std::copy_n(own.values.data(), size, bias.values.data() + row * size);
          for (std::uint64_t k = 0; k < routing_.per_token(); ++k) {
            const std::uint64_t chosen = expert(step.turn, first + row, k);
            std::byte* at = bias.values.data() + (row * params_.model.experts + chosen) * sizeof(float);
            float value = 0;
            std::memcpy(&value, at, sizeof value);
            value += bias_of(routing_.per_token(), k);
            std::memcpy(at, &value, sizeof value);
          }
        }
        fill_all(machine, replica_, matrix, bias);
      }
}

void ExpertSteps::check(runtime::Machine& machine, runtime::GoldenResult& golden) const {
  const runtime::MadeBy router = [](std::uint64_t, std::uint64_t) { return std::string("a router"); };
  const auto held = [&](const Matrix& matrix, const std::vector<std::uint64_t>& want) {
    for (std::size_t g = 0; g < replica_.alike().size(); ++g) {
      HostTensor got = integers(matrix.tensor.name, want, routing_.per_token());
      machine.read(replica_.at(g, matrix.tensor), std::span(got.values));
      golden.add(runtime::check_moved(integers(matrix.tensor.name, want, routing_.per_token()), got, router));
    }
  };
  for (const ExpertStep& step : steps_)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = step.own(r, h);
        if (count == 0) continue;
        std::vector<std::uint64_t> chosen;
        for (std::uint64_t row = 0; row < count; ++row)
          for (std::uint64_t k = 0; k < routing_.per_token(); ++k)
            chosen.push_back(expert(step.turn, first + row, k));
        held(step.ranks[r].core_tensors[h].chosen, chosen);
        held(step.ranks[r].core_tensors[h].places, step.layout.places(r, h));
      }
}

}  // namespace tahoma::workloads
