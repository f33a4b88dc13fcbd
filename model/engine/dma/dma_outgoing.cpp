// SPDX-License-Identifier: Apache-2.0
// A DMA engine's outgoing packets for other chips, up to the fabric.
#include "model/base/error.h"
#include "model/engine/dma/dma_engine.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

// Packets that are still being read have reserved their slots.
bool DmaEngine::fabric_full() { return outgoing_.size() + unsent_ >= params_.remote_window; }

void DmaEngine::send(const DmaFlight& flight) {
  const Transfer& transfer = *flight.transfer;
  const TransferRequest& request = transfer.request;
  const isa::DmaSide& dst = request.descriptor().dst;
  sim::Payload* p =
      around_.packet(tlm::TLM_WRITE_COMMAND, address_of(transfer, dst, request.dst, flight.packet),
                     flight.packet.elements * isa::size_of(dst.dtype));
  sim::PacketInfo& info = sim::info_of(*p);
  describe_rows(info.rows, transfer, dst, flight.packet);
  info.checksum = transfer.checksums.of(transfer.runs, flight.packet, request.destination());
  if (flight.packet.last && !request.on_read) {
    info.notify = request.notify;
    info.notify_delay = semaphore_visible(flight.handed_on, params_) - flight.handed_on;
  }
  --unsent_;
  enqueue(*p, info, flight.handed_on);
}

void DmaEngine::enqueue(sim::Payload& payload, sim::PacketInfo& info, Time ready) {
  info.source_core = core_;
  info.engine = index_;
  outgoing_.push({&payload, ready});
  if (outgoing_.size() == 1) due_at(step_at_, std::max(ready, sim::now()));
}

// Offers the oldest packet to the fabric.
void DmaEngine::inject() {
  due_at(step_at_, base::kNever);
  awaiting_credit_ = !around_.offer(*outgoing_.front().payload);
  if (!awaiting_credit_) sent();
}

void DmaEngine::credited() {
  TAHOMA_INVARIANT(awaiting_credit_, "a DMA engine is credited for a packet it did not offer");
  awaiting_credit_ = false;
  sent();
}

void DmaEngine::sent() {
  outgoing_.front().payload->release();
  outgoing_.pop();
  if (!outgoing_.empty()) due_at(step_at_, std::max(outgoing_.front().ready, sim::now()));
  if (!blocked_on_link()) return;
  blocked_ &= ~(1U << index_);
  counted_.blocked_link += sim::now() - blocked_since_;
  free_at_ = std::max(free_at_, sim::now());
  schedule();
}

}  // namespace tahoma::model
