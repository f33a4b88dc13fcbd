// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/executed_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/text/whole_file.h"
#include "studies/batch/child_run.h"
#include "studies/cluster/input/cluster_origins.h"
#include "studies/cluster/step/tensor_sizes.h"
#include "studies/model/kept/kept_runs.h"
#include "workloads/optimizer/adam_kernel.h"

namespace tahoma::runtime::cluster {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kGrain = 32;  // elements of a transfer, as in workloads/training

class Executions {
 public:
  Executions(const ClusterCase& c, const std::string& folder)
      : case_(c),
        folder_(folder),
        kept_(host_facts().binary_sha256),
        machine_(resolve_machine_params(c.times.machine, {})) {}

  ExecutedLayers all() {
    const Json one = run(step(1, 1)), two = run(step(2, 1)), twice = run(step(1, 2));
    const auto forward = [](const Json& summary) { return start(summary, "final norm"); };
    ExecutedLayers times;
    const double layer = start(two, "optimizer") - start(one, "optimizer");
    times.layer.forward = forward(two) - forward(one);
    times.layer.backward = times.layer.weights = (layer - times.layer.forward) / 2;
    // Three products, one of them in the forward pass.
    const double ends = std::max(0.0, elapsed(twice) - elapsed(one) - layer);
    times.ends = {ends / 3, ends / 3, ends / 3};
    times.norm = end(one, "back attention norm") - end(one, "back qkv");
    const auto tail = [](const Json& summary) { return elapsed(summary) - start(summary, "optimizer"); };
    times.update = updates(std::max(0.0, tail(two) - tail(one)));
    if (!case_.times.slow_instance.empty())
      times.slow_factor =
          (start(run(slow(step(2, 1))), "optimizer") - start(run(slow(step(1, 1))), "optimizer")) / layer;
    return times;
  }

 private:
  static double elapsed(const Json& summary) { return summary["simulated_time_ns"].get<double>() * 1e-9; }
  static const Json& region(const Json& summary, const std::string& name) {
    for (const Json& one : summary["regions"])
      if (one["name"] == name) return one;
    TAHOMA_INVARIANT(false, "a training step has no region " + name);
  }
  static double start(const Json& summary, const std::string& name) {
    return region(summary, name)["start_ns"].get<double>() * 1e-9;
  }
  static double end(const Json& summary, const std::string& name) {
    return start(summary, name) + region(summary, name)["time_ns"].get<double>() * 1e-9;
  }

  std::uint64_t ranks() const { return case_.job.tensor * machine_.chip.cores / case_.times.lnc; }

  // Selects a part of the machine with so many chips, along x first.
  Json part(std::uint64_t chips) const {
    const std::uint64_t x = std::gcd(chips, machine_.torus.x), y = std::gcd(chips / x, machine_.torus.y),
                        z = chips / x / y;
    if (z > machine_.torus.z)
      throw base::UserError(
          "E-CLU-003", "cluster.job.tensor",
          fmt::format("cluster.times.machine {} has no part of {} chips; expected rows, planes or all of it",
                      case_.times.machine, chips));
    const std::string file = read_machine_file(case_.times.machine).path;
    return {{"extends", std::filesystem::absolute(file).string()},
            {"torus", {{"x", x}, {"y", y}, {"z", z}}},
            {"chip", {{"lnc", case_.times.lnc}}}};
  }

