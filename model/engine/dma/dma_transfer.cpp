// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_transfer.h"

#include <algorithm>

#include "model/sim/semaphores.h"

namespace tahoma::model {

namespace {

// The byte range of an HBM side, relative to its base address: strides may be negative.
struct Extent {
  std::uint64_t before = 0, from_base = 0;
};
Extent extent(const isa::Descriptor& d, const isa::DmaSide& side, std::size_t first_dimension) {
  std::int64_t lowest = 0, highest = 0;
  for (std::size_t i = first_dimension; i < isa::kFreeDims; ++i) {
    const std::int64_t reach = (std::int64_t{d.count[i]} - 1) * side.stride[i];
    (reach < 0 ? lowest : highest) += reach;
  }
  const std::uint64_t element = isa::size_of(side.dtype);
  return {static_cast<std::uint64_t>(-lowest) * element, (static_cast<std::uint64_t>(highest) + 1) * element};
}

void check_side(const TransferRequest& request, std::size_t operand, const sim::BackdoorIf& hbm) {
  const isa::DmaSide& side = request.side(operand);
  if (side.space != isa::Space::kHbm) return;
  const std::uint64_t base = request.address(operand);
  const bool by_number = request.indirect != isa::Indirection::kNone;
  const Extent e = extent(request.descriptor(), side, by_number ? 1 : 0);
  if (!by_number) return hbm.check(base - e.before, e.before + e.from_base);
  const std::int64_t pitch = side.stride[0] * static_cast<std::int64_t>(isa::size_of(side.dtype));
  for (const isa::IndirectRow& row : request.rows)
    hbm.check(base + static_cast<std::uint64_t>(row.number * pitch) - e.before, e.before + e.from_base);
}

bool is_collective(isa::Queue queue) { return queue == isa::Queue::kCc0 || queue == isa::Queue::kCc1; }

// A number of consecutive engines from the first on, modulo all engines.
struct Engines {
  unsigned first, count;
};
Engines engines_of(isa::Queue queue, const DmaParams& params) {
  if (!is_collective(queue)) return {0, isa::kDmaEngines};
  const auto count = static_cast<unsigned>(params.collective_engines);
  return {queue == isa::Queue::kCc0 ? 0 : count, count};
}

std::uint64_t largest_element(const TransferRequest& request) {
  std::uint64_t bytes = 0;
  for (std::size_t operand = 0; operand <= request.destination(); ++operand)
    bytes = std::max<std::uint64_t>(bytes, isa::size_of(request.side(operand).dtype));
  return bytes;
}

bool is_far(const TransferRequest& request, std::size_t operand, std::uint32_t chip) {
  return request.side(operand).space == isa::Space::kHbm && !on_chip(request.address(operand), chip);
}

// An accumulation reads its destination, too.
bool reads_far(const TransferRequest& request, std::uint32_t chip) {
  const std::size_t end = request.destination() + (request.descriptor().accumulate ? 1 : 0);
  for (std::size_t operand = 0; operand < end; ++operand)
    if (is_far(request, operand, chip)) return true;
  return false;
}

}  // namespace

void check_sides(const TransferRequest& request, const sim::BackdoorIf& hbm) {
  check_side(request, request.destination(), hbm);
  for (std::size_t s = 0; s < request.sources.size(); ++s) check_side(request, s, hbm);
}

Transfer transfer_of(const TransferRequest& request, std::uint32_t chip, const DmaParams& params) {
  const Engines engines = engines_of(request.queue, params);
  Transfer t{.request = request,
             .runs = runs_of(request, params, engines.count),
             .element = largest_element(request),
             .remote = is_far(request, request.destination(), chip),
             .reads_far = reads_far(request, chip),
             .first_engine = engines.first,
             .to_issue = engines.count,
             .shares_left = engines.count,
             .collective = is_collective(request.queue)};
  if (t.collective && t.runs.joined == 1)
    t.parts = std::max<std::uint64_t>(
        1, params.collective_packet.count / (params.packet.count * request.sources.size()));
  for (std::optional<sim::Notify>* notify : {&t.request.notify, &t.request.notify_read}) {
    if (!*notify) continue;
    (*notify)->over_link = t.far();
    if (static_cast<sim::Change>((*notify)->change) != sim::Change::kSet)
      (*notify)->value *= isa::kDmaEngines / engines.count;
  }
  return t;
}

void Transfer::note_reads(std::uint64_t elements) {
  std::vector<base::HbmRead>& more = activity.more_reads;
  std::size_t n = 0;
  request.for_each_hbm_read([&](std::size_t operand) {
    if (n > more.size()) more.push_back({static_cast<std::uint32_t>(operand), 0, request.address(operand)});
    if (n > 0) more[n - 1].bytes += elements * isa::size_of(request.side(operand).dtype);
    ++n;
  });
}

void Transfer::record_packet(const base::PacketActivity& packet) {
  base::TransferActivity& a = activity;
  if (a.start == base::kNever) {
    a.core = packet.core;
    a.ring = packet.ring;
    a.queue = packet.queue;
    a.index = packet.index;
    a.cause = request.cause;
    a.rung = request.rung;
    a.reads_far = reads_far;
    a.writes_far = remote;
  }
  if (packet.bytes > 0) {
    ++a.packets;
    a.read_address = packet.read_address;
    a.write_address = packet.write_address;
    if (request.sources.size() > 1 || request.descriptor().accumulate) note_reads(packet.bytes / element);
  }
  a.bytes += packet.bytes;
  a.read_bytes += packet.read_bytes;
  a.write_bytes += packet.write_bytes;
  a.busy += packet.busy;
  a.blocked += packet.blocked;
  a.starved += packet.starved;
  if (packet.write_done >= a.end)
    a.held = packet.write_done > a.end ? packet.held : std::max(a.held, packet.held);
  a.issued = std::min(a.issued, packet.issued);
  a.start = std::min(a.start, packet.start);
  a.read_done = std::max(a.read_done, packet.read_done);
  a.end = std::max(a.end, packet.write_done);
}

}  // namespace tahoma::model
