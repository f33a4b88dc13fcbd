// SPDX-License-Identifier: Apache-2.0
#include "model/sim/packet.h"

namespace tahoma::sim {

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
    info_of(*p) = PacketInfo{};
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
