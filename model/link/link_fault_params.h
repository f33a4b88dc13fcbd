// SPDX-License-Identifier: Apache-2.0
// What can be wrong with one direction of one link, by the port it leaves. The defaults are a sound one.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct LinkFaults {
  double rate = 1;    // of the link's bandwidth
  bool dead = false;  // carries nothing
  void declare(base::ParamTree& t);

  // What is left of the bandwidth of a link that is not dead.
  base::Bandwidth bandwidth(base::Bandwidth sound) const;
};

}  // namespace tahoma::model
