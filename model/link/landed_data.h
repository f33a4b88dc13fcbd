// SPDX-License-Identifier: Apache-2.0
// Checks that the data of a write from another chip arrived unchanged. The check runs as soon as they are in
// memory, before any other access. If the rows that the packet names have changed, the cause is a defect of
// Tahoma (invariant). If the data have changed although the sender verified them, the cause is a program that
// writes the same bytes without synchronisation.
#pragma once

#include "model/sim/backdoor.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// Returns the checksum of the data in memory. Throws UserError E-RUN-067 if it differs from the packet's.
std::uint64_t check_landed(const sim::Payload& packet, sim::BackdoorIf& memory);

}  // namespace tahoma::model
