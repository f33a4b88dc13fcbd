// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/builder/operations.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView, runtime::Tensor;

namespace {

// Returns the distance between the first cores.
std::uint32_t distance_of(const Replica::RankCores& a, const Replica::RankCores& b) {
  return b.cores.front().front() - a.cores.front().front();
}

// Whether the routes to all others are the same, as seen from another chip.
bool lie_alike(const model::MachineParams& machine, const Replica::RankCores& a,
               const Replica::RankCores& b) {
  const std::uint32_t distance = distance_of(a, b);
  if (distance % machine.chip.cores != 0) return false;
  for (std::size_t r = 0; r < a.cores.size(); ++r)
    for (std::size_t h = 0; h < a.cores[r].size(); ++h)
      if (b.cores[r][h] - a.cores[r][h] != distance) return false;
  const auto same = [](const std::vector<Group>& x, const std::vector<Group>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), [](const Group& one, const Group& other) {
      return one.share == other.share && one.sharers == other.sharers;
    });
  };
  return same(a.groups, b.groups) && same(a.teams, b.teams);
}

// Whether the routes between stages are also the same.
bool lie_alike(const model::MachineParams& machine, const std::vector<Replica::RankCores>& a,
               const std::vector<Replica::RankCores>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!lie_alike(machine, a[i], b[i]) || distance_of(a[i], b[i]) != distance_of(a.front(), b.front()))
      return false;
  return true;
}

}  // namespace

std::vector<std::vector<Replica::RankCores>> rank_cores_of(const model::MachineParams& machine,
                                                           const std::string& order,
                                                           const ParallelDegrees& degrees) {
  const Seating seating(machine, order, degrees.tensor);
  const std::size_t physical_cores = machine.chip.lnc;
  std::vector<std::vector<Replica::RankCores>> replicas(degrees.data);
  std::vector<Members> members;
  for (std::uint64_t g = 0; g < degrees.groups(); ++g) {
    const std::uint64_t data = g / degrees.sequence % degrees.data;
    Replica::RankCores& place = replicas[data].emplace_back(Replica::RankCores{data, {}, {}, {}});
    for (std::uint64_t r = 0; r < degrees.tensor; ++r) place.cores.push_back(seating.cores(g, r));
    for (std::size_t h = 0; h < physical_cores && degrees.tensor > 1; ++h) {
      Members& group = members.emplace_back(Members{fmt::format("group {} half {}", g, h), {}});
      for (const auto& rank : place.cores) group.cores.push_back({rank[h]});
    }
  }
  std::size_t number = 0;
  for (Group& group : groups_from(machine, std::move(members))) {
    const std::size_t g = number++ / physical_cores, stage = g / (degrees.sequence * degrees.data);
    replicas[g / degrees.sequence % degrees.data][stage * degrees.sequence + g % degrees.sequence]
        .groups.push_back(std::move(group));
  }
  return replicas;
}

std::vector<std::vector<Replica::Alike>> sort_alike(
    const model::MachineParams& machine, const std::vector<std::vector<Replica::RankCores>>& replicas,
    const ParallelDegrees& degrees) {
  std::vector<std::vector<Replica::RankCores>> firsts;
  std::vector<std::vector<Replica::Alike>> alike;
  for (const std::vector<Replica::RankCores>& replica : replicas) {
    const auto like = degrees.sequence > 1
                          ? firsts.end()
                          : std::find_if(firsts.begin(), firsts.end(), [&](const auto& first) {
                              return lie_alike(machine, first, replica);
                            });
    const auto number = static_cast<std::size_t>(like - firsts.begin());
    if (like == firsts.end()) {
      firsts.push_back(replica);
      alike.emplace_back(replica.size());
    }
    for (std::size_t i = 0; i < replica.size(); ++i) alike[number][i].push_back(replica[i]);
  }
  return alike;
}

Replica::Replica(runtime::Machine& machine, Alike alike) : machine_(machine), alike_(std::move(alike)) {
  const auto kinds = std::make_shared<runtime::OperationKinds>();
  for (std::size_t r = 0; r < ranks(); ++r)
    for (const std::uint32_t core : alike_.front().cores[r])
      programs_.push_back(
          std::make_unique<CoreProgram>(machine, core, fmt::format("transformer_{}", core), kinds));
  for (std::size_t g = 0; g < alike_.size(); ++g) {
    distance_.push_back(0);
    for (std::size_t r = 0; r < ranks() && g > 0; ++r)
      for (std::size_t h = 0; h < physical_cores(); ++h) {
        const Tensor& first = program(r, h).memory;
        const Tensor origin = machine.allocate(alike_[g].cores[r][h], first.name, first.dtype, first.shape);
        if (r + h == 0) distance_[g] = origin.address - first.address;
        TAHOMA_INVARIANT(origin.address - first.address == distance_[g],
                         "the replicas have different address offsets");
      }
  }
  if (ranks() == 1) return;
  for (std::size_t h = 0; h < physical_cores(); ++h) {
    std::vector<CoreProgram*> of_core;
    for (std::size_t r = 0; r < ranks(); ++r) of_core.push_back(&program(r, h));
    communicators_.emplace_back(machine.params(), alike_.front().groups[h], std::move(of_core),
                                [this, h](std::uint32_t rank, isa::DType dtype, std::uint64_t elements) {
                                  return staging(rank, h, dtype, elements);
                                });
  }
}

