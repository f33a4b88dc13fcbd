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
    if (small_elements(shape, params_)) last_cost_ = spread_over_engines(last_cost_, index_, params_);
  }
  return last_cost_;
}

// Packets of a transfer write the same bytes, but for the last.
Duration DmaEngine::drain_of(std::uint64_t bytes) {
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_drain_ = drain_time({bytes}, params_);
  }
  return last_drain_;
}

PacketShape DmaEngine::shape_of(const Transfer& transfer, const Packet& packet) const {
  const TransferRequest& request = transfer.request;
  const isa::Descriptor& d = request.descriptor();
  const Runs& runs = transfer.runs;
  PacketShape shape;
  shape.rows = packet.elements == 0 ? 0 : static_cast<std::uint32_t>(packet.runs);
  if (packet.elements == 0) return shape;  // an empty share writes its semaphore
  shape.row_bytes = static_cast<std::uint32_t>(packet.elements / packet.runs * transfer.element);
  shape.starts = static_cast<std::uint32_t>(packet.starts);
  shape.joined = static_cast<std::uint8_t>(runs.joined);
  shape.semaphore = packet.last && request.notify.has_value();
  shape.dram_to_dram = d.src.space == isa::Space::kHbm && d.dst.space == isa::Space::kHbm;
  shape.accumulate = d.accumulate;
  shape.sources = static_cast<std::uint8_t>(request.sources.size());
  if (request.transposes)
    shape.throughput_percent = static_cast<std::uint8_t>(
        d.src.space == isa::Space::kHbm ? params_.transpose_from_hbm : params_.transpose_on_chip);
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

// What is more for the first time that the engine reads HBM.
Duration DmaEngine::first_read(const Transfer& transfer) {
  const auto in_hbm = [](const isa::Descriptor& d) { return d.src.space == isa::Space::kHbm; };
  if (!cold_ || !std::any_of(transfer.request.sources.begin(), transfer.request.sources.end(), in_hbm))
    return Duration{0};
  cold_ = false;
  return params_.cold_read;
}

// Books one packet on the engine and the memories. An element starts when its first data are there; the next
// one starts a little before it has been read.
DmaEngine::Read DmaEngine::move(const Transfer& transfer, const Packet& packet, Time t) {
  const Duration cost = cost_of(shape_of(transfer, packet));
  Duration cold{0};
  Time served = t, data_at = t;
  if (packet.elements > 0) {
    ++totals_.packets;
    totals_.bytes += packet.elements * transfer.element * transfer.request.sources.size();
    served = std::max(served, access_memories(transfer, packet, data_at));
    cold = first_read(transfer);
  }
  totals_.busy += cost;
  free_at_ = std::max(t + cost, served) + cold;
  totals_.blocked_memory += free_at_ - (t + cost);
  return {data_at, std::max(free_at_, data_at + cost + cold) + overlap_};
}

std::uint64_t DmaEngine::address(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                                 const Packet& p) const {
  const Runs& runs = transfer.runs;
  const std::uint64_t element = (p.unit % runs.pieces) * runs.piece_elements + p.from_element;
  return base +
         static_cast<std::uint64_t>(byte_offset(transfer.request, side, runs, p.unit / runs.pieces, element));
}

}  // namespace tahoma::model
