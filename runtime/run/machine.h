// SPDX-License-Identifier: Apache-2.0
// The interface of the runtime: open a machine, allocate tensors in HBM, load a program for a set of
// cores, run, read back. One machine per process. In timing mode tensors have addresses and shapes but no
// values: an invariant refuses write() and read(), so callers check functional() first. Control tensors,
// which a program names among its arguments, keep their values in both modes: has_values() returns true
// once the program is loaded.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "isa/validate/validate.h"
#include "model/system/system.h"
#include "runtime/run/machine_part.h"

namespace tahoma::runtime {

// The resources of a machine's cores that a program may use: the limits that isa::validate() checks.
isa::Limits limits_of(const model::MachineParams& machine);

// A dense row-major tensor in the HBM of one stack.
struct Tensor {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::uint64_t address = 0;  // global, see isa::GlobalAddress
  std::uint32_t core = 0;     // the core one of whose stacks contains it
  std::uint64_t elements() const;
  std::uint64_t bytes() const;
};

class Machine {
 public:
  Machine(const model::MachineParams& params, model::Mode mode, model::check::Options checks = {},
          model::Processes* processes = nullptr);
  // A part of `whole`, which outlives it. Numbers of cores are those of the part, and of its tensors' and
  // programs' arguments too. It runs with the whole, which alone can be observed in other ways than by
  // observe(Observer*), and run.
  Machine(Machine& whole, MachinePart part);
  ~Machine();

  const model::MachineParams& params() const;
  bool functional() const;
  std::uint32_t cores() const;

  // Allocates in the stacks that belong to `core` (stack_allocator.h), 64-byte aligned. Throws UserError
  // E-RUN-010 if they are full (the message names the tensor, its size and what is left), E-RUN-055 if the
  // core's chip is dead.
  Tensor allocate(std::uint32_t core, const std::string& name, isa::DType dtype,
                  std::vector<std::uint64_t> shape);

  // Returns true in functional mode, and for the control arguments of the programs loaded so far.
  bool has_values(const Tensor& tensor) const;

  void write(const Tensor& tensor, std::span<const std::byte> values);
  void read(const Tensor& tensor, std::span<std::byte> values);
  std::byte* bytes(const Tensor& tensor);  // direct access to the tensor's bytes on the host
  base::Time now() const;                  // simulated time
  // Declares a tensor an input: the host has filled it, or in timing mode would have. write()
  // does this itself; callers that fill bytes() must call it, in both modes, so that reading the
  // tensor is not an error.
  void declare_input(const Tensor& tensor);

  // Throws isa::ProgramError if this machine cannot run the program. Callers with many programs validate them
  // on several threads and call take_as_valid(); load() validates the others.
  void validate(const isa::Program& program) const;
  void take_as_valid(std::shared_ptr<const isa::Program> program);

  // `arguments[i]` is the address (or, for notify, the core number) of argument i of the program. Throws
  // E-RUN-011 if their number differs, E-RUN-012 if a control argument is not the address of a tensor.
  void load(std::uint32_t core, std::shared_ptr<const isa::Program> program,
            const std::vector<std::uint64_t>& arguments);

  // After load(): the programs of these cores start at a time of the run, or when those of `after` have
  // completed, whichever is later.
  void start(const model::ProgramStart& start);

  // All allocations so far, in order.
  const std::vector<Tensor>& tensors() const;
  // Returns all programs loaded so far, by core.
  const std::map<std::uint32_t, std::shared_ptr<const isa::Program>>& programs() const;

  void observe(base::Observer* observer);          // adds an observer, before the run (model/base/activity.h)
  void observe(base::ProbeObserver* probes);       // only one, before the run
  void observe(base::TimelineObserver* timeline);  // only one, before the run
  // The only observer of results, to be set before the run, in functional mode.
  void observe_results(base::ResultObserver* observer);
  // Address of values in functional mode: an offset inside each partition of a core's SBUF or PSUM, whose
  // partitions are `partition` bytes apart, or a global address.
  struct Values {
    const std::byte* at = nullptr;
    std::size_t partition = 0;
  };
  Values values(std::uint32_t core, isa::Space space, std::uint64_t offset) const;
  void seed(std::uint64_t seed);                        // of stochastic rounding, before the run
  void unwritten(std::byte contents);                   // before the run; see model/system/system.h
  void allow_folding(bool allowed);                     // before the run; see model/system/system.h
  void elaborate_in(std::vector<std::uint32_t> order);  // before the run; see model/system/system.h
  const model::ParallelCounts& parallel() const;        // of the finished run
  const model::Folding& folding() const;                // of the finished run
  base::RunMeasurement run(const std::function<void(const model::Progress&)>& progress = {});
  void collect(base::StatSink& sink) const;
  const model::check::Findings& findings() const;  // of the finished run

 private:
  struct Impl;
  std::uint32_t in_whole(std::uint32_t core) const;

  std::shared_ptr<Impl> impl_;         // of the whole
  std::unique_ptr<MachinePart> part_;  // null: the whole
};

}  // namespace tahoma::runtime
