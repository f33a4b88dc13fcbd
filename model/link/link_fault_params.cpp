// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_fault_params.h"

#include <algorithm>

namespace tahoma::model {

void LinkFaults::declare(base::ParamTree& t) {
  t.add("rate", rate, 1.0, {0.001, 1.0}, "fraction of its rate that remains to this direction of the link",
        base::chosen());
  t.add("dead", dead, false, "this direction of the link carries nothing", base::chosen());
}

base::Bandwidth LinkFaults::bandwidth(base::Bandwidth sound) const {
  const double left = static_cast<double>(sound.bytes_per_second) * rate;
  return {std::max<std::uint64_t>(1, static_cast<std::uint64_t>(left)), sound.ideal};
}

}  // namespace tahoma::model
