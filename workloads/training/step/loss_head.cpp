// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/loss_head.h"

#include <algorithm>

#include "workloads/loss/cross_entropy_kernel.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HbmView, runtime::HostTensor;

namespace {}  // namespace

LossHead::LossHead(Fleet& fleet, const TrainingParams& params, const Parameters& parameters,
                   const RowExchange& rows, std::size_t microbatch)
    : fleet_(fleet), params_(params), parameters_(parameters), rows_(rows), microbatch_(microbatch) {
  fleet.each_rank([&](const Cell& rank) { ranks_.push_back(make(rank)); });
}

LossHead::OfRank LossHead::make(const Cell& rank) const {
  Replica& replica = fleet_.replica(rank);
  const std::uint64_t run = rows_.sharding().run, rows = run * fleet_.physical_cores();
  const std::string number = microbatch_ == 0 ? "" : std::to_string(microbatch_);
  OfRank made;
  made.normed = replica.shared(rank.rank, "normed_head", kModelDType, rows, params_.model().hidden);
  made.logits = replica.shared(rank.rank, "logits", kModelDType, rows, params_.model().vocabulary);
  for (std::size_t h = 0; h < fleet_.physical_cores(); ++h) {
    const auto own = [&](const char* name, DType dtype, std::uint64_t count) {
      return replica.own(rank.rank, h, name, dtype, count, 1);
    };
    // Arguments, which have names of their own.
    const auto control = [&](const char* name, std::uint64_t count) {
      return replica.control(rank.rank, h, name + number, DType::kInt32, count, 1);
    };
    made.core_tensors.push_back(
        {control("labels", run), control("starts", fleet_.machine().params().chip.core.sbuf.partitions),
         own("places", DType::kInt32, run), own("loss", DType::kFp32, run), own("part", DType::kFp32, 1),
         rows_.own({rank.replica, rank.rank, h}, "normed_head_gradient")});
    replica.declare_input(made.core_tensors.back().places.tensor);
  }
  return made;
}

HbmView LossHead::rows_of_core(const Matrix& matrix, const Cell& c) const {
  return rows_of(matrix.of(c.physical_core), c.physical_core * rows_.sharding().run, rows_.sharding().run);
}

void LossHead::loss(const Cell& c) {
  runtime::Kernel& kernel = fleet_.kernel(c);
  const runtime::Kernel::Scope scope(kernel);
  const OfRank::CoreTensors& tensors = of(c).core_tensors[c.physical_core];
  const auto view = [&](const Matrix& matrix) { return matrix.of(c.physical_core); };
  const HbmView logits = rows_of_core(of(c).logits, c);
  emit_cross_entropy(
      kernel, fleet_.machine().params(),
      {logits.rows, logits.columns, 1.0F / static_cast<float>(params_.all_rows()), kModelDType},
      {logits, logits, view(tensors.labels), view(tensors.starts), view(tensors.places), view(tensors.loss),
       view(tensors.part)});
}

void LossHead::forward_and_back(const TrainingLayers& layers) {
  const std::size_t last = params_.forward.layers, norm = parameters_.final_norm();
  const auto part = [&](const Cell& c) {
    return LayerPart{fleet_.kernel(c), fleet_.machine().params(), params_.model()};
  };
  const auto back = [&](const Cell& c) {
    return BackwardPart{fleet_.kernel(c), fleet_.machine().params(), params_.model()};
  };
  fleet_.region("final norm");
  fleet_.each([&](const Cell& c) {
    part(c).norm(layers.stream(c, last), nullptr, nullptr, parameters_.gain(c, norm),
                 rows_of_core(of(c).normed, c));
  });
  fleet_.region("head");
  fleet_.each([&](const Cell& c) {
    part(c).product(rows_of_core(of(c).normed, c), parameters_.head(c).of(c.physical_core),
                    rows_of_core(of(c).logits, c));
  });
  fleet_.region("loss");
  fleet_.each([&](const Cell& c) { loss(c); });
  fleet_.region("back head");
  fleet_.each([&](const Cell& c) {
    back(c).input_gradient(rows_of_core(of(c).logits, c), parameters_.head(c).of(c.physical_core),
                           of(c).core_tensors[c.physical_core].normed_gradient.of(c.physical_core));
  });
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      const std::uint64_t run = rows_.sharding().run;
      return std::vector<HbmView>{rows_of(of(c).normed.of(viewer), writer * run, run),
                                  rows_of(of(c).logits.of(viewer), writer * run, run)};
    });
  });
  fleet_.each([&](const Cell& c) { add_gradient(c); });
  fleet_.region("back final norm");
  fleet_.each([&](const Cell& c) {
    parameters_.back_through_norm(back(c), c, norm,
                                  {layers.stream(c, last),
                                   parameters_.gain(c, norm),
                                   of(c).core_tensors[c.physical_core].normed_gradient.of(c.physical_core),
                                   rows_.own(layers.gradient(c, last), c),
                                   {},
                                   {}});
  });
}

// The gradient of the head, from the physical core's features.
void LossHead::add_gradient(const Cell& c) {
  const auto of_core = [&](const Matrix& matrix) {
    const HbmView view = matrix.of(c.physical_core);
    const std::uint64_t rows = view.rows / fleet_.physical_cores();
    return rows_of(view, c.physical_core * rows, rows);
  };
  const HbmView sum = of_core(parameters_.head_gradient(c)),
                added = params_.accumulates() ? of_core(parameters_.added_head(c)) : sum;
  BackwardPart{fleet_.kernel(c), fleet_.machine().params(), params_.model()}.weight_gradient(
      fleet_.replica(c).core_columns(of(c).normed.of(c.physical_core), c.physical_core),
      of(c).logits.of(c.physical_core), added);
  if (params_.accumulates())
    LayerPart{fleet_.kernel(c), fleet_.machine().params(), params_.model()}.add(sum, added, sum);
}

void LossHead::fill(const HostTensor& labels) const {
  runtime::Machine& machine = fleet_.machine();
  HostTensor starts =
      runtime::make_tensor("starts", DType::kInt32, {machine.params().chip.core.sbuf.partitions, 1});
  fill_row_starts(starts, params_.model().vocabulary);
  fleet_.each([&](const Cell& c) {
    const OfRank::CoreTensors& tensors = of(c).core_tensors[c.physical_core];
    machine.write(tensors.starts.tensor, starts.values);
    runtime::copy_window(labels, {rows_.first_row(c, microbatch_), 0, rows_.sharding().run, 1},
                         machine.bytes(tensors.labels.tensor));
    machine.declare_input(tensors.labels.tensor);
  });
}

void LossHead::collect(HostTensor& losses) const {
  fleet_.each([&](const Cell& c) {
    runtime::paste_window(losses, {rows_.first_row(c, microbatch_), 0, rows_.sharding().run, 1},
                          fleet_.machine().bytes(of(c).core_tensors[c.physical_core].loss.tensor));
  });
}

}  // namespace tahoma::workloads
