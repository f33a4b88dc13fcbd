// SPDX-License-Identifier: Apache-2.0
// The classes of equal chips of a machine, one of which is simulated for all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/topology/symmetries.h"

namespace tahoma::model {

struct Folding {
  std::vector<std::uint32_t> representative;  // by chip
  std::vector<base::ChipMap> view;  // by chip: its names for all chips to those of its representative
  std::string reason;               // why no chip is folded; "" if some are, or if all differ

  std::size_t simulated() const;  // number of classes
  bool folds() const { return simulated() < representative.size(); }
  bool is_simulated(std::uint32_t chip) const { return representative[chip] == chip; }
};

// Every chip is a class of its own.
Folding unfolded(std::uint32_t chips, std::string reason = "");

}  // namespace tahoma::model
