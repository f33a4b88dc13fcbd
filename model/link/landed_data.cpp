// SPDX-License-Identifier: Apache-2.0
#include "model/link/landed_data.h"

#include <fmt/format.h>

#include "isa/core/program.h"
#include "model/base/error.h"

namespace tahoma::model {
namespace {

[[noreturn]] void refuse(const sim::Payload& packet, const std::string& place) {
  const sim::PacketInfo& info = *packet.get_extension<sim::PacketInfo>();
  const sim::Home from = sim::home_of(packet);
  throw base::UserError(
      "E-RUN-067", place,
      fmt::format("{} bytes in {} rows there were overwritten while in transit from chip {} "
                  "(core {}, DMA engine {}); expected no write to them before the semaphore of that transfer "
                  "has been raised (tahoma run --mode timing --check races names "
                  "both instructions)",
                  packet.get_data_length(), info.rows.rows(), from.chip, from.core, info.engine),
      base::ExitStatus::kProgram);
}

}  // namespace

std::uint64_t check_landed(const sim::Payload& packet, sim::BackdoorIf& memory) {
  const sim::PacketInfo& info = sim::info_of(packet);
  const sim::Home home = sim::home_of(packet);
  const sim::Checksum found = sim::checksum_at(memory, home.address, info.rows);
  if (found == info.checksum) return found.data;
  const auto at = isa::GlobalAddress::from(home.address);
  const std::string place = fmt::format("chip {}, stack {}, offset {:#x}", at.chip, at.stack, at.offset);
  TAHOMA_INVARIANT(found.rows == info.checksum.rows,
                   place + ": a packet has arrived with rows that differ from those sent");
  refuse(packet, place);
}

}  // namespace tahoma::model
