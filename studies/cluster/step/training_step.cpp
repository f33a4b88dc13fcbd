// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/training_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/error.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr double kNotDone = std::numeric_limits<double>::infinity();

// Two units work on layers one after the other: the second on a layer that the first has finished. The end of
// the second, from the start of the first.
double two_units(double layers, double first, double second) {
  return first + (layers - 1) * std::max(first, second) + second;
}

class StepSimulation {
 public:
  StepSimulation(Schedule schedule, const PipelineShape& shape, const StepCosts& costs)
      : schedule_(schedule), shape_(shape), costs_(costs), stages_(shape.stages) {
    for (std::uint32_t s = 0; s < shape.stages; ++s) {
      stages_[s].passes = passes_of(schedule, shape, s);
      stages_[s].tensors = TensorQueue(costs.queues);
    }
    const std::size_t all = std::size_t{shape.stages} * shape.microbatches * shape.chunks;
    forward_.assign(all, kNotDone);
    backward_.assign(all, kNotDone);
  }

  TrainingStep run() {
    run_passes();
    for (std::uint32_t s = 0; s < shape_.stages; ++s) finish_stage(s);
    return totals();
  }

 private:
  struct Stage {
    std::vector<Pass> passes;
    std::size_t next = 0;
    double free = 0, busy = 0;  // when the compute unit is free; how long it has worked
    double last_of_chunk = 0;   // duration of the last pass that completes gradients
    double network = 0, reduce = 0;
    TensorQueue tensors;
    double passes_end = 0, reduced = 0, updated = 0, end = 0;
  };

  std::size_t at(std::uint32_t stage, std::uint32_t microbatch, std::uint32_t chunk) const {
    return (std::size_t{chunk} * shape_.stages + stage) * shape_.microbatches + microbatch;
  }
  bool first(std::uint32_t s, std::uint32_t chunk) const { return s == 0 && chunk == 0; }
  bool last(std::uint32_t s, std::uint32_t chunk) const {
    return s + 1 == shape_.stages && chunk + 1 == shape_.chunks;
  }

  double layers_of(std::uint32_t s, std::uint32_t chunk) const {
    const bool is_short = costs_.short_ends && (first(s, chunk) || last(s, chunk));
    return costs_.layers - (is_short ? 1 : 0);
  }

  // When what a pass needs has arrived; kNotDone if it is not known yet.
  double ready(std::uint32_t s, const Pass& pass) const {
    const std::uint32_t m = pass.microbatch, c = pass.chunk;
    switch (pass.kind) {
      case PassKind::kForward:
        if (first(s, c)) return 0;
        return (s > 0 ? forward_[at(s - 1, m, c)] : forward_[at(shape_.stages - 1, m, c - 1)]) + costs_.send;
      case PassKind::kBackward:
        if (last(s, c)) return forward_[at(s, m, c)];
        return std::max(
            forward_[at(s, m, c)],
            (s + 1 < shape_.stages ? backward_[at(s + 1, m, c)] : backward_[at(0, m, c + 1)]) + costs_.send);
      case PassKind::kWeights:
        return backward_[at(s, m, c)];
    }
    return kNotDone;
  }

  double one_layer(PassKind kind, const PassTimes& times) const {
    switch (kind) {
      case PassKind::kForward:
        return times.forward;
      case PassKind::kBackward:
        return schedule_ == Schedule::kZeroBubble ? times.backward : times.backward + times.weights;
      case PassKind::kWeights:
        return times.weights;
    }
    return 0;
  }

  double duration(std::uint32_t s, const Pass& pass) const {
    const double layer = one_layer(pass.kind, costs_.layer);
    const double layers = layers_of(s, pass.chunk);
    double seconds = layers * layer;
    if (costs_.gathers_weights) {
      const double reduced = pass.kind == PassKind::kForward ? 0 : costs_.reduce_layer;
      seconds = two_units(layers, costs_.gather_layer + reduced, layer);
    }
    // Embedding, logits and loss stand at the ends of the pipeline; the costly part is at the last stage.
    if (last(s, pass.chunk)) seconds += one_layer(pass.kind, costs_.ends);
    return s + 1 == shape_.stages ? seconds * costs_.straggler : seconds;
  }

  bool completes_gradients(const Pass& pass) const {
    return pass.kind == (schedule_ == Schedule::kZeroBubble ? PassKind::kWeights : PassKind::kBackward);
  }

  // Gradients of the layers of a chunk, as the last pass of its last micro-batch completes them.
  void reduce(std::uint32_t s, const Pass& pass, double start, double end) {
    Stage& stage = stages_[s];
    if (costs_.reduce_layer == 0 || costs_.gathers_weights) return;
    const auto layers = static_cast<std::uint32_t>(layers_of(s, pass.chunk));
    const double begin = stage.network;
    for (std::uint32_t n = 1; n <= layers; ++n)
      stage.network = std::max(stage.network, start + (end - start) * n / layers) + costs_.reduce_layer;
    stage.reduce += layers * costs_.reduce_layer;
    step_.spans.push_back({s, pass.microbatch, pass.chunk, "reduce", std::max(begin, start), stage.network});
  }

