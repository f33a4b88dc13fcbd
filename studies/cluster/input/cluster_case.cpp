// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/input/cluster_case.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "runtime/config/config_files.h"
#include "runtime/host/text/text_file.h"

namespace tahoma::runtime::cluster {

using base::UserError;

namespace {

const std::string kRoot = "cluster";

void refuse_other_roots(const base::FlatConfig& config) {
  for (const base::Leaf& leaf : config.leaves) {
    const std::string root = leaf.path.substr(0, leaf.path.find_first_of(".["));
    if (root != kRoot)
      throw UserError(
          "E-CFG-002", leaf.key_place.empty() ? leaf.place : leaf.key_place,
          fmt::format("unknown key '{}': expected {}{}", root, kRoot, base::did_you_mean(root, {kRoot})));
  }
}

struct Checks {
  const ClusterCase& c;

  [[noreturn]] void refuse(const char* code, const std::string& path, const std::string& expected) const {
    throw UserError(code, c.place_of(path), fmt::format("'{}': {}", path, expected));
  }

  void divides(std::uint64_t divisor, std::uint64_t of, const char* path, const std::string& what) const {
    if (divisor == 0 || of % divisor != 0 || of < divisor)
      refuse("E-CLU-002", path, fmt::format("expected a divisor of {} {}, got {}", of, what, divisor));
  }

  void is_multiple(std::uint64_t value, std::uint64_t of, const char* path, const std::string& what) const {
    if (value % of != 0)
      refuse("E-CLU-002", path, fmt::format("expected a multiple of {}, {}; got {}", of, what, value));
  }

  void sizes() const {
    const JobParams& job = c.job;
    divides(job.tensor, c.model.heads, "cluster.job.tensor", "heads");
    if (job.tensor > c.fleet.domain)
      refuse(
          "E-CLU-002", "cluster.job.tensor",
          fmt::format("expected at most the {} chips of an UltraServer, got {}", c.fleet.domain, job.tensor));
    divides(job.context, job.sequence, "cluster.job.context", "tokens of a sequence");
    if (c.chunks() > c.model.layers || (c.short_ends() && (c.model.layers + 2) % c.chunks() != 0))
      refuse(
          "E-CLU-002", "cluster.job.pipeline",
          fmt::format(
              "expected a number of chunks (pipeline x virtual_stages) that divides {} or {} layers, got {}",
              c.model.layers, c.model.layers + 2, c.chunks()));
    is_multiple(c.fleet.chips, c.chips_of_replica(), "cluster.fleet.chips",
                fmt::format("the chips of a replica of tensor {} x context {} x pipeline {}", job.tensor,
                            job.context, job.pipeline));
    is_multiple(job.global_batch, c.replicas() * job.micro_batch, "cluster.job.global_batch",
                fmt::format("micro-batches of {} in each of the {} replicas of {} chips", job.micro_batch,
                            c.replicas(), c.fleet.chips));
    if (job.expert > 1) {
      if (c.model.experts == 0)
        refuse("E-CLU-003", "cluster.job.expert", "expected 1, because the model is no mixture");
      divides(job.expert, c.model.experts, "cluster.job.expert", "experts");
      divides(job.expert, c.replicas(), "cluster.job.expert", "replicas");
    }
  }

  // Given times hold for the degrees that they were taken with.
  void degrees_of_times() const {
    if (c.times.source != TimeSource::kGiven) return;
    const auto equal = [this](std::uint64_t stated, std::uint64_t degree, const char* path) {
      if (stated > 0 && stated != degree)
        refuse("E-CLU-003", path,
               fmt::format("expected {}, for which cluster.times are given, got {}", stated, degree));
    };
    equal(c.times.of_tensor, c.job.tensor, "cluster.job.tensor");
    equal(c.times.of_context, c.job.context, "cluster.job.context");
    equal(c.times.of_micro_batch, c.job.micro_batch, "cluster.job.micro_batch");
  }

  void combinations() const {
    const JobParams& job = c.job;
    const bool interleaved = job.schedule == Schedule::kInterleaved;
    if (job.virtual_stages > 1 && !interleaved)
      refuse("E-CLU-003", "cluster.job.virtual_stages",
             "expected 1 unless cluster.job.schedule is interleaved");
    if (interleaved)
      divides(job.pipeline, c.microbatches(), "cluster.job.pipeline",
              "micro-batches, because of schedule: interleaved");
    if (job.update == Update::kByTensor &&
        (job.sharding == Sharding::kNone || job.sharding == Sharding::kParameters ||
         job.schedule == Schedule::kInterleaved || job.schedule == Schedule::kZeroBubble))
      refuse("E-CLU-003", "cluster.job.update",
             "by_tensor: expected sharding optimizer or gradients, and schedule gpipe or 1f1b");
    if (job.sharding == Sharding::kParameters && job.pipeline > 1)
      refuse("E-CLU-003", "cluster.job.sharding",
             "expected optimizer or gradients with a pipeline: parameters would be gathered again for every "
             "micro-batch");
    if (c.times.source == TimeSource::kGiven &&
        (c.times.layer_forward.fs == 0 || c.times.layer_backward.fs == 0))
      refuse("E-CLU-001", "cluster.times.source", "given: expected layer_forward and layer_backward above 0");
  }
};

}  // namespace

std::string ClusterCase::place_of(const std::string& path) const {
  for (const base::Param& param : tree.params())
    if (param.path == path && !param.set_at.empty()) return param.set_at;
  return file;
}

void ClusterCase::declare() {
  tree.add("title", title, "", {}, "title of the results", base::chosen());
  tree.group("job", job);
  tree.group("fleet", fleet);
  tree.group("times", times);
  tree.group("checkpoint", checkpoint);
  tree.group("faults", faults);
}

std::unique_ptr<ClusterCase> load_cluster_case(const std::string& file,
                                               const std::vector<std::string>& overrides) {
  auto loaded = std::make_unique<ClusterCase>();
  loaded->file = name_of_file(file);
  loaded->declare();
  const base::FlatConfig config = base::flatten_keeping_empty(read_config_text(file), read_extended);
  refuse_other_roots(config);
  base::refuse_empty(config, {&loaded->tree});
  base::apply(config, loaded->tree);
  for (const std::string& argument : overrides) {
    const base::FlatConfig values{base::parse_override(argument)};
    refuse_other_roots(values);
    base::apply(values, loaded->tree);
  }
  if (loaded->job.model.empty())
    throw UserError("E-CLU-001", loaded->file,
                    "key 'cluster.job.model' is missing: expected the config.json of a model");
  loaded->model = read_model_config(loaded->job.model, {});
  const Checks checks{*loaded};
  checks.sizes();
  checks.combinations();
  checks.degrees_of_times();
  return loaded;
}

}  // namespace tahoma::runtime::cluster
