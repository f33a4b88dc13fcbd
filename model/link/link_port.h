// SPDX-License-Identifier: Apache-2.0
// The sending side of one direction of a NeuronLink: a bounded queue of packets in front of the wire. Virtual
// cut-through: a packet leaves when the wire is free and the next queue on its way has granted a place, and
// its header is at the next chip while its tail is still here. One activation per packet.
//
// The grant is TLM's END_REQ: BEGIN_REQ asks and carries the times at which the packet would arrive;
// TLM_UPDATED grants at once, END_REQ on the backward path later, and then the sender has set the times anew
// when that call returns. Rings stay free of deadlock by the bubble rule: a packet that enters a ring
// (injected, or turning from another axis) needs two free places, one that continues along it needs one.
//
// Leaves out: virtual channels, lost packets and retries.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>

#include "model/base/measurements.h"
#include "model/link/link_params.h"
#include "model/link/torus.h"
#include "model/sim/bandwidth_server.h"
#include "model/sim/meter.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// Wants to know when a queue may have room again.
struct PlaceWatcher {
  virtual void place_free(Port port) = 0;

 protected:
  ~PlaceWatcher() = default;
};

class LinkPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LinkPort> wire{"wire"};

  struct Place {
    Port port;
    std::uint32_t from_chip, to_chip;
  };
  LinkPort(sc_core::sc_module_name name, const Place& place, base::Bandwidth rate, const LinkParams& params,
           PlaceWatcher& watcher, sim::Meter& meter);

  bool has_place(bool continuing) const { return queue_.size() + (continuing ? 1 : 2) <= params_.queue; }
  // Takes a packet whose header is here at info.head and whose tail at info.tail. Requires has_place.
  void put(sim::Payload& payload);
  // A packet was refused, or all refused ones have been taken: the time in between is `queue_full`.
  void refused(bool any);

  base::LinkMeasurement measure(base::Time elapsed);
  bool idle() const { return queue_.empty(); }

 private:
  struct Times {
    base::Time head, tail;
  };
  void wake();
  void step();
  Times arrival(const sim::Payload& payload, base::Time tail_here) const;
  void depart();
  tlm::tlm_sync_enum on_grant(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  Place place_;
  const LinkParams& params_;
  PlaceWatcher& watcher_;
  sim::Meter& meter_;
  sim::BandwidthServer server_;
  std::deque<sim::Payload*> queue_;
  bool asked_ = false;  // the head waits for the next chip's grant
  sc_core::sc_event wake_;

  bool refusing_ = false;
  base::Time refusing_since_{0};
  base::Duration queue_full_{0};
  std::uint64_t payload_bytes_ = 0, wire_bytes_ = 0, packets_ = 0, high_water_ = 0;
};

}  // namespace tahoma::model
