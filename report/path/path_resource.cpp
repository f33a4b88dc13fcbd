// SPDX-License-Identifier: Apache-2.0
#include "report/path/path_resource.h"

#include <algorithm>

#include "isa/table/table.h"

namespace tahoma::runtime {

using base::Duration;

namespace {

constexpr std::array<const char*, kPathResources> kNames{
    "tensor engine",        "vector engine", "scalar engine",
    "gpsimd engine",        "hand-over",     "dynamic addresses",
    "synchronisation",      "SBUF ports",    "DMA",
    "descriptor generator", "HBM",           "on-chip network",
    "NeuronLink",           "none"};

PathResource engine_of(isa::Queue queue) {
  switch (queue) {
    case isa::Queue::kTensor:
      return PathResource::kTensor;
    case isa::Queue::kVector:
      return PathResource::kVector;
    case isa::Queue::kScalar:
      return PathResource::kScalar;
    case isa::Queue::kGpSimd:
      return PathResource::kGpSimd;
    default:
      return PathResource::kHandover;
  }
}

// Returns the resource that an instruction occupies while it executes.
PathResource executing(const isa::Instruction& instruction, isa::Queue queue) {
  using isa::CostClass;
  switch (isa::row_of(instruction.op).cost) {
    case CostClass::kDoorbell:
      return PathResource::kDma;
    case CostClass::kRendezvous:
      return PathResource::kSynchronisation;
    case CostClass::kDynamicCopy:
      return PathResource::kDynamicAddresses;
    case CostClass::kSemaphore:
    case CostClass::kRegister:
    case CostClass::kRegisterMemory:
    case CostClass::kBranch:
      return PathResource::kHandover;
    default:
      return engine_of(queue);
  }
}

}  // namespace

const char* name_of(PathResource resource) { return kNames[static_cast<std::size_t>(resource)]; }

PathCosts path_costs(const model::MachineParams& machine) {
  return {machine.chip.noc.request + machine.chip.noc.response};
}

ResourceTimes resources_of(const PathStep& step, const isa::Program* program, const PathCosts& costs) {
  const auto part = [&](PathPart which) { return step.parts[static_cast<std::size_t>(which)]; };
  ResourceTimes times{};
  const auto give = [&](PathResource resource, Duration time) {
    times[static_cast<std::size_t>(resource)] += time;
  };
  give(PathResource::kNone, part(PathPart::kUnexplained));
  if (program == nullptr) return times;
  const auto queue = static_cast<isa::Queue>(step.at->queue);
  const isa::Instruction& instruction = program->stream(queue)[step.at->index];
  give(executing(instruction, queue), part(PathPart::kExecution));
  give(PathResource::kHandover, part(PathPart::kHandover));
  give(PathResource::kSynchronisation, part(PathPart::kRendezvous));
  give(PathResource::kSbufPorts, part(PathPart::kPort));
  give(instruction.dge == isa::Dge::kHw ? PathResource::kGenerator : PathResource::kDma,
       part(PathPart::kDescriptors));
  give(PathResource::kDma, part(PathPart::kMove));
  const Duration network = std::min(costs.network, part(PathPart::kMemory));
  give(PathResource::kNetwork, network);
  give(PathResource::kHbm, part(PathPart::kMemory) - network);
  give(PathResource::kNeuronLink, part(PathPart::kLink));
  return times;
}

}  // namespace tahoma::runtime
