// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/ring/ring_lock_step.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::rtl {
namespace {

std::string text_of(const RingPacket& p) {
  return fmt::format("unit {} from {}, {} elements, {} runs{}{}", p.unit, p.from, p.elements, p.runs,
                     p.begins ? ", begins" : "", p.last ? ", last" : "");
}

std::string text_of(const RingPost& p) {
  return fmt::format("semaphore {}, change {} by {}", p.flag, p.change, p.value);
}

template <class Event>
std::string text_of(const char* what, bool there, const Event& event) {
  return there ? fmt::format("{} {}", what, text_of(event)) : fmt::format("{} nothing", what);
}

void keep_event(std::deque<std::string>& history, std::string event) {
  constexpr std::size_t kHistory = 12;
  if (history.size() == kHistory) history.pop_front();
  history.push_back(std::move(event));
}

}  // namespace

std::int64_t ring_latency(const model::DmaParams& params) {
  const base::Clock clock(params.clock);
  return std::max<std::int64_t>(1, clock.nearest(model::semaphore_visible(base::Time{0}, params)).count);
}

RingLockStep::RingLockStep(RingPins& pins, const model::DmaParams& params, std::string place)
    : pins_(pins), params_(params), law_(params, ring_latency(params)), place_(std::move(place)) {
  reset(params);
}

void RingLockStep::reset(const model::DmaParams& params) {
  pins_.in = RingInputs{};
  pins_.in.rst = true;
  pins_.in.cfg_element_overhead = static_cast<std::uint8_t>(params.element_overhead.count);
  pins_.in.cfg_packet_overhead = static_cast<std::uint8_t>(params.packet_overhead.count);
  pins_.in.cfg_semaphore = static_cast<std::uint8_t>(params.semaphore_element.count);
  pins_.in.cfg_latency = static_cast<std::uint8_t>(ring_latency(params));
  for (int n = 0; n < 2; ++n) {
    pins_.settle();
    pins_.clock();
  }
  pins_.in.rst = false;
}

void RingLockStep::write(const model::Share& share) {
  const auto descriptor = descriptor_of(share, params_);
  TAHOMA_INVARIANT(descriptor && !pins_.in.write, place_ + ": not a descriptor for a ring");
  pins_.in.write = true;
  pins_.in.descriptor = *descriptor;
  law_.write(share);
  ++descriptors_;
}

void RingLockStep::doorbell(unsigned descriptors) {
  pins_.in.doorbell = true;
  pins_.in.rung = static_cast<std::uint8_t>(descriptors);
  law_.doorbell(descriptors);
}

void RingLockStep::written() {
  pins_.in.written = true;
  law_.written();
}

RingLaw::Decision RingLockStep::step(bool ready) {
  pins_.in.ready = ready;
  pins_.settle();
  const RingLaw::Decision law = law_.step(ready);
  remember(law);
  compare(law);
  pins_.clock();
  pins_.in.write = pins_.in.doorbell = pins_.in.written = false;
  if (law.issue) ++packets_;
  ++cycle_;
  return law;
}

void RingLockStep::remember(const RingLaw::Decision& law) {
  if (law.issue) keep_event(by_law_, fmt::format("cycle {}: issues {}", cycle_, text_of(*law.issue)));
  if (law.post) keep_event(by_law_, fmt::format("cycle {}: changes {}", cycle_, text_of(*law.post)));
  if (pins_.out.issue)
    keep_event(by_gates_, fmt::format("cycle {}: issues {}", cycle_, text_of(pins_.out.packet)));
  if (pins_.out.post)
    keep_event(by_gates_, fmt::format("cycle {}: changes {}", cycle_, text_of(pins_.out.posted)));
}

void RingLockStep::compare(const RingLaw::Decision& law) const {
  const RingOutputs& gates = pins_.out;
  if (law.room != gates.room)
    differ(fmt::format("the ring has {} room, by the law {}", gates.room ? "some" : "no",
                       law.room ? "some" : "no"));
  if (law.issue.has_value() != gates.issue || (law.issue && *law.issue != gates.packet))
    differ(fmt::format("the law {}, the ring {}",
                       text_of("issues", law.issue.has_value(), law.issue.value_or(RingPacket{})),
                       text_of("issues", gates.issue, gates.packet)));
  if (law.post.has_value() != gates.post || (law.post && *law.post != gates.posted))
    differ(fmt::format("the law {}, the ring {}",
                       text_of("changes", law.post.has_value(), law.post.value_or(RingPost{})),
                       text_of("changes", gates.post, gates.posted)));
}

void RingLockStep::check(const RingPacket& issued, const model::DmaPacket& engines) const {
  const RingPacket expected = packet_of(engines);
  if (issued != expected)
    differ(fmt::format("the engine issues {}, the ring {}", text_of(expected), text_of(issued)));
}

void RingLockStep::differ(const std::string& what) const {
  std::string text =
      fmt::format("after {} equal packets the ring in SystemVerilog differs from the law: cycle {}: {}",
                  packets_, cycle_, what);
  for (const auto& [name, history] : {std::pair("law", &by_law_), std::pair("SystemVerilog", &by_gates_)}) {
    text += fmt::format("\n  {}:", name);
    for (const std::string& event : *history) text += "\n    " + event;
  }
  throw base::UserError("E-RTL-002", place_, text, base::ExitStatus::kCheckFailed);
}

}  // namespace tahoma::rtl
