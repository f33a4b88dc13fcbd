// SPDX-License-Identifier: Apache-2.0
// The end of a step on one stage if each tensor has collectives of its own (job.update: by_tensor). Units
// work in order: the chips' queues of collectives reduce the tensors as their gradients become complete, and
// then gather their weights; the engines update one tensor after the other behind the last backward pass. A
// tensor is updated once it is reduced, and gathered once it is updated.
//
// Each queue carries an equal part of a collective, and begins the next one when it has finished its part.
// Its bytes pass the chip's link one part after the other; while one queue waits for a message, another can
// use the link.
#pragma once

#include <cstddef>
#include <vector>

namespace tahoma::runtime::cluster {

// These are seconds: the latencies of all rounds, and the bytes on the link. Both are 0 if nothing is
// exchanged.
struct Exchange {
  double wait = 0, wire = 0;
  double seconds() const { return wait + wire; }
};

struct TensorCosts {
  Exchange reduce{};
  double update = 0;  // seconds
  Exchange gather{};
  bool small = false;  // one queue carries all of it
};

class TensorQueue {
 public:
  explicit TensorQueue(std::size_t queues = 1) : free_(queues, 0.0) {}

  // The gradient is complete. `costs` outlive this object.
  void reduce(double complete, const TensorCosts& costs);
  void reduce(double complete, const std::vector<TensorCosts>& costs);
  double free() const;                     // when the queues have finished what they have
  double spent() const { return spent_; }  // on reductions
  // Updates and gathers all of them in the order of their reductions. `start`: seconds before the first
  // update.
  struct End {
    double reduced = 0, updated = 0, gathered = 0;
  };
  End finish(double passes_end, double start = 0);

 private:
  struct Reduced {
    double when;
    const TensorCosts* costs;
  };
  double exchange(double ready, const Exchange& exchange, bool small);

  std::vector<double> free_;  // by queue
  double link_ = 0, spent_ = 0;
  std::vector<Reduced> tensors_;
};

}  // namespace tahoma::runtime::cluster
