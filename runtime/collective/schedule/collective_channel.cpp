// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/collective_channel.h"

#include <algorithm>

namespace tahoma::runtime::collective {

std::uint64_t Channel::most_units() const { return *std::max_element(units.begin(), units.end()); }

std::uint32_t Channel::pieces() const {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (most_units() + piece - 1) / piece));
}

}  // namespace tahoma::runtime::collective
