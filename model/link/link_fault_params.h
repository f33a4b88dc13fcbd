// SPDX-License-Identifier: Apache-2.0
// Faults of one direction of one link, identified by its sending port. The defaults describe a healthy link.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct LinkFaults {
  double rate = 1;    // fraction of the link's bandwidth
  bool dead = false;  // carries nothing
  void declare(base::ParamTree& t);

  // Remaining bandwidth of a link that is not dead.
  base::Bandwidth bandwidth(base::Bandwidth sound) const;
};

}  // namespace tahoma::model
