// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/classes.h"

namespace tahoma::model {

std::size_t Folding::simulated() const {
  std::size_t classes = 0;
  for (std::uint32_t chip = 0; chip < representative.size(); ++chip) classes += is_simulated(chip) ? 1 : 0;
  return classes;
}

Folding unfolded(std::uint32_t chips, std::string reason) {
  const base::ChipMap same = base::identity_map(chips);
  return {same, std::vector<base::ChipMap>(chips, same), std::move(reason)};
}

}  // namespace tahoma::model
