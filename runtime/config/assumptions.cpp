// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/assumptions.h"

#include <algorithm>
#include <array>
#include <string>

namespace tahoma::runtime {

using base::Param;

namespace {

// Parameters that matter only if their part of the machine was used.
enum class Part : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kDma, kDram, kLink, kCollective, kArea };
inline constexpr std::size_t kParts = 9;
struct Belongs {
  const char* path;
  Part part;
};
// A path without a match is always in use.
constexpr std::array kBelongs{Belongs{"machine.chip.core.tensor.", Part::kTensor},
                              Belongs{"machine.chip.core.sequencer.tensor_queue.", Part::kTensor},
                              Belongs{"machine.chip.core.sequencer.vector_queue.", Part::kVector},
                              Belongs{"machine.chip.core.sequencer.scalar_queue.", Part::kScalar},
                              Belongs{"machine.chip.core.sequencer.gpsimd_queue.", Part::kGpSimd},
                              Belongs{"machine.chip.core.sequencer.collective.", Part::kCollective},
                              Belongs{"machine.chip.core.vector.", Part::kVector},
                              Belongs{"machine.chip.core.scalar.", Part::kScalar},
                              Belongs{"machine.chip.core.gpsimd.", Part::kGpSimd},
                              Belongs{"machine.chip.core.dma.", Part::kDma},
                              Belongs{"machine.chip.core.collective.", Part::kCollective},
                              Belongs{"machine.chip.hbm.dram.", Part::kDram},
                              Belongs{"machine.chip.area.", Part::kArea},  // of no run
                              Belongs{"machine.link.", Part::kLink}};

using PartsUsed = std::array<bool, kParts>;

PartsUsed parts_used(const model::MachineParams& machine, const base::RunMeasurement& run) {
  using base::EngineKind;
  const auto ran = [&](EngineKind kind) {
    return std::any_of(run.engines.begin(), run.engines.end(),
                       [&](const auto& e) { return e.kind == kind && e.instructions > 0; });
  };
  PartsUsed used{};
  const auto set = [&](Part part, bool is) { used[static_cast<std::size_t>(part)] = is; };
  set(Part::kTensor, ran(EngineKind::kTensor));
  set(Part::kVector, ran(EngineKind::kVector));
  set(Part::kScalar, ran(EngineKind::kScalar));
  set(Part::kGpSimd, ran(EngineKind::kGpSimd));
  set(Part::kCollective, ran(EngineKind::kCollective));
  set(Part::kDma, run.dma_packets > 0);
  set(Part::kDram, machine.chip.hbm.model != model::HbmModel::kFlat && run.dma_packets > 0);
  set(Part::kLink, run.link_packet_hops > 0);
  return used;
}

bool in_use(const std::string& path, const PartsUsed& used) {
  const auto belongs = std::find_if(kBelongs.begin(), kBelongs.end(),
                                    [&](const Belongs& b) { return path.starts_with(b.path); });
  return belongs == kBelongs.end() || used[static_cast<std::size_t>(belongs->part)];
}

}  // namespace

Assumptions assumptions_of(const base::ParamTree& tree, const model::MachineParams& machine,
                           const base::RunMeasurement& run) {
  const PartsUsed used = parts_used(machine, run);
  Assumptions found;
  for (const Param& p : tree.params()) {
    if (p.source.kind != base::Provenance::kAssumed || base::text_of(p.value) != p.default_text) continue;
    if (in_use(p.path, used))
      found.in_use.push_back(&p);
    else
      ++found.untouched;
  }
  return found;
}

}  // namespace tahoma::runtime
