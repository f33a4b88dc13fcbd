// SPDX-License-Identifier: Apache-2.0
// A case of one kernel: named tensors in HBM, a program for each core's part of the work, and the definition
// that its outputs are held against. A kind of kernel says what these are; placing, filling, reading back and
// saving are the same for all of them and stand here.
//
// Work comes in units (rows, heads, images, ...), of which cores 0, 1, ... get equal parts of neighbours, the
// last ones perhaps one part less. Every case has the parameters `cores` and `inputs.NAME`, a .npy file or
// FILE.safetensors#TENSOR, one for each input; inputs without a file come from the seed.
//
// Leaves out: tensors that cores exchange while they run (runtime/collective/), and outputs that several
// cores add up: each core has its own (Deal::kCores).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "runtime/run/placement.h"
#include "runtime/run/workload.h"

namespace tahoma::workloads {

enum class Role : std::uint8_t { kInput, kOutput, kScratch };

// Who has which part of a tensor.
enum class Deal : std::uint8_t {
  kWhole,  // every core a copy of its own
  kUnits,  // dimension 0 is dealt as the units are, `per_unit` of it for each
  kCores   // dimension 0 counts the cores used: one each
};

struct CaseTensor {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;  // of all cores' together
  Role role = Role::kInput;
  Deal deal = Deal::kUnits;
  std::uint64_t per_unit = 1;
  bool transposed = false;  // the two innermost dimensions change places in HBM
  bool control = false;     // keeps its values in timing mode (runtime::Kernel::control)
  // Fills an input from the seed; without it values are uniform in [-1, 1). A scratch tensor that has one is
  // a constant of the kernel, placed before the run.
  std::function<void(runtime::HostTensor& tensor, std::uint64_t seed)> make = nullptr;
  // Throws UserError for values of an input that the kernel cannot take.
  std::function<void(const runtime::HostTensor& tensor)> refuse = nullptr;

  bool placed() const { return role == Role::kInput || (role == Role::kScratch && make); }
};

// Whole tensors on the host, by name.
using CaseValues = std::map<std::string, runtime::HostTensor>;

class KernelCase : public runtime::Workload {
 public:
  // `inputs`: the names of tensors() that are inputs, those included that some settings do without.
  explicit KernelCase(std::vector<std::string> inputs);

  void declare(base::ParamTree& t) final;
  // Rules of its own first: those of check_sizes().
  void check(const model::MachineParams& machine) const final;
  void prepare(runtime::Machine& machine, std::uint64_t seed) final;
  runtime::GoldenResult verify(runtime::Machine& machine) final;
  std::vector<runtime::NamedValues> outputs(runtime::Machine& machine) final;
  std::uint32_t cores_used() const final;

 protected:
  virtual void declare_parameters(base::ParamTree& t) = 0;
  virtual void check_sizes(const model::MachineParams& /*machine*/) const {}
  virtual std::vector<CaseTensor> tensors() const = 0;
  virtual std::uint64_t units() const = 0;
  // Its arguments are the tensors in their order.
  virtual isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const = 0;
  // Parts with equal keys share a program.
  virtual std::uint64_t program_key(const runtime::Part& part) const { return part.count; }
  // Every output beside its definition; `values` has inputs and outputs.
  using MakerOf = std::function<runtime::MadeBy(const std::string& output)>;
  virtual runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const = 0;

  std::uint64_t cores() const { return cores_; }

 private:
  struct Placed {
    std::uint32_t core = 0;
    runtime::Part part;
    std::vector<runtime::Tensor> tensors;  // in the order of tensors()
  };

  struct InputFiles {
    std::vector<std::pair<std::string, std::string>> files;  // name, file
    void declare(base::ParamTree& t);
  };

  // What of dimension 0 this core has.
  runtime::Part rows_of(const CaseTensor& tensor, const Placed& placed) const;
  void place(runtime::Machine& machine, const CaseTensor& tensor, const Placed& placed);
  void fill(runtime::Machine& machine, std::size_t index, const runtime::HostTensor& values);
  runtime::HostTensor input_values(const CaseTensor& tensor, std::size_t number) const;
  runtime::HostTensor made_values(const CaseTensor& tensor) const;
  runtime::HostTensor gather(runtime::Machine& machine, std::size_t index) const;
  runtime::MadeBy maker_of(const runtime::Machine& machine, const CaseTensor& tensor) const;

  std::uint64_t cores_ = 0, seed_ = 0;
  InputFiles inputs_;
  std::vector<Placed> placed_;
};

}  // namespace tahoma::workloads
