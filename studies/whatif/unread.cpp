// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/unread.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <string_view>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "isa/table/table.h"
#include "runtime/host/sha256.h"

namespace tahoma::runtime {

namespace {

using isa::CostClass, isa::Queue;

// What the instructions of a run need.
struct Needs {
  std::array<bool, isa::kQueueCount> queue{}, engine{};  // any instruction; one beyond the sequencer
  std::bitset<static_cast<std::size_t>(CostClass::kCount)> costs;
  bool generators = false;  // of descriptors, in hardware
  bool links = false;
  bool dram = false;

  bool of(CostClass cost) const { return costs[static_cast<std::size_t>(cost)]; }
  bool any(Queue q) const { return queue[static_cast<std::size_t>(q)]; }
  bool lanes(Queue q) const { return engine[static_cast<std::size_t>(q)]; }
};

bool for_sequencer(CostClass cost) { return cost == CostClass::kNone || cost >= CostClass::kDoorbell; }

Needs needs_of(const Machine& machine, const base::RunMeasurement& run) {
  Needs needs;
  std::set<const isa::Program*> seen;
  for (const auto& [core, program] : machine.programs()) {
    if (!seen.insert(program.get()).second) continue;
    for (std::size_t q = 0; q < program->streams.size(); ++q)
      for (const isa::Instruction& i : program->streams[q]) {
        const CostClass cost = isa::row_of(i.op).cost;
        needs.queue[q] = true;
        needs.engine[q] = needs.engine[q] || !for_sequencer(cost);
        needs.costs.set(static_cast<std::size_t>(cost));
        needs.generators = needs.generators || i.dge == isa::Dge::kHw;
      }
  }
  needs.links = run.link_packet_hops > 0;
  needs.dram = machine.params().chip.hbm.has_dram();
  return needs;
}

struct UnreadRow {
  std::string_view path;
  bool (*reads)(const Needs& needs);
};

template <CostClass cost>
bool reads_cost(const Needs& needs) {
  return needs.of(cost);
}

constexpr std::array kUnreadRows{
    UnreadRow{"machine.chip.core.tensor.", [](const Needs& n) { return n.any(Queue::kTensor); }},
    // The sequencer in front of the vector engine has its clock.
    UnreadRow{"machine.chip.core.vector.", [](const Needs& n) { return n.any(Queue::kVector); }},
    UnreadRow{"machine.chip.core.scalar.", [](const Needs& n) { return n.lanes(Queue::kScalar); }},
    UnreadRow{"machine.chip.core.gpsimd.", [](const Needs& n) { return n.lanes(Queue::kGpSimd); }},
    UnreadRow{"machine.chip.core.meeting.", reads_cost<CostClass::kRendezvous>},
    UnreadRow{"machine.chip.core.costs.dynamic_copy", reads_cost<CostClass::kDynamicCopy>},
    UnreadRow{"machine.chip.core.costs.reciprocal", reads_cost<CostClass::kReciprocal>},
    UnreadRow{"machine.chip.core.costs.scalar_tensor_tensor", reads_cost<CostClass::kScalarTensorTensor>},
    UnreadRow{"machine.chip.core.costs.scan", reads_cost<CostClass::kScan>},
    UnreadRow{"machine.chip.core.costs.aggregate", reads_cost<CostClass::kAggregate>},
    UnreadRow{"machine.chip.core.costs.topk", reads_cost<CostClass::kTopk>},
    UnreadRow{"machine.chip.core.dma.hardware_dge", [](const Needs& n) { return n.generators; }},
    UnreadRow{"machine.chip.hbm.dram.", [](const Needs& n) { return n.dram; }},
    UnreadRow{"machine.link.", [](const Needs& n) { return n.links; }},
};

bool covers(std::string_view listed, std::string_view path) {
  return listed == path || (listed.ends_with('.') && path.starts_with(listed));
}

}  // namespace

std::vector<std::string> unread_parameters(const Machine& machine, const base::RunMeasurement& run) {
  const Needs needs = needs_of(machine, run);
  std::vector<std::string> unread;
  for (const UnreadRow& row : kUnreadRows)
    if (!row.reads(needs)) unread.emplace_back(row.path);
  return unread;
}

bool may_be_unread(const std::string& path) {
  return std::any_of(kUnreadRows.begin(), kUnreadRows.end(),
                     [&](const UnreadRow& row) { return covers(row.path, path); });
}

bool is_listed(const std::string& path, const std::vector<std::string>& unread) {
  return std::any_of(unread.begin(), unread.end(),
                     [&](const std::string& listed) { return covers(listed, path); });
}

std::string loaded_sha256(const Machine& machine) {
  std::map<const isa::Program*, std::string> known;
  std::string loaded;
  try {
    for (const auto& [core, program] : machine.programs()) {
      std::string& hash = known[program.get()];
      if (hash.empty()) {
        const std::vector<std::byte> bytes = isa::to_bytes(*program);
        hash = sha256_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
      loaded += fmt::format("{} {}\n", core, hash);
    }
  } catch (const isa::ProgramError&) {
    return "";
  }
  for (const Tensor& tensor : machine.tensors())
    loaded += fmt::format("{} {} {}\n", tensor.core, tensor.address, tensor.bytes());
  return sha256_of(loaded);
}

}  // namespace tahoma::runtime