  // Reduces tensor by tensor. Returns the end of the pass, which a shared queue delays.
  double reduce_tensors(std::uint32_t s, const Pass& pass, double start, double end) {
    Stage& stage = stages_[s];
    const double layers = layers_of(s, pass.chunk),
                 ends = last(s, pass.chunk) ? one_layer(pass.kind, costs_.ends) : 0,
                 of_ends = ends * (end - start) / duration(s, pass),
                 of_layer = (end - start - of_ends) / layers;
    const bool beside = first(s, pass.chunk);
    double now = start + of_ends;
    if (beside && last(s, pass.chunk)) stage.tensors.reduce(now - costs_.norm, costs_.ends_tensors);
    for (double n = 0; n < layers; ++n) {
      if (costs_.shared_queue) now = std::max(now, stage.tensors.free());
      now += of_layer;
      if (beside) stage.tensors.reduce(now - costs_.norm, costs_.layer_tensors);
    }
    if (!beside && last(s, pass.chunk)) stage.tensors.reduce(now, costs_.ends_tensors);
    for (double n = 0; n < layers && !beside; ++n) stage.tensors.reduce(now, costs_.layer_tensors);
    if (stage.tensors.spent() > 0)
      step_.spans.push_back({s, pass.microbatch, pass.chunk, "reduce", start, stage.tensors.free()});
    return now;
  }

  bool advance(std::uint32_t s) {
    Stage& stage = stages_[s];
    bool moved = false;
    while (stage.next < stage.passes.size()) {
      const Pass& pass = stage.passes[stage.next];
      const double wait = ready(s, pass);
      if (wait == kNotDone) break;
      const double start = std::max(stage.free, wait), took = duration(s, pass);
      stage.free = start + took;
      const bool completes = completes_gradients(pass) && pass.microbatch + 1 == shape_.microbatches;
      if (completes && costs_.by_tensor) stage.free = reduce_tensors(s, pass, start, stage.free);
      stage.busy += took;
      if (pass.kind == PassKind::kForward) forward_[at(s, pass.microbatch, pass.chunk)] = stage.free;
      if (pass.kind == PassKind::kBackward) backward_[at(s, pass.microbatch, pass.chunk)] = stage.free;
      step_.spans.push_back(
          {s, pass.microbatch, pass.chunk, base::name_in(kPassKinds, pass.kind), start, stage.free});
      if (completes && !costs_.by_tensor) reduce(s, pass, start, stage.free);
      ++stage.next;
      moved = true;
    }
    return moved;
  }

  void run_passes() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < shape_.stages; ++s) moved |= advance(s);
    }
    for (const Stage& stage : stages_)
      TAHOMA_INVARIANT(stage.next == stage.passes.size(), "the schedule of a pipeline waits for itself");
  }

  void finish_stage(std::uint32_t s) {
    Stage& stage = stages_[s];
    stage.passes_end = stage.free;
    if (costs_.by_tensor)
      finish_tensors(stage);
    else
      finish_layers(stage);
    step_.spans.push_back({s, 0, 0, "optimizer", stage.reduced, stage.updated});
    if (stage.end > stage.updated) step_.spans.push_back({s, 0, 0, "gather", stage.updated, stage.end});
  }

  void finish_layers(Stage& stage) const {
    stage.reduced = std::max(stage.passes_end, stage.network);
    stage.updated = stage.reduced + costs_.optimizer;
    stage.end = stage.updated;
    if (costs_.sharded && !costs_.gathers_weights)
      stage.end += costs_.layers * shape_.chunks * costs_.gather_layer;
  }

  void finish_tensors(Stage& stage) const {
    stage.tensors.reduce(stage.passes_end, costs_.norm_tensors);
    const TensorQueue::End end = stage.tensors.finish(stage.passes_end, costs_.first_update);
    stage.reduce = stage.tensors.spent();
    stage.reduced = end.reduced;
    stage.updated = end.updated;
    stage.end = end.gathered;
  }

  TrainingStep totals() {
    for (const Stage& stage : stages_) step_.seconds = std::max(step_.seconds, stage.end);
    const double n = static_cast<double>(stages_.size());
    for (const Stage& stage : stages_) {
      step_.compute += stage.busy / n;
      step_.exposed_reduce += (stage.reduced - stage.passes_end) / n;
      step_.optimizer += (stage.updated - stage.reduced) / n;
      step_.exposed_gather += (stage.end - stage.updated) / n;
      step_.reduce += stage.reduce / n;
    }
    // The rest, which is 0 but for rounding on a pipeline of one stage.
    const double rest =
        step_.seconds - step_.compute - step_.exposed_reduce - step_.optimizer - step_.exposed_gather;
    TAHOMA_INVARIANT(rest >= -1e-9 * step_.seconds, "the parts of a step take longer than the step");
    step_.bubble = std::max(0.0, rest);
    return std::move(step_);
  }

  Schedule schedule_;
  const PipelineShape& shape_;
  const StepCosts& costs_;
  std::vector<Stage> stages_;
  std::vector<double> forward_, backward_;  // ends, by at()
  TrainingStep step_;
};

}  // namespace

TrainingStep simulate_step(Schedule schedule, const PipelineShape& shape, const StepCosts& costs) {
  return StepSimulation(schedule, shape, costs).run();
}

}  // namespace tahoma::runtime::cluster
