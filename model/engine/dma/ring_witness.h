// SPDX-License-Identifier: Apache-2.0
// Sees what the rings of a core's DMA engines are given and what they issue: how another model of a ring, in
// SystemVerilog for one, runs beside them and is compared.
#pragma once

#include "model/engine/dma/dma_share.h"

namespace tahoma::model {

class RingWitness {
 public:
  virtual ~RingWitness() = default;
  // `at`: now. A share behind the others in a ring of an engine; its transfer lives until the last of its
  // packets is issued.
  virtual void pushed(unsigned engine, unsigned ring, const Share& share, base::Time at) = 0;
  // The oldest share's next packet is issued.
  virtual void issued(unsigned engine, unsigned ring, const DmaPacket& packet, base::Time at) = 0;
};

}  // namespace tahoma::model
