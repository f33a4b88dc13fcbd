// SPDX-License-Identifier: Apache-2.0
// The ranks of one tensor-parallel group while their programs are built, and the groups of other data
// replicas with the same geometry: the same cores and addresses at a constant distance, so that one set of
// programs serves all of them. A rank is a logical core of one or two physical cores (one with
// machine.chip.lnc = 1), which share the tensors of their HBM stack.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/collective/lowering/communicator.h"
#include "workloads/transformer/partition/rank_placement.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

// A tensor and its view in each physical core's program. A tensor of a single physical core has only that
// view.
struct Matrix {
  runtime::Tensor tensor;
  std::vector<runtime::HbmView> views;
  const runtime::HbmView& of(std::size_t physical_core) const { return views[physical_core]; }
};

class Replica {
 public:
  // The cores of one tensor-parallel group.
  struct RankCores {
    std::uint64_t number = 0;                        // of its data replica
    std::vector<std::vector<std::uint32_t>> cores;   // by rank and physical core
    std::vector<runtime::collective::Group> groups;  // by physical core; empty for a single rank
    std::vector<runtime::collective::Group> teams;   // of some of the ranks (expert_teams.h)
  };
  using Alike = std::vector<RankCores>;
  // The groups that run these programs; they are built for the first one.
  Replica(runtime::Machine& machine, Alike alike);

  std::size_t ranks() const { return alike_.front().cores.size(); }
  std::size_t physical_cores() const { return alike_.front().cores.front().size(); }
  const Alike& alike() const { return alike_; }
  const model::MachineParams& machine() const { return machine_.params(); }

  // Allocates a matrix of `dtype` with `columns` in the rank's stack on every replica.
  Matrix shared(std::size_t rank, const std::string& name, isa::DType dtype, std::uint64_t rows,
                std::uint64_t columns);
  Matrix own(std::size_t rank, std::size_t physical_core, const std::string& name, isa::DType dtype,
             std::uint64_t rows, std::uint64_t columns);
  // Memory directly behind a shared matrix, just allocated, for rows that are read but not used: they count
  // as written and belong to no tensor.
  void add_rows_behind(std::size_t rank, const Matrix& matrix, std::uint64_t rows);
  // The same as a control argument of one physical core's program: row numbers, which have values in timing
  // mode too.
  Matrix control(std::size_t rank, std::size_t physical_core, const std::string& name, isa::DType dtype,
                 std::uint64_t rows, std::uint64_t columns);
  // Returns the tensor on one of the replicas.
  runtime::Tensor at(std::size_t replica, const runtime::Tensor& tensor) const;
  void declare_input(const runtime::Tensor& tensor);

  runtime::Kernel& kernel(std::size_t rank, std::size_t physical_core) {
    return program(rank, physical_core).kernel;
  }
  void region(const std::string& name);  // of all kernels
  // Calls body(rank, physical core) for each, as a region.
  template <class Body>
  void each(const std::string& name, Body&& body) {
    region(name);
    for (std::size_t r = 0; r < ranks(); ++r)
      for (std::size_t h = 0; h < physical_cores(); ++h) body(r, h);
  }
  // Each physical core must compute equally many columns of the matrix.
  runtime::HbmView core_columns(const runtime::HbmView& view, std::size_t physical_core) const {
    const std::uint64_t columns = view.columns / physical_cores();
    return view.window(0, physical_core * columns, view.rows, columns);
  }
  // A rendezvous of the physical cores of a rank. `written`: the data that `writer` has written, as addressed
  // by `viewer`.
  using Written = std::function<std::vector<runtime::HbmView>(std::size_t writer, std::size_t viewer)>;
  void synchronise(std::size_t rank, const Written& written);
  // The communicator over the ranks' cores of this physical core; requires at least two ranks.
  runtime::collective::Communicator& communicator(std::size_t physical_core) {
    return communicators_[physical_core];
  }
  // Exchanges with other groups use this.
  runtime::collective::CoreProgram& program(std::size_t rank, std::size_t physical_core) {
    return *programs_[rank * physical_cores() + physical_core];
  }
  // Allocates that many elements in the rank's stack, beside its tensors, and returns their address.
  std::uint64_t staging(std::size_t rank, std::size_t physical_core, isa::DType dtype,
                        std::uint64_t elements);

  void load(runtime::collective::Stopwatch& stopwatch);

 private:
  runtime::Tensor allocate(std::size_t rank, std::size_t physical_core, const std::string& name,
                           isa::DType dtype, const std::vector<std::uint64_t>& shape);

  runtime::Machine& machine_;
  Alike alike_;
  std::vector<std::unique_ptr<runtime::collective::CoreProgram>> programs_;
  std::vector<std::uint64_t> distance_;  // of each replica's addresses from those of the first
  std::vector<runtime::collective::Communicator> communicators_;
};

// All groups of a case, by data replica, stage and index among the groups that share sequences: stage x
// sequence + group.
std::vector<std::vector<Replica::RankCores>> rank_cores_of(const model::MachineParams& machine,
                                                           const std::string& order,
                                                           const ParallelDegrees& degrees);
// Data replicas with the same geometry of all groups share one set of groups and programs. If groups share
// sequences, each replica is separate, because its groups exchange data and have their own positions.
std::vector<std::vector<Replica::Alike>> sort_alike(
    const model::MachineParams& machine, const std::vector<std::vector<Replica::RankCores>>& replicas,
    const ParallelDegrees& degrees);

// The host bytes of a row of a matrix on one of the replicas.
inline std::byte* row_of(runtime::Machine& machine, const Replica& replica, std::size_t number,
                         const Matrix& matrix, std::uint64_t row) {
  const runtime::Tensor& tensor = matrix.tensor;
  return machine.bytes(replica.at(number, tensor)) + row * tensor.shape.back() * isa::size_of(tensor.dtype);
}

}  // namespace tahoma::workloads
