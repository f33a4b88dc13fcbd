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

PayloadPool::~PayloadPool() {
  for (Payload* p : free_) delete p;
}

Payload* PayloadPool::take(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes) {
  Payload* p = nullptr;
  if (free_.empty()) {
    p = new Payload(this);
    p->set_extension(new PacketInfo);
    ++made_;
  } else {
    p = free_.back();
    free_.pop_back();
    info_of(*p).reset();
  }
  p->acquire();
  p->set_command(command);
  p->set_address(address);
  p->set_data_length(bytes);
  p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return p;
}

void PayloadPool::free(Payload* payload) { free_.push_back(payload); }

}  // namespace tahoma::sim
