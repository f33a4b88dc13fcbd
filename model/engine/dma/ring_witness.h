// SPDX-License-Identifier: Apache-2.0
// Observes what the rings of a core's DMA engines receive and issue. Another ring model, such as the
// SystemVerilog one, uses it to run in lock step and compare results.
#pragma once

#include "model/engine/dma/dma_share.h"

namespace tahoma::model {

class RingWitness {
 public:
  virtual ~RingWitness() = default;
  // A share joined the end of an engine's ring at `at`, the current time. Its transfer stays alive until the
  // last of its packets is issued.
  virtual void pushed(unsigned engine, unsigned ring, const Share& share, base::Time at) = 0;
  // The next packet of the oldest share is issued.
  virtual void issued(unsigned engine, unsigned ring, const DmaPacket& packet, base::Time at) = 0;
};

}  // namespace tahoma::model
