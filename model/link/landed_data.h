// SPDX-License-Identifier: Apache-2.0
// Whether the data that a write from another chip has brought are those that set out: they have just come to
// lie in memory, and nobody may have touched them before. Of what changed on the way, the rows that the
// packet names can only be our fault (invariant); the data themselves, once their sender has found them to be
// those of its transfer, only a program's that writes to the same bytes without an order.
#pragma once

#include "model/sim/backdoor.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// Returns the checksum of the data as they lie. Throws UserError E-RUN-067 if it is not the packet's.
std::uint64_t check_landed(const sim::Payload& packet, sim::BackdoorIf& memory);

}  // namespace tahoma::model
