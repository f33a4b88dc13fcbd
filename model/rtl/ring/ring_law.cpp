// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/ring/ring_law.h"

#include <algorithm>
#include <bit>

namespace tahoma::rtl {
namespace {

constexpr std::uint64_t kMostCount = (1U << 24) - 1, kMostSmall = 255;

std::optional<RingPost> post_of(const model::TransferRequest& request) {
  if (!request.notify) return std::nullopt;
  return RingPost{request.notify->semaphore, request.notify->change, request.notify->value};
}

}  // namespace

std::optional<RingDescriptor> descriptor_of(const model::Share& share, const model::DmaParams& params) {
  const model::Transfer& t = *share.transfer;
  const model::TransferRequest& request = t.request;
  const model::Runs& runs = t.runs;
  const std::uint64_t sources = request.sources.size();
  const std::uint64_t room = std::max<std::uint64_t>(1, params.packet.count / (t.element * sources));
  const std::uint64_t fit = std::max<std::uint64_t>(1, room / runs.run_elements);
  const std::uint64_t whole = std::min(fit / runs.joined, params.packet_elements) * runs.joined;
  const std::uint64_t first_piece = share.unit % runs.pieces;
  for (const std::uint64_t count :
       {share.last_unit, runs.run_elements, runs.piece_elements * runs.pieces, room, fit, whole})
    if (count > kMostCount) return std::nullopt;
  if (request.transposes || t.collective || t.parts != 1 || !std::has_single_bit(t.element))
    return std::nullopt;
  if (runs.pieces > kMostSmall || runs.joined > kMostSmall || sources > kMostSmall || t.element > 8)
    return std::nullopt;
  RingDescriptor d;
  if (const auto post = post_of(request)) {
    d.notify = true;
    d.flag = post->flag;
    d.change = post->change;
    d.value = post->value;
  }
  d.notify_read = request.notify_read.has_value();
  d.accumulate = request.descriptor().accumulate;
  d.size = static_cast<std::uint8_t>(std::countr_zero(t.element));
  d.joined = static_cast<std::uint8_t>(runs.joined);
  d.sources = static_cast<std::uint8_t>(sources);
  d.pieces = static_cast<std::uint8_t>(runs.pieces);
  d.first_piece = static_cast<std::uint8_t>(first_piece);
  d.run = static_cast<std::uint32_t>(runs.run_elements);
  d.fit = static_cast<std::uint32_t>(fit);
  d.whole = static_cast<std::uint32_t>(whole);
  d.room = static_cast<std::uint32_t>(room);
  d.piece = static_cast<std::uint32_t>(runs.piece_elements);
  d.first_from = static_cast<std::uint32_t>(first_piece * runs.piece_elements);
  d.unit = static_cast<std::uint32_t>(share.unit);
  d.last_unit = static_cast<std::uint32_t>(share.last_unit);
  return d;
}

RingPacket packet_of(const model::DmaPacket& p) {
  const auto narrow = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  return {narrow(p.unit), narrow(p.from_element), p.elements, p.runs, p.starts > 0, p.last};
}

void RingLaw::write(const model::Share& share) {
  held_.push_back({share, -1});
  wrote_ = true;
}

void RingLaw::doorbell(unsigned descriptors) {
  for (Held& h : held_)
    if (h.known < 0 && descriptors > 0) h.known = cycle_, --descriptors;
}

void RingLaw::written() {
  const auto oldest =
      std::find_if(issued_.begin(), issued_.end(), [](const Issued& i) { return i.leaves < 0; });
  oldest->leaves = cycle_ + latency_;
}

RingPacket RingLaw::issue() {
  model::Share& share = *current_;
  const model::DmaPacket p = share.next_packet(params_);
  const model::PacketShape shape = model::shape_of(*share.transfer, p, params_);
  free_ = cycle_ + std::max<std::int64_t>(1, model::packet_cycles(shape, params_).count);
  issued_.push_back({p.last ? post_of(share.transfer->request) : std::nullopt, -1});
  if (p.last)
    current_.reset();
  else
    share.advance(p);
  return packet_of(p);
}

RingLaw::Decision RingLaw::step(bool ready) {
  Decision d;
  // A descriptor written in this cycle is available from the next one on.
  const auto here = static_cast<unsigned>(held_.size()) - (wrote_ ? 1U : 0U);
  d.room = here < kRingDepth;
  const bool remembers = issued_.size() < kRingPackets;
  if (!issued_.empty() && issued_.front().leaves == cycle_) {
    d.post = issued_.front().post;
    issued_.pop_front();
  }
  if (current_ && cycle_ >= starts_ && cycle_ >= free_ && remembers && ready) d.issue = issue();
  if (!current_ && !held_.empty() && held_.front().known >= 0 && held_.front().known < cycle_) {
    current_ = held_.front().share;
    held_.pop_front();
    starts_ = cycle_ + 1;
  }
  wrote_ = false;
  ++cycle_;
  return d;
}

}  // namespace tahoma::rtl