Tensor Replica::allocate(std::size_t rank, std::size_t physical_core, const std::string& name,
                         isa::DType dtype, const std::vector<std::uint64_t>& shape) {
  Tensor first = machine_.allocate(alike_.front().cores[rank][physical_core], name, dtype, shape);
  for (std::size_t g = 1; g < alike_.size(); ++g) {
    const Tensor tensor = machine_.allocate(alike_[g].cores[rank][physical_core], name, dtype, shape);
    TAHOMA_INVARIANT(tensor.address - first.address == distance_[g],
                     "the replicas have different address offsets");
  }
  return first;
}

std::uint64_t Replica::staging(std::size_t rank, std::size_t physical_core, isa::DType dtype,
                               std::uint64_t elements) {
  return allocate(rank, physical_core, "staging", dtype, {elements}).address;
}

Matrix Replica::shared(std::size_t rank, const std::string& name, isa::DType dtype, std::uint64_t rows,
                       std::uint64_t columns) {
  Matrix matrix{allocate(rank, 0, name, dtype, {rows, columns}), {}};
  for (std::size_t h = 0; h < physical_cores(); ++h)
    matrix.views.push_back(program(rank, h).view(matrix.tensor));
  return matrix;
}

void Replica::add_rows_behind(std::size_t rank, const Matrix& matrix, std::uint64_t rows) {
  if (rows == 0) return;
  const Tensor behind =
      allocate(rank, 0, matrix.tensor.name, matrix.tensor.dtype, {rows, matrix.tensor.shape[1]});
  TAHOMA_INVARIANT(behind.address == matrix.tensor.address + matrix.tensor.bytes(),
                   matrix.tensor.name + ": the rows behind it are elsewhere");
  declare_input(behind);
}

Matrix Replica::own(std::size_t rank, std::size_t physical_core, const std::string& name, isa::DType dtype,
                    std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{allocate(rank, physical_core, name, dtype, {rows, columns}),
                std::vector<HbmView>(physical_cores())};
  matrix.views[physical_core] = program(rank, physical_core).view(matrix.tensor);
  return matrix;
}

Matrix Replica::control(std::size_t rank, std::size_t physical_core, const std::string& name,
                        isa::DType dtype, std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{allocate(rank, physical_core, name, dtype, {rows, columns}),
                std::vector<HbmView>(physical_cores())};
  matrix.views[physical_core] = program(rank, physical_core).control(matrix.tensor);
  return matrix;
}

Tensor Replica::at(std::size_t replica, const Tensor& tensor) const {
  Tensor there = tensor;
  there.address += distance_[replica];
  return there;
}

void Replica::declare_input(const Tensor& tensor) {
  for (std::size_t g = 0; g < alike_.size(); ++g) machine_.declare_input(at(g, tensor));
}

void Replica::region(const std::string& name) {
  for (const auto& program : programs_) program->kernel.region(name);
}

void Replica::synchronise(std::size_t rank, const Written& written) {
  constexpr unsigned kPipe = 0;
  if (physical_cores() == 1) return;
  // On the queue of stores, which it follows anyway, so that loads of the next data continue.
  for (std::size_t h = 0; h < physical_cores(); ++h)
    kernel(rank, h).rendezvous(isa::Queue::kGpSimd, kPipe, written(h, h), written(1 - h, h));
}

void Replica::load(Stopwatch& stopwatch) {
  std::vector<CoreProgram*> programs;
  for (const auto& program : programs_) programs.push_back(program.get());
  const auto finished = runtime::collective::finish_programs(machine_, programs);
  for (std::size_t r = 0; r < ranks(); ++r)
    for (std::size_t h = 0; h < physical_cores(); ++h) {
      const auto& shared = finished[r * physical_cores() + h];
      for (std::size_t g = 0; g < alike_.size(); ++g) {
        const std::uint32_t core = alike_[g].cores[r][h];
        stopwatch.expect(core, *shared);
        std::vector<std::uint64_t> arguments = program(r, h).arguments();
        for (std::uint64_t& address : arguments) address += distance_[g];
        arguments[1] = core;
        machine_.load(core, shared, arguments);
      }
    }
}

}  // namespace tahoma::workloads
