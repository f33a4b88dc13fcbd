// SPDX-License-Identifier: Apache-2.0
// One packet of a DMA engine: what it takes of the engine and of the memories at both ends.
#include <algorithm>

#include "model/engine/dma_engine.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

// Most packets of a transfer are alike.
Duration DmaEngine::cost_of(const PacketShape& shape) {
  if (shape != last_shape_ || last_cost_.fs == 0) {
    last_shape_ = shape;
    last_cost_ = packet_time(shape, params_);
  }
  return last_cost_;
}

PacketShape DmaEngine::shape_of(const Transfer& transfer, const Packet& packet) const {
  const TransferRequest& request = transfer.request;
  const isa::Descriptor& d = request.descriptor();
  PacketShape shape;
  shape.runs = packet.runs;
  shape.run_bytes = sizeof(std::uint32_t);  // an empty share writes its semaphore
  shape.starts_run = packet.starts_run;
  shape.dram_to_dram = d.src.space == isa::Space::kHbm && d.dst.space == isa::Space::kHbm;
  shape.accumulate = d.accumulate;
  if (packet.elements == 0) return shape;
  shape.run_bytes = packet.elements / packet.runs * transfer.element;
  shape.sources = request.sources.size();
  if (request.transposes)
    shape.throughput_percent =
        d.src.space == isa::Space::kHbm ? params_.transpose_from_hbm : params_.transpose_on_chip;
  return shape;
}

// Reserves the memories at both ends for one packet; returns when the slower is free again.
Time DmaEngine::access_memories(const Transfer& transfer, const Packet& packet, Time& data_at) {
  const TransferRequest& request = transfer.request;
  const isa::Descriptor& d = request.descriptor();
  Time served{0};
  const auto access = [&](tlm::tlm_command command, const isa::DmaSide& side, std::uint64_t base,
                          Time& data) {
    const std::uint64_t bytes = packet.elements * isa::size_of(side.dtype);
    served = std::max(
        served, around_.access(command, address(transfer, side, base, packet), bytes, packet.runs, data));
  };
  for (std::size_t s = 0; s < request.sources.size(); ++s) {
    const isa::DmaSide& src = request.sources[s].src;
    if (src.space == isa::Space::kHbm) access(tlm::TLM_READ_COMMAND, src, request.source(s), data_at);
  }
  if (d.dst.space != isa::Space::kHbm || transfer.remote) return served;
  Time ignored{0};
  if (d.accumulate) access(tlm::TLM_READ_COMMAND, d.dst, request.dst, data_at);
  access(tlm::TLM_WRITE_COMMAND, d.dst, request.dst, ignored);
  return served;
}

// Books one packet on the engine and the memories; returns when the engine may go on.
Time DmaEngine::move(Share& share, const Packet& packet, Time t, Time& read_done) {
  const Transfer& transfer = *share.transfer;
  const Duration cost = cost_of(shape_of(transfer, packet));
  Time served = t, data_at = t;
  if (packet.elements > 0) {
    ++totals_.packets;
    totals_.bytes += packet.elements * transfer.element * transfer.request.sources.size();
    served = std::max(served, access_memories(transfer, packet, data_at));
  }
  totals_.busy += cost;
  const Time end = std::max(t + cost, served);
  totals_.blocked_memory += end - (t + cost);
  read_done = std::max(end, data_at + cost);
  return end;
}

std::uint64_t DmaEngine::address(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                                 const Packet& p) const {
  const Runs& runs = transfer.runs;
  const std::uint64_t element = (p.unit % runs.pieces) * runs.piece_elements + p.from_element;
  return base +
         static_cast<std::uint64_t>(byte_offset(transfer.request, side, runs, p.unit / runs.pieces, element));
}

}  // namespace tahoma::model
