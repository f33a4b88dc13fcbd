// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_outgoing.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

void DmaOutgoing::send(const DmaFlight& flight) {
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

void DmaOutgoing::enqueue(sim::Payload& payload, sim::PacketInfo& info, Time ready) {
  info.source_core = core_;
  info.engine = engine_;
  queue_.push({&payload, ready});
  if (queue_.size() == 1) inject_at_ = std::max(ready, sim::now());
}

bool DmaOutgoing::inject() {
  inject_at_ = base::kNever;
  awaiting_credit_ = !around_.offer(*queue_.front().payload);
  return !awaiting_credit_ && sent();
}

bool DmaOutgoing::credited() {
  TAHOMA_INVARIANT(awaiting_credit_, "a DMA engine is credited for a packet it did not offer");
  awaiting_credit_ = false;
  return sent();
}

bool DmaOutgoing::sent() {
  queue_.front().payload->release();
  queue_.pop();
  if (!queue_.empty()) inject_at_ = std::max(queue_.front().ready, sim::now());
  if (!blocked()) return false;
  blocked_ &= ~(1U << engine_);
  return true;
}

void DmaOutgoing::block(Time since) {
  blocked_ |= 1U << engine_;
  blocked_since_ = since;
}

}  // namespace tahoma::model
