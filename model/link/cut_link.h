// SPDX-License-Identifier: Apache-2.0
// The two ends of one direction of a link whose routers are simulated by different processes. LinkExit takes
// the packets of the sending port, and returns its credits. LinkEntrance hands the packets to the receiving
// router, and takes the credits for them. Both pass these to a CutTraffic, which brings them to the other end
// before they have an effect there: a packet before its header arrives, a credit before it is valid.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

#include "model/link/link_port.h"
#include "model/sim/packet.h"

namespace tahoma::model {

struct LinkCredit {
  std::uint8_t vc = 0;
  std::uint32_t carried = 0;  // data bytes of the packet
  base::Time when{0};         // valid from then on
};

// Receives what leaves the process; `link` is the number of the direction, as given to the end of it.
struct CutTraffic {
  virtual void packet(std::uint32_t link, sim::Payload& payload) = 0;  // the caller keeps its reference
  virtual void credit(std::uint32_t link, const LinkCredit& credit) = 0;

 protected:
  ~CutTraffic() = default;
};

class LinkExit : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<LinkExit> wire{"wire"};  // bound to the port

  LinkExit(sc_core::sc_module_name name, std::uint32_t link, CutTraffic& traffic, sim::PayloadPool& pool);
  void credit(const LinkCredit& credit);

 private:
  tlm::tlm_sync_enum on_packet(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::uint32_t link_;
  CutTraffic& traffic_;
  sim::PayloadPool& pool_;
};

class LinkEntrance : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LinkEntrance> router{"router"};  // bound to the router's next input

  LinkEntrance(sc_core::sc_module_name name, std::uint32_t link, const LinkPort::Place& sender,
               CutTraffic& traffic);
  const LinkPort::Place& sender() const { return sender_; }
  void packet(sim::Payload& payload);

 private:
  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::uint32_t link_;
  LinkPort::Place sender_;
  CutTraffic& traffic_;
};

}  // namespace tahoma::model
