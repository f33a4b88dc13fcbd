// SPDX-License-Identifier: Apache-2.0
// The end of a step on one stage if each tensor has collectives of its own (job.update: by_tensor). Two units work in order:
// the collectives' queue reduces the tensors as their gradients become complete, and then gathers their weights; the engines
// update one tensor after the other behind the last backward pass. A tensor is updated once it is reduced, and gathered once
// it is updated.
#pragma once

#include <vector>

namespace tahoma::runtime::cluster {

// Seconds of one tensor; 0: nothing is exchanged.
struct TensorCosts {
  double reduce = 0, update = 0, gather = 0;
};

class TensorQueue {
 public:
  // The gradient is complete. `costs` outlive this object.
  void reduce(double complete, const TensorCosts& costs);
  void reduce(double complete, const std::vector<TensorCosts>& costs);
  double free() const { return free_; }    // when the queue has finished what it has
  double spent() const { return spent_; }  // on reductions
  // Updates and gathers all of them in the order of their reductions.
  struct End {
    double reduced = 0, updated = 0, gathered = 0;
  };
  // `start`: seconds before the first update.
  End finish(double passes_end, double start = 0) const;

 private:
  struct Reduced {
    double when;
    const TensorCosts* costs;
  };
  double free_ = 0, spent_ = 0;
  std::vector<Reduced> tensors_;
};

}  // namespace tahoma::runtime::cluster
