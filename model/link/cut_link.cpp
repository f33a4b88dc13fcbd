// SPDX-License-Identifier: Apache-2.0
#include "model/link/cut_link.h"

#include <string>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

LinkExit::LinkExit(sc_core::sc_module_name name, std::uint32_t link, CutTraffic& traffic,
                   sim::PayloadPool& pool)
    : sc_module(name), link_(link), traffic_(traffic), pool_(pool) {
  wire.register_nb_transport_fw(this, &LinkExit::on_packet);
}

tlm::tlm_sync_enum LinkExit::on_packet(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  traffic_.packet(link_, payload);
  return tlm::TLM_ACCEPTED;
}

void LinkExit::credit(const LinkCredit& credit) {
  TAHOMA_INVARIANT(credit.when >= sim::now(), std::string(name()) + ": a credit arrives too late");
  sim::Payload* of = pool_.take(tlm::TLM_WRITE_COMMAND, 0, 0);  // in place of the packet at the other end
  sim::info_of(*of).vc = credit.vc;
  sim::info_of(*of).carried = credit.carried;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sim::to_systemc(credit.when - sim::now());
  wire->nb_transport_bw(*of, phase, delay);
  of->release();
}

LinkEntrance::LinkEntrance(sc_core::sc_module_name name, std::uint32_t link, const LinkPort::Place& sender,
                           CutTraffic& traffic)
    : sc_module(name), link_(link), sender_(sender), traffic_(traffic) {
  router.register_nb_transport_bw(this, &LinkEntrance::on_credit);
}

void LinkEntrance::packet(sim::Payload& payload) {
  TAHOMA_INVARIANT(sim::info_of(payload).head >= sim::now(),
                   std::string(name()) + ": a packet arrives too late");
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  router->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum LinkEntrance::on_credit(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time& delay) {
  const sim::PacketInfo& info = sim::info_of(payload);
  traffic_.credit(link_, {info.vc, info.carried, sim::now() + sim::from_systemc(delay)});
  return tlm::TLM_ACCEPTED;
}

}  // namespace tahoma::model
