// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/tensor_update.h"

#include <algorithm>

namespace tahoma::runtime::cluster {

double TensorQueue::free() const { return *std::max_element(free_.begin(), free_.end()); }

// Returns when the last queue has finished.
double TensorQueue::exchange(double ready, const Exchange& exchange, bool small) {
  if (exchange.seconds() == 0) return ready;
  const std::size_t queues = small ? 1 : free_.size();
  double end = 0;
  for (std::size_t q = 0; q < queues; ++q) {
    link_ = std::max({free_[q], ready, link_}) + exchange.wire / static_cast<double>(queues);
    free_[q] = link_ + exchange.wait;
    end = std::max(end, free_[q]);
  }
  return end;
}

void TensorQueue::reduce(double complete, const TensorCosts& costs) {
  spent_ += costs.reduce.seconds();
  tensors_.push_back({exchange(complete, costs.reduce, costs.small), &costs});
}

void TensorQueue::reduce(double complete, const std::vector<TensorCosts>& costs) {
  for (const TensorCosts& one : costs) reduce(complete, one);
}

TensorQueue::End TensorQueue::finish(double passes_end, double start) {
  End end{std::max(passes_end, free()), passes_end, 0};
  if (!tensors_.empty()) end.updated = std::max(passes_end, tensors_.front().when) + start;
  for (const Reduced& tensor : tensors_) {
    end.updated = std::max(end.updated, tensor.when) + tensor.costs->update;
    end.gathered = std::max(end.gathered, exchange(end.updated, tensor.costs->gather, tensor.costs->small));
  }
  end.updated = std::max(end.updated, end.reduced);
  end.gathered = std::max(end.gathered, end.updated);
  return end;
}

}  // namespace tahoma::runtime::cluster
