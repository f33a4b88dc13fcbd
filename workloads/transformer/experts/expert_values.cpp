// SPDX-License-Identifier: Apache-2.0
// Writes the host's inputs of a mixture of experts and reads back its routing.
#include <cstring>

#include "workloads/moe/routing_kernel.h"
#include "workloads/transformer/experts/experts.h"

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

void Experts::fill_control(runtime::Machine& machine) const {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      std::vector<std::uint64_t> all;
      for (const Step& step : steps_) {
        const std::vector<std::uint64_t> some = numbers_of(step, r, h);
        all.insert(all.end(), some.begin(), some.end());
      }
      if (!all.empty())
        fill_all(machine, replica_, numbers_[r * replica_.physical_cores() + h],
                 integers("expert_rows", all, 1));
    }
}

void Experts::fill(runtime::Machine& machine, const HostCase& values) const {
  for (std::size_t l = 0; l < params_.stage_layers(); ++l)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      weights_[l][r].fill(machine, replica_, r, values.weights[first_layer_ + l], share_);
  for (const Step& step : steps_)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = own(step, r, h);
        const Matrix& matrix = step.ranks[r].core_tensors[h].bias;
        HostTensor bias = runtime::make_tensor("routing_bias", isa::DType::kFp32, matrix.tensor.shape);
        for (std::uint64_t row = 0; row < count; ++row)
          for (std::uint64_t k = 0; k < routing_.per_token(); ++k) {
            const std::uint64_t chosen = expert(step.turn, first + row, k);
            const float value = bias_of(routing_.per_token(), k);
            std::memcpy(bias.values.data() + (row * params_.model.experts + chosen) * sizeof value, &value,
                        sizeof value);
          }
        fill_all(machine, replica_, matrix, bias);
      }
}

void Experts::check(runtime::Machine& machine, runtime::GoldenResult& golden) const {
  const runtime::MadeBy router = [](std::uint64_t, std::uint64_t) { return std::string("a router"); };
  const auto held = [&](const Matrix& matrix, const std::vector<std::uint64_t>& want) {
    for (std::size_t g = 0; g < replica_.alike().size(); ++g) {
      HostTensor got = integers(matrix.tensor.name, want, routing_.per_token());
      machine.read(replica_.at(g, matrix.tensor), std::span(got.values));
      golden.add(runtime::check_moved(integers(matrix.tensor.name, want, routing_.per_token()), got, router));
    }
  };
  for (const Step& step : steps_)
    for (std::size_t r = 0; r < replica_.ranks(); ++r)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = own(step, r, h);
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