  Json step(std::uint64_t layers, std::uint64_t microbatches) const {
    const ModelConfig& m = case_.model;
    Json workload{{"model",
                   {{"name", m.name},
                    {"layers", layers},
                    {"hidden", m.hidden},
                    {"heads", m.heads},
                    {"kv_heads", m.kv_heads},
                    {"head_dim", m.head_dim},
                    {"ffn", m.ffn},
                    {"vocabulary", m.vocabulary}}},
                  {"layers", layers},
                  {"batch", microbatches * case_.job.micro_batch},
                  {"microbatches", microbatches},
                  {"tokens", case_.job.sequence},
                  {"accumulate", true},
                  {"algorithm", case_.times.algorithm},
                  {"parallel", {{"tensor", ranks()}}}};
    if (case_.job.recompute == Recompute::kLayer) workload["recompute"] = "layer";
    return {{"name", fmt::format("layers{}_microbatches{}", layers, microbatches)},
            {"case", {{"kind", "training"}, {"machine", part(case_.job.tensor)}, {"workload", workload}}}};
  }

  // Puts the case on a machine with the slow part.
  Json slow(Json named) const {
    named["name"] = named["name"].get<std::string>() + "_slow";
    Json fault{{case_.times.slow_parameter, case_.times.slow_value}};
    const std::string& path = case_.times.slow_instance;
    for (std::size_t end = path.size(); end != std::string::npos;) {
      const std::size_t dot = path.rfind('.', end - 1), begin = dot == std::string::npos ? 0 : dot + 1;
      fault = Json{{path.substr(begin, end - begin), fault}};
      end = dot;
    }
    named["case"]["machine"]["instances"] = fault;
    return named;
  }

  // A step of the optimizer on so many elements of a core.
  double update(double elements, bool copy) {
    const auto count = static_cast<std::uint64_t>(std::ceil(elements / kGrain)) * kGrain,
               columns = workloads::shard_columns(machine_, count);
    return elapsed(
        run({{"name", fmt::format("update{}{}", count, copy ? "" : "_fp32")},
             {"case",
              {{"kind", "adam"},
               {"machine", part(1)},
               {"workload", {{"rows", count / columns}, {"columns", columns}, {"copy", copy}}}}}}));
  }

  // `whole` is the time of a layer, by cores that share nothing.
  UpdateTimes updates(double whole) {
    if (case_.job.update != Update::kByTensor) return {};
    const double cores = number(ranks() * case_.times.lnc), shards = cores * number(case_.replicas());
    UpdateTimes times;
    times.layer = whole;
    double alone = 0;
    for (const double elements : layer_tensors(case_.model)) {
      const double shard = update(elements / shards, true);
      times.layer -= update(elements / cores, true) - shard;
      alone += shard;
    }
    times.layer = std::max(0.0, times.layer);
    times.start = std::max(0.0, (alone - times.layer) / number(layer_tensors(case_.model).size()));
    times.ends = std::max(0.0, update(head_elements(case_.model) / shards, true) - times.start);
    times.norms = update(norm_elements(case_) / shards, false);
    return times;
  }

  // The summary of a case, executed if the folder does not have it.
  Json run(const Json& named) {
    const auto name = named["name"].get<std::string>();
    const std::filesystem::path folder = folder_, cases = folder / "cases", runs = folder / "runs";
    std::filesystem::create_directories(cases);
    std::filesystem::create_directories(runs);
    const std::string file = (cases / (name + ".yaml")).string();
    write_file(file, dump_json(named["case"], 2) + "\n");
    ChildRun child;
    child.name = name;
    child.options.config.workload = file;
    child.options.config.mode = "timing";
    child.options.out = (runs / name).string();
    child.options.report = false;
    child.options.config.origins = cluster_origins(case_);
    if (auto summary = kept_.take(child)) return std::move(*summary);
    return summaries_of({child}, 1, [](std::size_t) {})[0];
  }

  const ClusterCase& case_;
  std::string folder_;
  KeptRuns kept_;
  model::MachineParams machine_;
};

}  // namespace

ExecutedLayers execute_layers(const ClusterCase& c, const std::string& folder) {
  if (c.job.context > 1 || c.job.expert > 1)
    throw base::UserError("E-CLU-003", "cluster.times.source",
                          "executed: expected a context degree and an expert degree of 1");
  return Executions(c, folder).all();
}

}  // namespace tahoma::runtime::cluster
