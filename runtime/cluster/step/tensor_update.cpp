// SPDX-License-Identifier: Apache-2.0
#include "runtime/cluster/step/tensor_update.h"

#include <algorithm>

namespace tahoma::runtime::cluster {

void TensorQueue::reduce(double complete, const TensorCosts& costs) {
  const double begin = costs.reduce > 0 ? std::max(free_, complete) : complete;
  if (costs.reduce > 0) free_ = begin + costs.reduce;
  spent_ += costs.reduce;
  tensors_.push_back({begin + costs.reduce, &costs});
}

void TensorQueue::reduce(double complete, const std::vector<TensorCosts>& costs) {
  for (const TensorCosts& one : costs) reduce(complete, one);
}

TensorQueue::End TensorQueue::finish(double passes_end, double start) const {
  End end{std::max(passes_end, free_), passes_end, 0};
  if (!tensors_.empty()) end.updated = std::max(passes_end, tensors_.front().when) + start;
  double queue = free_;
  for (const Reduced& tensor : tensors_) {
    end.updated = std::max(end.updated, tensor.when) + tensor.costs->update;
    if (tensor.costs->gather > 0) queue = std::max(queue, end.updated) + tensor.costs->gather;
  }
  end.updated = std::max(end.updated, end.reduced);
  end.gathered = std::max(queue, end.updated);
  return end;
}

}  // namespace tahoma::runtime::cluster
