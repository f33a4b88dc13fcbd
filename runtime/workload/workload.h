// SPDX-License-Identifier: Apache-2.0
// A workload is one case that `tahoma run` executes: parameters below `workload.`, a placement of tensors and
// programs on a machine, and a golden reference. cli/kinds/registry.cpp lists the shipped kinds.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/params.h"
#include "runtime/collective/result/collective_result.h"
#include "runtime/collective/result/message_result.h"
#include "runtime/golden/golden_result.h"
#include "runtime/run/machine.h"
#include "runtime/workload/array_work.h"

namespace tahoma::runtime {

// A figure of the workload beside time and FLOPS, in the terms of its users: "tokens_per_second".
struct WorkloadFigure {
  std::string key;  // with the unit, as in summary.json
  double value = 0;
  std::string text;     // the value for people
  std::string meaning;  // one sentence: how it is counted
};

// When a program of a workload ran, if it consists of several that share a machine.
struct ProgramTimes {
  std::string name;
  std::vector<std::uint32_t> cores;  // of the machine
  base::Time begin, end;             // its first instruction, its last completion
};

// A traced kernel, for repetitions when its source may be gone or changed: kept beside the results under this
// name.
inline constexpr const char* kKernelFile = "kernel.cbor";
struct KeptKernel {
  std::string bytes;  // "": the configuration alone repeats the run
  std::string path;   // what the configuration names and the file replaces; "": nothing
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual void declare(base::ParamTree& tree) = 0;                    // called once, before anything else
  virtual void check(const model::MachineParams& machine) const = 0;  // cross-field rules; throws UserError
  virtual void prepare(Machine& machine, std::uint64_t seed) = 0;     // inputs, tensors, programs
  virtual GoldenResult verify(Machine& machine) = 0;                  // functional mode, after the run
  virtual std::vector<NamedValues> outputs(Machine& machine) = 0;     // functional mode, after the run
  // In the order of execution; both modes, after the run and verify().
  virtual std::vector<CollectiveResult> collectives(Machine& /*machine*/,
                                                    const base::RunMeasurement& /*run*/) {
    return {};
  }
  // The messages that the results of send_recv and permute among collectives() stand for, and hand-overs of a
  // pipeline; between two ranks in the order of execution; both modes, after the run.
  virtual std::vector<MessageResult> messages(Machine& /*machine*/) { return {}; }
  // Called after the run, in both modes; figures are in the order of display.
  virtual std::vector<WorkloadFigure> figures(Machine& /*machine*/, const base::RunMeasurement& /*run*/) {
    return {};
  }
  virtual std::vector<ProgramTimes> programs() const { return {}; }  // times: after the run
  virtual KeptKernel kept_kernel() const { return {}; }              // after the run
  virtual double useful_flops() const = 0;
  // The user states the useful FLOPs, so they may be wrong.
  virtual bool states_flops() const { return false; }
  virtual isa::DType compute_dtype() const { return isa::DType::kBf16; }
  virtual isa::MatmulMode compute_mode() const { return isa::MatmulMode::kDense; }
  // Decides the peak that MFU is measured against.
  virtual ArrayWorks array_works() const { return {{compute_dtype(), compute_mode(), useful_flops()}}; }
  virtual std::uint32_t cores_used() const = 0;
  virtual std::string describe() const = 0;  // "gemm 8192x4096x4096 bf16, shard m8 n8 k8"
};

struct WorkloadKind {
  std::string name, doc;
  std::function<std::unique_ptr<Workload>()> make;
};
// The kinds of workloads of the program. The program defines it: cli/kinds/shipped_program.cpp for `tahoma`,
// a file of the user for a program with its own kernels (scripts/cmake/tahomaConfig.cmake.in).
const std::vector<WorkloadKind>& workload_kinds();

}  // namespace tahoma::runtime
