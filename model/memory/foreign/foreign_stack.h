// SPDX-License-Identifier: Apache-2.0
// Connects an external memory model as a stack of the machine. It splits every access into bursts of the
// TLM-2.0 base protocol, with real data and without extensions, and answers the chip according to the
// memory's responses. Addresses of bursts are offsets in the stack.
//
// The memory determines the timing: a read has its data when the responses arrive; a write is accepted when
// its last request is (END_REQ, or the response of a memory that omits it), as by one of Tahoma's memories
// that has queued it.
//
// The stack's host pages hold the machine's values, and the memory mirrors them. A write burst carries the
// contents at the time it is sent. Every change of a byte is followed by a burst, and bursts to the same
// bytes keep their order, so at the end the memory holds what the pages hold. The host's initial data use the
// debug transport, page by page, before the first burst to each page. Returned data are compared with the
// written data: E-RUN-082 if they differ. Timing mode does the same with the zeros in its pages.
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
    base::Bytes burst;          // maximum size, and no burst crosses a multiple of it
    std::uint32_t outstanding;  // bursts without a response
  };
  // The only fault that can be applied here is the capacity reduction. A class that contains the memory may
  // derive from this one.
  ForeignStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) override;
  void check_ended() const override;

 private:
  struct Packet {
    sim::Payload* payload = nullptr;
    int initiator = 0;
    base::Time start{0};
    std::uint32_t left = 0;  // bursts without a response or, for a write, not yet accepted
    base::Time first = base::kNever, last{0};
  };
  struct Piece {  // part of a packet that becomes a burst
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
  HostMemory given_;           // contents last given to the memory
  std::vector<bool> brought_;  // by page
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_, arriving_, over_;
  std::deque<Piece> pieces_;  // in the order of requests
  sc_core::sc_event wake_;

  sim::LatencyHistogram reads_, writes_;
  base::Time busy_since_ = base::kNever;
  base::BusySeries series_;
};

}  // namespace tahoma::model
