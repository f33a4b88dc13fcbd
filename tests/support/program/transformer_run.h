// SPDX-License-Identifier: Apache-2.0
// Decoder layers of a model so small that its golden reference takes negligible time.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

#include "model/base/error.h"
#include "runtime/golden/golden.h"
#include "tests/support/in_child.h"
#include "tests/support/program/workload_run.h"
#include "workloads/transformer/model_footprint.h"
#include "workloads/transformer/partition/transformer_params.h"
#include "workloads/transformer/transformer.h"

namespace tahoma::tests {

inline const Settings kTiny{{"model.hidden", "256"},
                            {"model.heads", "4"},
                            {"model.kv_heads", "2"},
                            {"model.head_dim", "32"},
                            {"model.ffn", "512"}};
inline const Settings kTinyDecode{{"phase", "decode"}, {"context", "40"}, {"batch", "4"}};

inline Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

inline model::MachineParams chips(std::uint64_t x, std::uint64_t lnc) {
  model::MachineParams params = machine_of(x, 1, 1);
  params.chip.lnc = lnc;
  return params;
}

struct LayersRun {
  base::RunMeasurement measured;
  std::vector<runtime::WorkloadFigure> figures;
  std::vector<runtime::CollectiveResult> collectives;

  double figure(const std::string& key) const {
    for (const runtime::WorkloadFigure& f : figures)
      if (f.key == key) return f.value;
    throw std::runtime_error("no figure " + key);
  }
};

// Runs the model under the race checker and checks the golden reference. `plant` may corrupt HBM before the
// run.
inline LayersRun run_model(const MakeWorkload& make, const model::MachineParams& params,
                           const Settings& settings, model::Mode mode,
                           const std::function<void(runtime::Machine&)>& plant = {}) {
  const auto workload = workload_with(make, settings);
  workload->check(params);
  runtime::Machine machine(params, mode, {true, true});
  workload->prepare(machine, 1);
  if (plant) plant(machine);
  LayersRun run;
  run.measured = machine.run();
  if (machine.findings().total() > 0) throw std::runtime_error(machine.findings().first().front());
  run.figures = workload->figures(machine, run.measured);
  run.collectives = workload->collectives(machine, run.measured);
  if (mode != model::Mode::kFunctional) return run;
  const runtime::GoldenResult golden = workload->verify(machine);
  if (!golden.checked() || !golden.passed()) throw std::runtime_error("golden: " + golden.first_mismatch);
  return run;
}

inline LayersRun run_layers(const model::MachineParams& params, const Settings& settings, model::Mode mode,
                            const std::function<void(runtime::Machine&)>& plant = {}) {
  return run_model(workloads::make_transformer, params, settings, mode, plant);
}

// "passed", or what a run of the small model on one chip with corrupt memory ends with.
inline std::string verdict(const Settings& settings, const std::function<void(runtime::Machine&)>& plant) {
  return in_child([&]() -> std::string {
    run_layers(chips(1, 1), with(kTiny, settings), model::Mode::kFunctional, plant);
    return "passed";
  });
}

// Sets every tensor with this name to zero.
inline std::function<void(runtime::Machine&)> zeroed(const std::string& name) {
  return [name](runtime::Machine& machine) {
    bool found = false;
    for (const runtime::Tensor& tensor : machine.tensors())
      if (tensor.name == name) {
        std::fill_n(machine.bytes(tensor), tensor.bytes(), std::byte{0});
        found = true;
      }
    if (!found) throw std::runtime_error("no tensor " + name);
  };
}

// Checks that both modes take the same time.
inline void check_model(const MakeWorkload& make, const model::MachineParams& params,
                        const Settings& settings) {
  const auto elapsed = [&](model::Mode mode) {
    return in_child(
        [&] { return std::to_string(run_model(make, params, settings, mode).measured.elapsed.fs); });
  };
  const std::string timing = elapsed(model::Mode::kTiming);
  CHECK(timing.find("exception") == std::string::npos);
  CHECK(elapsed(model::Mode::kFunctional) == timing);
}

inline void check_layers(const model::MachineParams& params, const Settings& more) {
  check_model(workloads::make_transformer, params, with(kTiny, more));
}

template <class Params = workloads::TransformerParams>
Params params_with(const Settings& settings) {
  Params params;
  base::ParamTree tree("workload");
  params.declare(tree);
  for (const auto& [key, value] : settings) tree.set("workload." + key, value, "test");
  return params;
}

// The error that refuses a case before its run: "CODE PLACE".
template <class Params = workloads::TransformerParams>
std::string refusal(const model::MachineParams& machine, const Settings& settings) {
  const Params params = params_with<Params>(settings);
  try {
    params.check(machine);
    check_footprint(params, machine);
  } catch (const base::UserError& e) {
    return e.code + " " + e.place;
  }
  return "accepted";
}

// Why one chip refuses the tiny model with these settings.
inline std::string tiny_refusal(const Settings& settings) {
  return refusal(chips(1, 1), with(kTiny, settings));
}

}  // namespace tahoma::tests
