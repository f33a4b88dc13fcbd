// SPDX-License-Identifier: Apache-2.0
// A workload is one case that `tahoma run` executes: parameters below `workload.`, a placement of tensors and
// programs on a machine, and a golden reference. workloads/registry.cpp lists the shipped kinds.
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
#include "runtime/run/array_work.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

enum class GoldenOutcome : std::uint8_t { kNotChecked, kPassed, kFailed };
std::string_view name_of(GoldenOutcome outcome);  // "not_checked", as in summary.json

struct NamedValues {  // an output that can be saved as .npy
  std::string name;
  isa::DType dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;  // bf16 is saved as fp32
};

struct GoldenResult {
  double max_abs_error = 0, max_rel_error = 0;
  double tolerance =
      0;             // largest error / allowed error seen is below 1 when passed; this is the rule's epsilon
  std::string rule;  // how the tolerance follows from dtype and reduction length, one line; not checked: why
  std::uint64_t elements = 0, mismatches = 0;
  std::string first_mismatch;  // several lines: index, got, expected, neighbours, the core that made it
  // Floating-point values of the outputs that were looked at, and those among them that are NaN or infinite.
  std::uint64_t results = 0, not_finite = 0;
  std::string first_not_finite;     // "c[0, 3] = nan, made by core 17 (server0.chip02.core1)"
  bool refuses_not_finite = false;  // all values of the files are finite, and the case allows nothing else

  // Follows from what was compared: a result for which no element was compared can neither pass nor fail,
  // unless it must be finite and is not.
  GoldenOutcome outcome() const {
    if (mismatches > 0 || (refuses_not_finite && not_finite > 0)) return GoldenOutcome::kFailed;
    return elements == 0 ? GoldenOutcome::kNotChecked : GoldenOutcome::kPassed;
  }
  bool checked() const { return outcome() != GoldenOutcome::kNotChecked; }
  bool passed() const { return outcome() == GoldenOutcome::kPassed; }
  bool failed() const { return outcome() == GoldenOutcome::kFailed; }
  void add(const GoldenResult& other);  // merges both checks and keeps the first mismatch of either
  // Counts values of an output, in row-major order, that no comparison has looked at.
  void count_not_finite(const NamedValues& output);
};

// A figure of the workload beside time and FLOPS, in the terms of its users: "tokens_per_second".
struct WorkloadFigure {
  std::string key;  // with the unit, as in summary.json
  double value = 0;
  std::string text;     // the value for people
  std::string meaning;  // one sentence: how it is counted
};

// A traced kernel, for repetitions when its source may be gone or changed: kept beside the results under this name.
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
  // After the run, both modes; in the order of display.
  virtual std::vector<WorkloadFigure> figures(Machine& /*machine*/, const base::RunMeasurement& /*run*/) {
    return {};
  }
  virtual KeptKernel kept_kernel() const { return {}; }  // after the run
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
// The kinds of workloads of the program. The program defines it: workloads/shipped_program.cpp for `tahoma`,
// a file of the user for a program with its own kernels (scripts/cmake/tahomaConfig.cmake.in).
const std::vector<WorkloadKind>& workload_kinds();

}  // namespace tahoma::runtime
