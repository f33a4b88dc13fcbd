// SPDX-License-Identifier: Apache-2.0
// A case of one kernel: named tensors in HBM, a program for each core's part of the work, and the definition
// that its outputs are compared with. A kind of kernel defines these. This class places, fills, reads back
// and saves the tensors of all kinds.
//
// Work has units (rows, heads, images, ...). By default the cores 0, 1, ... get equal parts of adjacent
// units; the last cores may get one part less. A kind may place parts on other cores, and may let several
// adjacent cores share the tensors of a part (groups(), group_size()). Every case has the parameters `cores`
// and `inputs.NAME`, a .npy file or FILE.safetensors#TENSOR, one for each input. Inputs without a file are
// generated from the seed.
//
// Not supported: tensors that cores exchange during the run (runtime/collective/), and outputs that are sums
// over cores; each core has its own output (Sharding::kPerGroup).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "runtime/run/placement.h"
#include "runtime/workload/workload.h"

namespace tahoma::workloads {

enum class Role : std::uint8_t { kInput, kOutput, kScratch };

// How a tensor is sharded over the groups of cores.
enum class Sharding : std::uint8_t {
  kReplicated,  // every group has a copy of its own
  kByUnits,     // dimension 0 is sharded like the units, `per_unit` of it for each
  kPerGroup     // dimension 0 counts the groups: one each
};

// The layout of a group's elements in HBM.
enum class HbmLayout : std::uint8_t {
  kRowMajor,    // as on the host
  kTransposed,  // the two innermost dimensions are exchanged
  kTokenMajor   // [heads, tokens, d] as the matrix [tokens, heads d]
};

struct CaseTensor {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;  // of all cores together
  Role role = Role::kInput;
  Sharding sharding = Sharding::kByUnits;
  std::uint64_t per_unit = 1;
  HbmLayout layout = HbmLayout::kRowMajor;
  bool control = false;  // keeps its values in timing mode (runtime::Kernel::control)
  // Fills an input from the seed; without it values are uniform in [-1, 1). A scratch tensor with this
  // function is a constant of the kernel, placed before the run.
  std::function<void(runtime::HostTensor& tensor, std::uint64_t seed)> make = nullptr;
  // Throws UserError for input values that the kernel does not support.
  std::function<void(const runtime::HostTensor& tensor)> refuse = nullptr;
  // kByUnits: the part of dimension 0 that a part of the units needs, if it is not `per_unit` for each. Parts
  // of two groups may overlap; then each group has a copy.
  std::function<runtime::Part(const runtime::Part& units)> rows_for = nullptr;
  std::uint64_t hbm_rows = 0;                  // kTokenMajor: rows in HBM if more than tokens; these are zero
  std::string hbm_name = {};                   // of the tensor in HBM; empty: `name`
  std::vector<std::uint64_t> file_shape = {};  // of the tensor in files; empty: `shape`

  bool placed() const { return role == Role::kInput || (role == Role::kScratch && make); }
};

// Adjacent cores, starting at `core`, that share a part of the units and its tensors.
struct CoreGroup {
  std::uint32_t core = 0;
  runtime::Part units;
  std::uint64_t number = 0;  // index of the group, which prepare() sets
};

// Whole tensors on the host, by name.
using CaseValues = std::map<std::string, runtime::HostTensor>;

class KernelCase : public runtime::Workload {
 public:
  // `inputs`: the names of those tensors() that are inputs, including those that some settings do not use.
  explicit KernelCase(std::vector<std::string> inputs);

  void declare(base::ParamTree& t) final;
  // Checks the kind's own rules first: those of check_sizes().
  void check(const model::MachineParams& machine) const final;
  void prepare(runtime::Machine& machine, std::uint64_t seed) final;
  runtime::GoldenResult verify(runtime::Machine& machine) final;
  std::vector<runtime::NamedValues> outputs(runtime::Machine& machine) final;
  std::uint32_t cores_used() const final;

 protected:
  virtual void declare_parameters(base::ParamTree& t) = 0;
  // Declares the parameter `cores`. A kind that places its groups itself declares its own parameters.
  virtual void declare_cores(base::ParamTree& t);
  virtual void check_sizes(const model::MachineParams& /*machine*/) const {}
  virtual std::vector<CaseTensor> tensors() const = 0;
  virtual std::uint64_t units() const = 0;
  // The assignment of units to cores, in the order of the units, and the number of cores in a group.
  virtual std::vector<CoreGroup> groups() const;
  virtual std::uint64_t group_size() const { return 1; }
  // The arguments of the program are the tensors in their order.
  virtual isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const = 0;
  // Returns the program of core `member` of a group; without it all cores of a group run the same program.
  virtual isa::Program member_program(const model::MachineParams& machine, const runtime::Part& part,
                                      std::uint64_t /*member*/) const {
    return program(machine, part);
  }
  // Equal members of parts with equal keys share a program.
  virtual std::uint64_t program_key(const runtime::Part& part) const { return part.count; }
  // Compares every output with its definition; `values` has inputs and outputs.
  using MakerOf = std::function<runtime::MadeBy(const std::string& output)>;
  virtual runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const = 0;

  std::uint64_t cores() const { return cores_; }
  // Valid from prepare() on, for kinds whose units or tensors depend on the machine.
  const model::MachineParams& machine() const;

 private:
  struct GroupTensors {
    CoreGroup group;
    std::vector<runtime::Tensor> tensors;  // in the order of tensors()
  };

  struct InputFiles {
    std::vector<std::pair<std::string, std::string>> files;  // name, file
    void declare(base::ParamTree& t);
  };

  // The part of dimension 0 that this group has.
  runtime::Part rows_of(const CaseTensor& tensor, const CoreGroup& group) const;
  runtime::Tensor place(runtime::Machine& machine, const CaseTensor& tensor, const CoreGroup& group) const;
  void load_programs(runtime::Machine& machine) const;
  void fill(runtime::Machine& machine, std::size_t index, const runtime::HostTensor& values);
  runtime::HostTensor input_values(const CaseTensor& tensor) const;
  runtime::HostTensor made_values(const CaseTensor& tensor) const;
  runtime::HostTensor gather(runtime::Machine& machine, std::size_t index) const;
  runtime::MadeBy maker_of(const runtime::Machine& machine, const CaseTensor& tensor) const;

  std::uint64_t cores_ = 0, seed_ = 0;
  InputFiles inputs_;
  std::optional<model::MachineParams> machine_;
  std::vector<GroupTensors> placed_;
};

}  // namespace tahoma::workloads
