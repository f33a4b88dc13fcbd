// SPDX-License-Identifier: Apache-2.0
// The sending side of one direction of a link, or the path from the router to its own chip. When the wire is
// free, it asks the router for the next packet that may leave through it and sends it. Switching is virtual
// cut-through: the header is at the next router while the tail is still here. There is one activation per
// packet.
//
// Virtual channels and credits: every virtual channel has its own buffer at the far end of a link. A packet
// leaves when the buffer has room for all of it; the room returns one flight time after the packet has left
// that buffer. On the socket, BEGIN_REQ is a packet's header on the wire, with the times at which its first
// and last byte arrive in PacketInfo; it is always accepted (TLM_ACCEPTED). END_REQ on the backward path is
// the credit of each packet, valid from the delay argument on. Other packets are sent in between, so the base
// protocol's rule of a single outstanding request does not hold here.
//
// Packets of a port with a clock leave at its edges, in whole words. Another model of the port may run beside
// it (watch()).
//
// Not modelled: lost packets and retries.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <optional>
#include <systemc>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/topology/topology.h"
#include "model/link/link_counter.h"
#include "model/link/link_params.h"
#include "model/link/port_witness.h"
#include "model/link/renaming.h"
#include "model/sim/bandwidth_server.h"
#include "model/sim/fifo.h"
#include "model/sim/meter.h"
#include "model/sim/packet.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class LinkPort;

// The packet that a port may send now, and the buffer in which it waits; or the reason why there is none.
struct Departure {
  sim::Payload* packet = nullptr;  // null: none
  std::uint32_t buffer = 0;        // the router's
  std::uint8_t vc = 0;             // on the far side
  bool starved = false;            // no packet, but one would leave if the far side had room
  base::Time next = base::kNever;  // arrival of the next header that leaves through the port
};

// Provides packets for ports.
struct PacketSource {
  virtual Departure departure(const LinkPort& port) = 0;
  // The packet leaves: its header now, its last byte at `tail`.
  virtual void depart(const Departure& departure, base::Time tail) = 0;

 protected:
  ~PacketSource() = default;
};

class LinkPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LinkPort> wire{"wire"};

  struct Place {
    base::PortIndex index = 0;       // of the router's ports
    std::uint32_t from = 0, to = 0;  // nodes
    char axis = 'x';
    base::Bandwidth rate;
    base::Duration wire{0}, router{0};
    base::Duration hop() const { return wire + router; }  // header here to header in at the far side
    std::uint64_t buffer = kAlways;                       // bytes of a virtual channel at the far end
  };
  static constexpr std::uint64_t kAlways = ~std::uint64_t{0};  // the far end takes every packet

  LinkPort(sc_core::sc_module_name name, const Place& place, const LinkParams& params, PacketSource& source,
           sim::Meter& meter);

  const Place& place() const { return place_; }
  const WordClock& clock() const { return clock_; }
  // From now on the witness receives what the port does.
  void watch(PortWitness& witness) { witness_ = &witness; }

  // The far chip is simulated by an equal one, whose names packets have from there on. `names` outlives the
  // port.
  void rename_for(const Renaming& names) { far_names_ = &names; }

  // A packet's header will arrive, and the packet, in the router's `buffer`, may want to leave through this
  // port.
  void ask(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet, base::Time head);
  // Free bytes of a virtual channel's buffer at the far end.
  std::uint64_t room(std::uint8_t vc) const { return place_.buffer == kAlways ? kAlways : vcs_[vc].room; }

  // Called when the port's router holds no packet any more.
  base::LinkMeasurement measure(base::Time elapsed) const;

 private:
  struct Return {
    base::Time when;
    std::uint64_t bytes;
  };
  struct Vc {
    std::uint64_t room;
    sim::Fifo<Return> returning;  // by time
  };

  void due(base::Time when);
  void wake();
  void step();
  base::Time collect_credits();
  void send(const Departure& departure);
  base::Time take_wire(base::Bytes bytes);
  void testify(const Departure& departure, base::Time end) const;
  void count(const sim::PacketInfo& info, std::uint64_t wire_bytes);
  void starve(bool starved);
  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  Place place_;
  const LinkParams& params_;
  PacketSource& source_;
  sim::Meter& meter_;
  sim::BandwidthServer server_;
  const WordClock clock_;
  PortWitness* witness_ = nullptr;
  const Renaming* far_names_ = nullptr;  // null: the far chip is simulated itself
  std::vector<Vc> vcs_;
  sim::Wake wake_ = sim::Wake::calling<&LinkPort::wake>(this);

  std::optional<base::Time> starved_since_;
  LinkCounter counter_;
};

}  // namespace tahoma::model
