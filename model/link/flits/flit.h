// SPDX-License-Identifier: Apache-2.0
// A flit: the part of a packet that crosses a link in one cycle, and the unit of buffers and credits.
#pragma once

#include <cstdint>

#include "model/sim/packet.h"

namespace tahoma::model {

struct Flit {
  sim::Payload* packet = nullptr;  // that it is a part of
  std::uint8_t vc = 0;  // virtual channel of the link that it is on, or of the buffer that it is in
  bool head = false, tail = false;
};

}  // namespace tahoma::model
