// SPDX-License-Identifier: Apache-2.0
// What the whole netlist counts together: activations of SystemC processes, retired instructions, the time of
// the last effect. One per machine; modules hold a reference. A hook is called every few thousand activations
// for progress.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "model/base/units.h"

namespace tahoma::sim {

struct Meter {
  std::uint64_t engine_activations = 0, dma_activations = 0, link_activations = 0;
  std::uint64_t instructions = 0, link_packet_hops = 0;
  base::Time last_effect{0};
  std::function<void()> hook;

  void effect_at(base::Time t) { last_effect = std::max(last_effect, t); }
  void engine_activated() {
    if ((++engine_activations & 0x3fff) == 0 && hook) hook();
  }
  void dma_activated() {
    if ((++dma_activations & 0x3fff) == 0 && hook) hook();
  }
};

}  // namespace tahoma::sim
