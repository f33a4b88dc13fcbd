// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/case/training_params.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "workloads/common/transposed_load.h"
#include "workloads/training/case/job_params.h"

namespace tahoma::workloads {

namespace {

using base::chosen;

// Each has two semaphores of a core in the middle of a pipeline, for its activations and for their gradients.
constexpr std::uint64_t kMostMicrobatches = 8;

[[noreturn]] void refuse(const char* code, const char* path, const std::string& text) {
  throw base::UserError(code, path, text);
}

void require_multiple(const char* path, const char* what, std::uint64_t value, std::uint64_t of) {
  if (value % of != 0)
    refuse("E-MDL-030", path, fmt::format("expected {} that are a multiple of {}, got {}", what, of, value));
}

// Each physical core updates a shard of a tensor of the rank, and the replicas' shards must be whole
// accesses.
void require_shares(const char* path, const char* what, std::uint64_t elements, std::uint64_t parts) {
  if (elements % (parts * kGradientGrain) != 0)
    refuse(
        "E-MDL-031", path,
        fmt::format("the {} of a rank have {} elements, which {} cores update; expected a multiple of {} for "
                    "each",
                    what, elements, parts, kGradientGrain));
}

}  // namespace

void TrainingParams::declare(base::ParamTree& t) {
  forward.phase = Phase::kPrefill;
  forward.inputs.all.resize(forward.inputs.all.size() - 4);  // without caches and experts
  forward.inputs.all.push_back({"final_gain", "[1, hidden] of fp32", {}});
  forward.inputs.all.push_back({"head", "[hidden, vocabulary]", {}});
  forward.inputs.all.push_back({"labels", "[rows, 1] of int32, the tokens that should come next", {}});
  forward.declare_case(t);
  t.group("inputs", forward.inputs);
  t.group("optimizer", optimizer);
  t.add("recompute", recompute, Recompute::kNone, kRecomputes,
        "recomputation in the backward pass: nothing, or each layer from the stream before it", chosen());
  t.add("microbatches", forward.microbatches, std::uint64_t{1}, {1, kMostMicrobatches},
        "parts of a replica's sequences, one after the other, whose gradients are added", chosen());
  t.add("schedule", schedule, runtime::cluster::Schedule::k1f1b, runtime::cluster::kSchedules,
        "order of the passes on the stages of a pipeline: 1f1b or gpipe", chosen());
  t.add("accumulate", accumulate, false,
        "add gradients to sums that start from zero, as several micro-batches always do", chosen());
}

void TrainingParams::check(const model::MachineParams& machine) const {
  forward.check(machine);
  if (forward.parallel.sequence > 1)
    refuse("E-MDL-030", "workload.parallel",
           "a training step has the degrees tensor, data and pipeline; expected sequence 1");
  if (forward.layers % stages() != 0)
    refuse(
        "E-MDL-001", "workload.parallel.pipeline",
        fmt::format("all stages of a training step have as many layers; expected a divisor of the {} layers "
                    "of workload.layers, got {}",
                    forward.layers, stages()));
  if (schedule != runtime::cluster::Schedule::k1f1b && schedule != runtime::cluster::Schedule::kGpipe)
    refuse("E-MDL-030", "workload.schedule",
           fmt::format(
               "a training step has one chunk of layers on a stage, and undivided backward passes; expected "
               "1f1b or gpipe, got {}",
               base::name_in(runtime::cluster::kSchedules, schedule)));
  const ModelShape& m = model();
  if (m.experts > 0)
    refuse("E-MDL-023", "workload.model.experts",
           "training does not support a mixture of experts; expected 0");
  if (const char* what = m.beyond_llama())
    refuse("E-MDL-023", what, "training supports the layers of Llama; expected the default");
  if (m.weights != kModelDType)
    refuse("E-MDL-023", "workload.model.weights",
           fmt::format("training updates weights of bf16; expected bf16, got {}", isa::name_of(m.weights)));
  const std::uint64_t physical_cores = machine.chip.lnc, tensor = forward.parallel.tensor,
                      cores = physical_cores * tensor * replicas();
  require_multiple("workload.model.kv_heads",
                   "heads of keys and values (each physical core of a rank has its own)", m.kv_heads,
                   tensor * physical_cores);
  require_multiple("workload.model.vocabulary", "entries of the vocabulary",
                   std::max<std::uint64_t>(m.vocabulary, 1), 32 * physical_cores);
  require_multiple("workload.tokens", "tokens of a sequence", forward.tokens, kTransposeRows);
  require_multiple("workload.batch", "rows of a physical core", rows(),
                   kTransposeRows * tensor * physical_cores);
  const std::uint64_t shares = physical_cores * replicas(), d = m.head_dim;
  require_shares("workload.model.hidden", "weights of queries, keys and values",
                 m.hidden * (m.heads + 2 * m.kv_heads) / tensor * d, shares);
  require_shares("workload.model.hidden", "weights of the projection", m.hidden * m.heads / tensor * d,
                 shares);
  require_shares("workload.model.ffn", "weights of a product of the feed-forward part",
                 m.hidden * m.ffn / tensor, shares);
  require_shares("workload.model.vocabulary", "weights of the head", m.hidden * m.vocabulary, cores);
}

TrainingParams TrainingParams::of_stage() const {
  TrainingParams stage = *this;
  stage.forward.layers = forward.layers / stages();
  stage.forward.parallel.pipeline = 1;
  return stage;
}

double TrainingParams::useful_flops() const {
  const double head =
      2.0 * static_cast<double>(model().hidden * model().vocabulary) * static_cast<double>(all_rows());
  return 3 * (forward.useful_flops() + head);
}

std::string TrainingParams::describe() const {
  std::string more = stages() > 1 ? fmt::format(" x pipeline {}", stages()) : "";
  if (microbatches() > 1)
    more += fmt::format(", {} microbatches, {}", microbatches(),
                        base::name_in(runtime::cluster::kSchedules, schedule));
  if (recomputes()) more += ", layers recomputed";
  return fmt::format("{}, training step of {} of {} layers, {} x {} tokens, tensor {} x data {}{}",
                     model().name, forward.layers, model().layers, forward.batch, forward.tokens,
                     forward.parallel.tensor, replicas(), more);
}

}  // namespace tahoma::workloads
