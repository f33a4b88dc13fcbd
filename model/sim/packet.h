// SPDX-License-Identifier: Apache-2.0
// What travels through the TLM sockets between DMA engines, the on-chip network, HBM and NeuronLink: one
// generic payload is one row segment or packet. The extension carries what the base protocol has no field
// for. Values take the back door.
//
// Protocol: BEGIN_REQ hands the packet over. TLM_COMPLETED answers at once (memory); TLM_UPDATED with END_REQ
// accepts it (fabric); TLM_ACCEPTED makes the sender wait for END_REQ on the backward path, which is the
// credit. Writes are posted: there is no response phase, what the sender wants to hear travels with the
// packet as `notify`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/base/units.h"

namespace tahoma::sim {

inline constexpr std::uint32_t kNobody = ~0U;

// A semaphore to raise when the packet has landed.
struct Notify {
  std::uint32_t core = 0;  // global core number, or kNobody
  std::uint8_t semaphore = 0;
  std::uint8_t change = 0;  // sim::Change
  std::uint16_t value = 0;
};

struct PacketInfo : tlm::tlm_extension<PacketInfo> {
  std::uint32_t source_core = 0;
  std::uint32_t runs = 1;  // contiguous runs in the packet
  base::Time served{0};    // set by the memory: when its bandwidth is free again
  std::optional<Notify> notify;
  base::Duration notify_delay{0};  // landed -> semaphore visible
  bool acknowledgement = false;    // carries only `notify`, back to a core on another chip
  std::uint32_t injector = 0;      // socket index of the sender on its chip's network
  std::uint32_t engine = 0;        // DMA engine behind that socket: each has a request channel of its own
  base::Time head{0}, tail{0};     // when its first and last byte reach the next port

  tlm_extension_base* clone() const override { return new PacketInfo(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const PacketInfo&>(other); }
};

using Payload = tlm::tlm_generic_payload;

inline PacketInfo& info_of(Payload& payload) { return *payload.get_extension<PacketInfo>(); }

// Payloads that outlive the call that sent them: reference counted by TLM's rules and recycled.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  ~PayloadPool() override;
  Payload* take(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes);
  void free(Payload* payload) override;
  std::size_t in_use() const { return made_ - free_.size(); }

 private:
  std::vector<Payload*> free_;
  std::size_t made_ = 0;
};

}  // namespace tahoma::sim
