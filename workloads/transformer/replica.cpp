// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView, runtime::Tensor;

namespace {

// The same ways to all others, seen from another chip.
bool lie_alike(const model::MachineParams& machine, const Replica::Place& a, const Replica::Place& b) {
  const std::uint32_t distance = b.cores.front().front() - a.cores.front().front();
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

}  // namespace

std::vector<Replica::Place> places_of(const model::MachineParams& machine, const Seating& seating,
                                      std::uint64_t replicas, std::uint64_t tensor) {
  const std::size_t halves = machine.chip.lnc;
  std::vector<Replica::Place> places;
  std::vector<Members> members;
  for (std::uint64_t g = 0; g < replicas; ++g) {
    Replica::Place& place = places.emplace_back(Replica::Place{g, {}, {}, {}});
    for (std::uint64_t r = 0; r < tensor; ++r) place.cores.push_back(seating.cores(g, r));
    for (std::size_t h = 0; h < halves && tensor > 1; ++h) {
      Members& group = members.emplace_back(Members{fmt::format("replica {} half {}", g, h), {}});
      for (const auto& rank : place.cores) group.cores.push_back({rank[h]});
    }
  }
  std::size_t number = 0;
  for (Group& group : groups_from(machine, std::move(members)))
    places[number++ / halves].groups.push_back(std::move(group));
  return places;
}

std::vector<std::vector<Replica::Place>> sort_alike(const model::MachineParams& machine,
                                                    std::vector<Replica::Place> places) {
  std::vector<std::vector<Replica::Place>> alike;
  for (Replica::Place& place : places) {
    auto like = std::find_if(alike.begin(), alike.end(),
                             [&](const auto& some) { return lie_alike(machine, some.front(), place); });
    if (like == alike.end()) like = alike.insert(alike.end(), std::vector<Replica::Place>{});
    like->push_back(std::move(place));
  }
  return alike;
}

Replica::Replica(runtime::Machine& machine, std::vector<Place> alike)
    : machine_(machine), alike_(std::move(alike)) {
  for (std::size_t r = 0; r < ranks(); ++r)
    for (const std::uint32_t core : alike_.front().cores[r])
      programs_.push_back(std::make_unique<CoreProgram>(machine, core, fmt::format("transformer_{}", core)));
  for (std::size_t g = 0; g < alike_.size(); ++g) {
    distance_.push_back(0);
    for (std::size_t r = 0; r < ranks() && g > 0; ++r)
      for (std::size_t h = 0; h < halves(); ++h) {
        const Tensor& first = program(r, h).memory;
        const Tensor origin = machine.allocate(alike_[g].cores[r][h], first.name, first.dtype, first.shape);
        if (r + h == 0) distance_[g] = origin.address - first.address;
        TAHOMA_INVARIANT(origin.address - first.address == distance_[g], "replicas that do not lie alike");
      }
  }
  if (ranks() == 1) return;
  for (std::size_t h = 0; h < halves(); ++h) {
    std::vector<CoreProgram*> of_half;
    for (std::size_t r = 0; r < ranks(); ++r) of_half.push_back(&program(r, h));
    communicators_.emplace_back(machine.params(), alike_.front().groups[h], std::move(of_half),
                                [this, h](std::uint32_t rank, isa::DType dtype, std::uint64_t elements) {
                                  return staging(rank, h, dtype, elements);
                                });
  }
}

Tensor Replica::allocate(std::size_t rank, std::size_t half, const std::string& name, isa::DType dtype,
                         const std::vector<std::uint64_t>& shape) {
  Tensor first = machine_.allocate(alike_.front().cores[rank][half], name, dtype, shape);
  for (std::size_t g = 1; g < alike_.size(); ++g) {
    const Tensor tensor = machine_.allocate(alike_[g].cores[rank][half], name, dtype, shape);
    TAHOMA_INVARIANT(tensor.address - first.address == distance_[g], "replicas that do not lie alike");
  }
  return first;
}

std::uint64_t Replica::staging(std::size_t rank, std::size_t half, isa::DType dtype, std::uint64_t elements) {
  return allocate(rank, half, "staging", dtype, {elements}).address;
}

Matrix Replica::shared(std::size_t rank, const std::string& name, isa::DType dtype, std::uint64_t rows,
                       std::uint64_t columns) {
  Matrix matrix{allocate(rank, 0, name, dtype, {rows, columns}), {}};
  for (std::size_t h = 0; h < halves(); ++h) matrix.views.push_back(program(rank, h).view(matrix.tensor));
  return matrix;
}

Matrix Replica::own(std::size_t rank, std::size_t half, const std::string& name, isa::DType dtype,
                    std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{allocate(rank, half, name, dtype, {rows, columns}), std::vector<HbmView>(halves())};
  matrix.views[half] = program(rank, half).view(matrix.tensor);
  return matrix;
}

Matrix Replica::control(std::size_t rank, std::size_t half, const std::string& name, isa::DType dtype,
                        std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{allocate(rank, half, name, dtype, {rows, columns}), std::vector<HbmView>(halves())};
  matrix.views[half] = program(rank, half).control(matrix.tensor);
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

void Replica::meet(std::size_t rank, const Written& written) {
  constexpr unsigned kPipe = 0;
  if (halves() == 1) return;
  // On the queue of stores: it is behind them anyway, and loads of what comes next go on.
  for (std::size_t h = 0; h < halves(); ++h)
    kernel(rank, h).meet(isa::Queue::kGpSimd, kPipe, written(h, h), written(1 - h, h));
}

void Replica::load(Stopwatch& stopwatch) {
  for (std::size_t r = 0; r < ranks(); ++r)
    for (std::size_t h = 0; h < halves(); ++h) {
      const auto shared = std::make_shared<const isa::Program>(kernel(r, h).finish());
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
