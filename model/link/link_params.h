// SPDX-License-Identifier: Apache-2.0
// Parameters of NeuronLink: the rates of the three torus axes, packets, queues and latencies.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct LinkParams {
  base::Bandwidth x, y, z;      // one direction of one link along an axis
  base::Bytes header;           // per packet on the wire
  base::Duration wire, router;  // per hop
  std::uint64_t queue;          // packets an output port holds
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::model
