// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/case/training_case.h"

#include <cmath>

#include "workloads/common/row_numbers.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HostTensor;

HostTensor labels_of(const TrainingParams& params, std::uint64_t seed) {
  const std::string& path = params.forward.inputs.of("labels");
  HostTensor labels = runtime::make_tensor("labels", DType::kInt32, {params.all_rows(), 1});
  if (path.empty())
    any_rows_below(params.model().vocabulary)(labels, seed);
  else
    labels = runtime::load_input(path, "labels", DType::kInt32, labels.shape);
  refuse_rows_beyond(params.model().vocabulary)(labels);
  return labels;
}

TrainingCase training_case(const TrainingParams& params, std::uint64_t seed) {
  const ModelShape& m = params.model();
  HostCase forward = host_case(params.forward, seed);
  TrainingCase values{{std::move(forward.weights), {}, {}},
                      std::move(forward.table),
                      std::move(forward.x),
                      labels_of(params, seed)};
  const std::string &gain = params.forward.inputs.of("final_gain"), &head = params.forward.inputs.of("head");
  values.weights.final_gain = gain.empty()
                                  ? generated("final_gain", DType::kFp32, {1, m.hidden}, seed, {1, 0.5})
                                  : runtime::load_input(gain, "final_gain", DType::kFp32, {1, m.hidden});
  values.weights.head =
      head.empty() ? generated("head", TransformerParams::kDType, {m.hidden, m.vocabulary}, seed,
                               {0, std::sqrt(3.0 / static_cast<double>(m.hidden))})
                   : runtime::load_input(head, "head", TransformerParams::kDType, {m.hidden, m.vocabulary});
  return values;
}

ModelTensors zeros_like(const ModelTensors& tensors) {
  ModelTensors zeros = tensors;
  for_tensors(zeros, [](const char* name, std::size_t, HostTensor& tensor) {
    tensor = runtime::make_tensor(name, DType::kFp32, tensor.shape);
  });
  return zeros;
}

}  // namespace tahoma::workloads
