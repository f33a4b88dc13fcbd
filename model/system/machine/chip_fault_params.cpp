// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/chip_fault_params.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace tahoma::model {
namespace {

// Scales by type of parameter; counts, cycles and sizes do not change.
struct Slower {
  double slow;

  void operator()(base::Frequency* clock) const { clock->hz = divided(clock->hz); }
  void operator()(base::Bandwidth* bandwidth) const {
    bandwidth->bytes_per_second = divided(bandwidth->bytes_per_second);
  }
  void operator()(base::Duration* time) const {
    time->fs = std::llround(static_cast<double>(time->fs) * slow);
  }
  template <class Other>
  void operator()(const Other&) const {}

  std::uint64_t divided(std::uint64_t rate) const {
    const auto left = static_cast<std::uint64_t>(std::llround(static_cast<double>(rate) / slow));
    return std::max<std::uint64_t>(1, left);
  }
};

}  // namespace

void ChipFaults::declare(base::ParamTree& t) {
  t.add("slow", slow, 1.0, {1.0, 1000.0},
        "factor by which engines, sequencers and DMA engines of the chip are slower", base::chosen());
  t.add("dead", dead, false, "the chip runs no program, and its ports are dead", base::chosen());
}

// A declaration binds every parameter, so none is omitted.
CoreParams slowed(const CoreParams& core, double slow) {
  CoreParams slower;
  base::ParamTree tree("core");
  slower.declare(tree);
  slower = core;
  for (const base::Param& param : tree.params()) std::visit(Slower{slow}, param.value);
  return slower;
}

}  // namespace tahoma::model
