// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/vocabulary/logits.h"

#include <algorithm>

#include "runtime/collective/lowering/strips.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using isa::DType;

Logits::Logits(Replica& replica, const TransformerParams& params)
    : replica_(replica),
      params_(params),
      width_(runtime::collective::aligned(
          runtime::part_of(params.model.vocabulary, replica.ranks() * replica.physical_cores(), 0).count,
          kModelDType)) {
  const std::uint64_t hidden = params.model.hidden, rows = params.sequences(),
                      padded = transposed_load_rows(rows);
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    gains_.push_back(replica.shared(r, "final_gain", DType::kFp32, 1, hidden));
    replica.declare_input(gains_.back().tensor);
    Matrix& bias = biases_.emplace_back();
    if (params.model.norm == NormKind::kLayerBias) {
      bias = replica.shared(r, "final_bias", DType::kFp32, 1, hidden);
      replica.declare_input(bias.tensor);
    }
    for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
      OfCore& of_core = cores_.emplace_back();
      of_core.weights = replica.own(r, h, "head_weights", kModelDType, hidden, width_);
      replica.declare_input(of_core.weights.tensor);
      if (params.model.logit_bias) {
        of_core.bias = replica.own(r, h, "head_bias", DType::kFp32, 1, width_);
        replica.declare_input(of_core.bias.tensor);
      }
      of_core.normed = replica.own(r, h, "final_normed", kModelDType, padded, hidden);
      if (padded != rows) replica.declare_input(of_core.normed.tensor);  // rows that are read, but not used
      for (std::size_t b = 0; b < params.microbatches; ++b)
        of_core.logits.push_back(replica.own(r, h, "logits", DType::kFp32, rows, width_));
    }
  }
}

runtime::Part Logits::columns_of(std::size_t r, std::size_t h) const {
  const std::uint64_t all = params_.model.vocabulary, first = std::min(core(r, h) * width_, all);
  return {first, std::min(width_, all - first)};
}

void Logits::emit(std::size_t microbatch, const StreamOf& stream) {
  const std::uint64_t rows = params_.sequences();
  const auto part = [&](std::size_t r, std::size_t h) {
    return LayerPart{replica_.kernel(r, h), replica_.machine(), params_.model};
  };
  const auto normed = [&](std::size_t r, std::size_t h) {
    return rows_of(cores_[core(r, h)].normed.of(h), 0, rows);
  };
  replica_.each("final norm", [&](std::size_t r, std::size_t h) {
    const Stream of_core = stream(r, h);
    part(r, h).model_norm(of_core.x, of_core.add ? &*of_core.add : nullptr, nullptr,
                          {gains_[r].of(h), optional_view(biases_[r], h)}, normed(r, h));
  });
  replica_.each("logits", [&](std::size_t r, std::size_t h) {
    const OfCore& of_core = cores_[core(r, h)];
    part(r, h).product(normed(r, h), of_core.weights.of(h), of_core.logits[microbatch].of(h),
                       optional_view(of_core.bias, h));
    if (params_.model.logit_cap > 0)
      part(r, h).bound(of_core.logits[microbatch].of(h), params_.model.logit_cap);
  });
}

void Logits::fill(runtime::Machine& machine, const HostVocabulary& values) const {
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    fill_all(machine, replica_, gains_[r], values.final_gain);
    if (!biases_[r].views.empty()) fill_all(machine, replica_, biases_[r], values.final_bias);
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const auto [first, count] = columns_of(r, h);
      const Matrix& matrix = cores_[core(r, h)].weights;
      runtime::HostTensor part = runtime::make_tensor("head_weights", kModelDType, matrix.tensor.shape);
      copy_block(values.head, {0, first, values.head.rows(), count}, part, {0, 0, values.head.rows(), count});
      fill_all(machine, replica_, matrix, part);
      if (!params_.model.logit_bias) continue;
      const Matrix& of_core = cores_[core(r, h)].bias;
      runtime::HostTensor bias = runtime::make_tensor("head_bias", DType::kFp32, of_core.tensor.shape);
      copy_block(values.head_bias, {0, first, 1, count}, bias, {0, 0, 1, count});
      fill_all(machine, replica_, of_core, bias);
    }
  }
}

void Logits::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::size_t r = 0; r < replica_.ranks(); ++r)
        for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
          const auto [first, count] = columns_of(r, h);
          for (std::uint64_t s = 0; s < params_.sequences() && count > 0; ++s)
            runtime::paste_window(
                out,
                {(replica_.alike()[g].number * params_.microbatches + b) * params_.sequences() + s, first, 1,
                 count},
                row_of(machine, replica_, g, cores_[core(r, h)].logits[b], s));
        }
}

}  // namespace tahoma::workloads
