// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_share.h"

#include <algorithm>

namespace tahoma::model {

// Takes as many whole rows as fit: whole elements if at least one fits, otherwise up to the end of
// the current one.
void Share::take_rows(DmaPacket& p, std::uint64_t room, const DmaParams& params) const {
  const std::uint64_t joined = transfer->runs.joined, here = p.elements;
  const std::uint64_t fit = std::max<std::uint64_t>(1, room / here);
  const std::uint64_t most = done_rows > 0 || fit < joined
                                 ? std::min(fit, joined - done_rows)
                                 : std::min(fit / joined, params.packet_elements) * joined;
  p.runs = static_cast<std::uint32_t>(std::min(most * transfer->parts, last_unit - unit));
  p.part = static_cast<std::uint32_t>(most * here);
  p.elements *= p.runs;
}

DmaPacket part_of(const DmaPacket& packet, bool last) {
  const std::uint32_t row = packet.elements / packet.runs, others = (packet.parts() - 1) * packet.part;
  DmaPacket p = packet;
  p.elements = last ? packet.elements - others : packet.part;
  p.runs = packet.runs == 1 ? 1 : p.elements / row;
  p.starts = p.runs;
  p.last = packet.last && last;
  return p;
}

// A packet of the runtime has 4 KiB of all sources together. A collective core's descriptors are prebuilt,
// one for each source, so each of them has the full payload.
std::uint64_t packet_room(const Transfer& transfer, const DmaParams& params) {
  const std::uint64_t sharing = transfer.collective ? 1 : transfer.request.sources.size();
  return std::max<std::uint64_t>(1, params.packet.count / (transfer.element * sharing));
}

DmaPacket Share::next_packet(const DmaParams& params) const {
  DmaPacket p;
  p.unit = unit;
  if (unit == last_unit) {  // an empty share still writes its semaphore
    p.last = true;
    return p;
  }
  const Runs& runs = transfer->runs;
  const std::uint64_t room = packet_room(*transfer, params);
  const std::uint64_t here = runs.elements_of(unit);
  const auto joined = static_cast<std::uint32_t>(runs.joined);
  p.from_element = done_elements;
  p.part = static_cast<std::uint32_t>(room);
  p.elements = static_cast<std::uint32_t>(std::min(room * transfer->parts, here - done_elements));
  if (done_elements == 0 && here <= room && runs.pieces == 1) take_rows(p, room, params);
  const bool begins = done_elements == 0 && done_rows == 0;
  if (begins || transfer->collective) p.starts = (p.runs + joined - 1) / joined;
  const bool ends_unit = p.runs > 1 || p.from_element + p.elements >= here;
  p.last = ends_unit && unit + p.runs >= last_unit;
  return p;
}

void Share::advance(const DmaPacket& packet) {
  if (unit == last_unit) return;
  const Runs& runs = transfer->runs;
  done_elements += packet.elements;
  if (packet.runs == 1 && done_elements < runs.elements_of(unit)) return;
  unit += packet.runs;
  done_elements = 0;
  if (runs.joined > 1) done_rows = static_cast<std::uint32_t>((done_rows + packet.runs) % runs.joined);
}

PacketShape shape_of(const Transfer& transfer, const DmaPacket& packet, const DmaParams& params) {
  const TransferRequest& request = transfer.request;
  const isa::Descriptor& d = request.descriptor();
  const Runs& runs = transfer.runs;
  PacketShape shape;
  shape.rows = packet.elements == 0 ? 0 : packet.runs;
  shape.read_semaphore = packet.last && request.notify_read.has_value();
  if (packet.elements == 0) return shape;  // an empty share writes its semaphore
  shape.row_bytes = static_cast<std::uint32_t>(packet.elements / packet.runs * transfer.element);
  shape.starts = packet.starts;
  shape.joined = static_cast<std::uint8_t>(runs.joined);
  shape.semaphore = packet.last && request.notify.has_value();
  shape.dram_to_dram = d.src.space == isa::Space::kHbm && d.dst.space == isa::Space::kHbm;
  shape.accumulate = d.accumulate && !(params.adds_in_sbuf && d.dst.space == isa::Space::kSbuf);
  shape.sources = static_cast<std::uint8_t>(request.sources.size());
  if (request.transposes)
    shape.throughput_percent = static_cast<std::uint8_t>(
        d.src.space == isa::Space::kHbm ? params.transpose_from_hbm : params.transpose_on_chip);
  return shape;
}

std::uint64_t address_of(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                         const DmaPacket& p) {
  if (p.elements == 0) return base;  // for an engine without a share: it owns no row
  const Runs& runs = transfer.runs;
  const std::uint64_t element = (p.unit % runs.pieces) * runs.piece_elements + p.from_element;
  return base +
         static_cast<std::uint64_t>(byte_offset(transfer.request, side, runs, p.unit / runs.pieces, element));
}

// Only whole runs share a packet, so its rows are units. They are spaced by the stride of the innermost
// dimension that enumerates them, until that dimension restarts or row numbers determine the address.
void describe_rows(sim::RowPattern& rows, const Transfer& transfer, const isa::DmaSide& side,
                   const DmaPacket& p) {
  const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
  rows.start(p.elements / p.runs * static_cast<std::uint32_t>(size));
  if (p.runs == 1) return;
  const TransferRequest& request = transfer.request;
  const unsigned inner = transfer.runs.outer - 1;
  const bool numbered = request.indirect != isa::Indirection::kNone && inner == 0;
  const std::uint64_t count = numbered ? 1 : request.descriptor().count[inner];
  const auto place = [&](std::uint64_t row) { return byte_offset(request, side, transfer.runs, row, 0); };
  const std::uint64_t end = p.unit + p.runs;
  for (std::uint64_t row = p.unit;;) {
    const std::uint64_t alike = std::min(end - 1 - row, count - 1 - row % count);
    rows.add(static_cast<std::uint32_t>(alike), side.stride[inner] * size);
    row += alike;
    if (row + 1 == end) return;
    rows.add(1, place(row + 1) - place(row));
    ++row;
  }
}

}  // namespace tahoma::model
