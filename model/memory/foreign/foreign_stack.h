// SPDX-License-Identifier: Apache-2.0
// Someone else's memory as a stack of the machine: cuts every access into bursts of the TLM-2.0 base
// protocol, with real data and without extensions, and answers the chip from what the memory says to them.
// Addresses of bursts are offsets in the stack.
//
// The memory decides about time: a read has its data when the responses come, a write is accepted when its
// last request is (END_REQ, or the response of a memory that leaves it out), as by a memory of ours that has
// queued it.
//
// Values of the machine stay in the host pages of the stack; the memory follows them. A write burst carries
// what is there when it is sent: every change of a byte is followed by a burst of its own, and bursts to the
// same bytes keep their order, so at the end the memory holds what the pages hold. What the host put there
// comes over the debug transport, page by page before the first burst to each. Data that come back are
// compared with what was given: E-RUN-082 if they differ. All of this goes on in timing mode too, with
// the zeros that are in the pages there.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <vector>

#include "model/base/busy_series.h"
#include "model/memory/foreign/base_protocol.h"
#include "model/memory/hbm/hbm_fault_params.h"
#include "model/memory/hbm/hbm_stack.h"
#include "model/sim/latency_histogram.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class ForeignStack : public HbmStack {
 public:
  tlm_utils::simple_initiator_socket<ForeignStack> bursts{"bursts"};  // to the memory

  struct Environment {
    const HbmParams& params;
    sim::Meter& meter;
    base::Bytes burst;          // at most, and none crosses a multiple of it
    std::uint32_t outstanding;  // bursts without a response
  };
  // Of the faults only the capacity is ours to take away. A class with the memory in it may derive.
  ForeignStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) override;
  void check_ended() const override;

 private:
  struct Packet {
    sim::Payload* payload = nullptr;
    int initiator = 0;
    base::Time start{0};
    std::uint32_t left = 0;  // bursts to be answered, or of a write to be accepted
    base::Time first = base::kNever, last{0};
  };
  struct Piece {  // of a packet, a burst to be
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0, packet = 0;
  };

  tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) override;
  tlm::tlm_sync_enum on_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void step();
  void take_arrivals();
  void cut(std::uint32_t index);
  bool may_send(const Piece& piece) const;
  void send(const Piece& piece);
  void end(Burst& burst);
  void progress(std::uint32_t index, base::Time when);
  void answer(std::uint32_t index);
  void bring_page(std::uint64_t offset);
  void compare(const Burst& burst);
  void note_under_way();

  Environment around_;
  BaseProtocolInitiator protocol_;
  BurstPool pool_;
  HostPages given_;            // what the memory was given last
  std::vector<bool> brought_;  // by page
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_, arriving_, over_;
  std::deque<Piece> pieces_;  // in the order of their requests
  sc_core::sc_event wake_;

  sim::LatencyHistogram reads_, writes_;
  base::Time busy_since_ = base::kNever;
  base::BusySeries series_;
};

}  // namespace tahoma::model
