// SPDX-License-Identifier: Apache-2.0
// The memories that the instructions of a core access, as host bytes. In a folded machine
// (model/system/folding) a simulated core stands for equal cores of other chips. They do the same at the same
// time, with values of their own: every instruction is applied to the memories of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/core/program.h"
#include "model/base/topology/symmetries.h"
#include "model/sim/backdoor.h"
#include "model/sim/core_threads.h"

namespace tahoma::model {

// A core that is not simulated, in functional mode.
struct MemberCore {
  std::uint32_t core = 0;  // global number
  std::string path;        // of the core in the whole machine
  sim::ScratchpadIf &sbuf, &psum;
  const base::NodeMap& chips;  // by chip as the simulated core calls it: the chip that this core calls so

  std::uint64_t address(std::uint64_t of_simulated) const {
    isa::GlobalAddress a = isa::GlobalAddress::from(of_simulated);
    a.chip = chips[a.chip];
    return a.bits();
  }
};

// The cores for which one stands, and the threads that compute their values.
struct Members {
  std::span<const MemberCore> cores{};
  sim::CoreThreads* threads = nullptr;  // null if there are no members
};

struct CoreMemories {
  sim::ScratchpadIf &sbuf, &psum;
  sim::BackdoorIf& hbm;  // of the whole machine
  Members members{};

  CoreMemories of(const MemberCore& member) const { return {member.sbuf, member.psum, hbm, {}}; }

  // Calls apply(n) for the core itself (0) and the members (n - 1). `elements`: what each call computes or
  // moves. Little work is done at once, because the threads need some microseconds to start.
  template <class Apply>
  void for_each_core(std::uint64_t elements, Apply&& apply) const {
    constexpr std::uint64_t kLittle = 16384;  // elements, some 10 us of a host's thread
    const std::size_t cores = members.cores.size() + 1;
    if (cores > 1 && elements * cores > kLittle) return members.threads->for_each(cores, apply);
    for (std::size_t n = 0; n < cores; ++n) apply(n);
  }
};

}  // namespace tahoma::model
