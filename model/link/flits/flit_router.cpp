// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_router.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"

namespace tahoma::model {

namespace {

constexpr std::uint8_t kNoBidder = 0xFF;  // machine.link.vcs has at most 16

}  // namespace

FlitRouter::FlitRouter(const Shape& shape, Route route)
    : shape_(shape),
      route_(std::move(route)),
      buffers_(std::size_t{shape.inputs} * shape.vcs),
      channels_(std::size_t{shape.outputs} * shape.vcs, Channel{shape.room}),
      channel_allocator_(shape.inputs * shape.vcs, shape.outputs * shape.vcs),
      switch_allocator_(shape.inputs, shape.outputs),
      turns_(shape.inputs),
      bidders_(std::size_t{shape.inputs} * shape.outputs),
      without_credit_(shape.outputs),
      sent_(shape.outputs) {}

void FlitRouter::arrive(std::uint32_t input, const Flit& flit) {
  Buffer& b = buffer(input, flit.vc);
  TAHOMA_INVARIANT(b.flits.size() < shape_.room, "a flit has arrived without a credit");
  b.flits.push(flit);
  ++flits_;
  if (b.stage != Stage::kIdle) return;
  TAHOMA_INVARIANT(flit.head, "a packet arrives without its head");
  b.stage = Stage::kRoute;
}

void FlitRouter::credit(std::uint32_t output, std::uint8_t vc) {
  Channel& c = channel(output, vc);
  TAHOMA_INVARIANT(c.credits < shape_.room, "more credits than the buffer has room");
  ++c.credits;
}

// The stages see the state before the step: what one of them decides takes effect in the next cycle.
const std::vector<FlitRouter::Departure>& FlitRouter::step() {
  departures_.clear();
  routed_.clear();
  std::fill(bidders_.begin(), bidders_.end(), kNoBidder);
  std::fill(without_credit_.begin(), without_credit_.end(), false);
  for (std::uint32_t input = 0; input < shape_.inputs; ++input) request_all(input);
  const auto& channels = channel_allocator_.allocate();
  const auto& connections = switch_allocator_.allocate();
  for (const std::uint32_t number : routed_) {
    buffers_[number].way = route_(number / shape_.vcs, buffers_[number].flits.front());
    buffers_[number].stage = Stage::kChannel;
  }
  for (const SeparableAllocator::Match& match : channels) take_channel(match);
  for (const SeparableAllocator::Match& match : connections) depart(match);
  advanced_ = !routed_.empty() || !channels.empty() || !connections.empty();
  find_starved();
  return departures_;
}

void FlitRouter::request_all(std::uint32_t input) {
  for (std::uint32_t n = 0; n < shape_.vcs; ++n) {
    const std::uint32_t vc = (turns_[input] + n) % shape_.vcs;
    const Buffer& b = buffer(input, vc);
    if (b.flits.empty()) continue;
    if (b.stage == Stage::kRoute) routed_.push_back(input * shape_.vcs + vc);
    if (b.stage == Stage::kChannel) request_channels(input * shape_.vcs + vc);
    if (b.stage == Stage::kSwitch) request_switch(input, vc);
  }
}

void FlitRouter::request_channels(std::uint32_t number) {
  const FlitWay& way = buffers_[number].way;
  for (std::uint32_t vc = way.first_vc; vc < way.first_vc + way.vcs; ++vc)
    if (!channel(way.port, vc).held) channel_allocator_.request(number, way.port * shape_.vcs + vc);
}

// If several virtual channels of an input have a flit for one output, the first in turn requests it.
void FlitRouter::request_switch(std::uint32_t input, std::uint32_t vc) {
  const Buffer& b = buffer(input, vc);
  if (channel(b.way.port, b.vc).credits == 0) {
    without_credit_[b.way.port] = true;
    return;
  }
  std::uint8_t& bidder = bidders_[input * shape_.outputs + b.way.port];
  if (bidder != kNoBidder) return;
  bidder = static_cast<std::uint8_t>(vc);
  switch_allocator_.request(input, b.way.port);
}

void FlitRouter::take_channel(const SeparableAllocator::Match& match) {
  Buffer& b = buffers_[match.input];
  b.vc = static_cast<std::uint8_t>(match.output % shape_.vcs);
  b.stage = Stage::kSwitch;
  channels_[match.output].held = true;
}

void FlitRouter::depart(const SeparableAllocator::Match& match) {
  const std::uint8_t vc = bidders_[match.input * shape_.outputs + match.output];
  turns_[match.input] = (vc + 1U) % shape_.vcs;
  Buffer& b = buffer(match.input, vc);
  Flit flit = b.flits.front();
  b.flits.pop();
  --flits_;
  flit.vc = b.vc;
  Channel& c = channel(match.output, b.vc);
  --c.credits;
  if (flit.tail) {
    c.held = false;
    b.stage = b.flits.empty() ? Stage::kIdle : Stage::kRoute;
  }
  departures_.push_back({match.input, match.output, vc, flit});
}

void FlitRouter::find_starved() {
  starved_.clear();
  std::fill(sent_.begin(), sent_.end(), false);
  for (const Departure& d : departures_) sent_[d.output] = true;
  for (std::uint32_t output = 0; output < shape_.outputs; ++output)
    if (without_credit_[output] && !sent_[output]) starved_.push_back(output);
}

bool FlitRouter::at_rest() const {
  const auto whole = [this](const Channel& c) { return c.credits == shape_.room && !c.held; };
  return flits_ == 0 && std::all_of(channels_.begin(), channels_.end(), whole);
}

}  // namespace tahoma::model
