// SPDX-License-Identifier: Apache-2.0
#include "model/sim/packet.h"

#include <utility>

namespace tahoma::sim {

void RowPattern::add(std::uint32_t rows, std::int64_t stride) {
  if (rows == 0) return;
  rows_ += rows;
  Steps& last = more_.empty() ? first_ : more_.back();
  if (last.rows == 0 || last.stride == stride)
    last = {last.rows + rows, stride};
  else
    more_.push_back({rows, stride});
}

void PacketInfo::reset() {
  RowPattern kept = std::move(rows);
  kept.start(0);
  *this = PacketInfo{};
  rows = std::move(kept);
}

Payload* PayloadPool::take(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes) {
  if (free_.empty()) free_.push_back(made_.emplace_back(std::make_unique<Packet>(this)).get());
  Packet* p = free_.back();
  free_.pop_back();
  p->info.reset();
  p->acquire();
  p->set_command(command);
  p->set_address(address);
  p->set_data_length(bytes);
  p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return p;
}

void PayloadPool::free(Payload* payload) { free_.push_back(static_cast<Packet*>(payload)); }

}  // namespace tahoma::sim
