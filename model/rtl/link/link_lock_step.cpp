// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/link/link_lock_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/link/link_params.h"

namespace tahoma::rtl {
namespace {

constexpr std::size_t kHistory = 12;
// The path from a free buffer to the credit's cycle has the register of the receiving end and the wire; one
// more cycle because the cycle in which the buffer became free may be over; and one for rounded edges.
constexpr std::int64_t kCreditSlack = SteppedLink::kTelling + 2;

std::int64_t flight_of(const model::PortSite& site) {
  return (site.clock.at_or_after(site.params.wire + base::Duration{1}).count - 1) - kCreditSlack;
}

void refuse_port(const char* path, const std::string& text) {
  throw base::UserError("E-CFG-020", path, text + " (machine.link.port.model: rtl)");
}

// The sizes for which the SystemVerilog is built.
std::int64_t checked_flight(const model::PortSite& site) {
  const model::LinkParams& p = site.params;
  const std::uint64_t room = p.buffer.count / kLinkWord, frame = p.packet.count / kLinkWord + 1;
  if (p.port.word.count != kLinkWord)
    refuse_port("machine.link.port.word", fmt::format("expected {} B", kLinkWord));
  if (p.header.count != kLinkHeader)
    refuse_port("machine.link.header", fmt::format("expected {} B", kLinkHeader));
  if (p.packet.count % kLinkWord != 0) refuse_port("machine.link.packet", "expected whole words");
  if (p.vcs > kLinkVcs) refuse_port("machine.link.vcs", fmt::format("expected at most {}", kLinkVcs));
  if (p.adaptive()) refuse_port("machine.link.routing", "expected dimension_order");
  if (!site.clock.runs()) refuse_port("machine.link", "expected links that are not ideal");
  if (room > 0xFFFF)
    refuse_port("machine.link.buffer", fmt::format("expected at most {} B", 0xFFFF * kLinkWord));
  if (site.buffers > kLinkRequesters)
    refuse_port("machine.link.vcs", fmt::format("{} buffers at {}; expected at most {}", site.buffers,
                                                site.path, kLinkRequesters));
  const std::int64_t flight = flight_of(site);
  if (flight < 1) refuse_port("machine.link.wire", "expected at least 5 cycles of a link's clock");
  if (2 * static_cast<std::uint64_t>(flight) + 2 * frame + 16 >= kLinkRetryWords)
    refuse_port("machine.link.wire",
                fmt::format("a round trip and two packets of {} words do not fit {} words that wait to "
                            "be acknowledged",
                            frame, kLinkRetryWords));
  return flight;
}

LinkSettings settings_of(const model::LinkParams& p, std::int64_t flight) {
  LinkSettings s;
  s.room.fill(static_cast<std::uint16_t>(p.buffer.count / kLinkWord));
  s.frame_words = static_cast<std::uint16_t>(p.packet.count / kLinkWord);
  s.timeout = 0xFFFF;
  s.flight = flight;
  return s;
}

LinkInfo info_of(const sim::PacketInfo& p) {
  return {p.from_chip, p.to_chip, p.sequence, p.tag, p.carried, p.source_core << 8 | p.engine};
}

std::string info_text(const LinkInfo& i) {
  return fmt::format("{:x}.{:x}.{:x}.{:x}.{:x}.{:x}", i[0], i[1], i[2], i[3], i[4], i[5]);
}

}  // namespace

LinkLockStep::LinkLockStep(const model::PortSite& site, std::unique_ptr<LinkPins> pins)
    : path_(site.path),
      params_(site.params),
      clock_(site.clock),
      flight_(checked_flight(site)),
      frame_words_(settings_of(site.params, flight_).frame_words),
      waves_from_(clock_.at_or_after(params_.port.waves.from).count),
      waves_until_(clock_.at_or_after(params_.port.waves.until).count),
      pins_(std::move(pins)),
      link_(*pins_, settings_of(site.params, flight_)) {
  if (params_.port.waves.wanted()) open_waves(*pins_, params_.port.waves.folder, path_);
}

void LinkLockStep::asked(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet,
                         base::Time head) {
  LinkMessage message;
  message.number = asked_++;
  message.vc = vc;
  message.words = static_cast<std::uint16_t>(params_.on_wire(packet.carried).count / kLinkWord);
  message.info = info_of(packet);
  asks_.emplace(clock_.at_or_after(head).count, Asked{buffer, message});
}

void LinkLockStep::credited(std::uint8_t vc, std::uint64_t bytes, base::Time when) {
  const std::int64_t free = clock_.at_or_after(when).count - flight_ - SteppedLink::kTelling;
  TAHOMA_INVARIANT(free >= link_.cycle(), path_ + ": credit for a cycle that is over");
  frees_.emplace(free, Freed{vc, static_cast<std::uint16_t>(bytes / kLinkWord)});
}

// Drives the events of the coming cycle.
void LinkLockStep::drive() {
  const std::int64_t now = link_.cycle();
  for (; !asks_.empty() && asks_.begin()->first <= now; asks_.erase(asks_.begin()))
    link_.ask(asks_.begin()->second.buffer, asks_.begin()->second.message);
  for (; !frees_.empty() && frees_.begin()->first <= now; frees_.erase(frees_.begin()))
    link_.free(frees_.begin()->second.vc, frees_.begin()->second.words);
}

SteppedLink::Step LinkLockStep::advance() {
  drive();
  const std::int64_t now = link_.cycle();
  if (params_.port.waves.wanted()) pins_->show_waves(now >= waves_from_ && now < waves_until_);
  SteppedLink::Step step = link_.step();
  if (step.grant)
    record_event(rtl_,
                 fmt::format("cycle {}: serves buffer {}, packet {}, {} words, vc {}", link_.cycle() - 1,
                             step.grant->requester, info_text(step.grant->message.info),
                             step.grant->message.words, step.grant->message.vc));
  return step;
}

// The law decided nothing in the earlier cycles.
void LinkLockStep::run_until(std::int64_t cycle) {
  while (link_.cycle() < cycle) {
    if (link_.quiet() && decided_.empty()) {
      std::int64_t next = cycle;
      if (!asks_.empty()) next = std::min(next, asks_.begin()->first);
      if (!frees_.empty()) next = std::min(next, frees_.begin()->first);
      link_.skip_to(std::max(link_.cycle(), next));
      if (link_.cycle() == cycle) return;
    }
    const SteppedLink::Step step = advance();
    if (step.grant)
      differ(fmt::format("cycle {}: the port serves buffer {}, the law none", link_.cycle() - 1,
                         step.grant->requester));
    if (step.word) check_word();
    check_arrival(step.arrival);
  }
}

void LinkLockStep::sent(std::uint32_t buffer, base::Time start, base::Time end,
                        std::span<const std::uint64_t> rooms) {
  const std::int64_t now = clock_.at_or_after(start).count;
  run_until(now);
  const SteppedLink::Step step = advance();
  const std::uint64_t number = sent_++;
  record_event(law_, fmt::format("cycle {}: packet {} of this port: serves buffer {}, until {}", now, number,
                                 buffer, clock_.at_or_after(end).count));
  if (!step.grant) differ(fmt::format("cycle {}: the law serves buffer {}, the port none", now, buffer));
  if (step.grant->requester != buffer)
    differ(fmt::format("cycle {}: the law serves buffer {}, the port buffer {}", now, buffer,
                       step.grant->requester));
  for (std::size_t vc = 0; vc < rooms.size(); ++vc)
    if (rooms[vc] / kLinkWord != step.grant->room[vc])
      differ(fmt::format(
          "cycle {}: virtual channel {} has room for {} words by the law, {} by the port's credits", now, vc,
          rooms[vc] / kLinkWord, step.grant->room[vc]));
  decided_.push_back({step.grant->message, number, now, clock_.at_or_after(end).count});
  if (step.word) check_word();
  check_arrival(step.arrival);
}

// A word is on the wire: checks its packet and its time.
void LinkLockStep::check_word() {
  const std::int64_t now = link_.cycle() - 1;
  if (on_wire_ == decided_.size())
    differ(fmt::format("cycle {}: a word on the wire belongs to no packet", now));
  const Decided& d = decided_[on_wire_];
  ++words_;
  if (words_ == 1 && now != d.first_word())
    differ(fmt::format("cycle {}: first word of packet {}; by the law {}", now, d.number, d.first_word()));
  if (words_ < d.message.words) return;
  if (now != d.last_word())
    differ(fmt::format("cycle {}: last word of packet {}; by the law {}", now, d.number, d.last_word()));
  record_event(rtl_, fmt::format("cycle {}: last word of packet {}", now, d.number));
  words_ = 0;
  ++on_wire_;
}

void LinkLockStep::check_arrival(const std::optional<LinkArrival>& arrival) {
  if (decided_.empty() && !arrival) return;
  const std::int64_t now = link_.cycle() - 1;
  if (decided_.empty()) differ(fmt::format("cycle {}: a packet arrives that was not sent", now));
  const Decided& d = decided_.front();
  const std::int64_t due = d.last_word() + flight_ + SteppedLink::kReceiving;
  if (!arrival) {
    if (now >= due) differ(fmt::format("cycle {}: packet {} did not arrive", now, d.number));
    return;
  }
  record_event(rtl_, fmt::format("cycle {}: packet {} arrives", now, info_text(arrival->header.info)));
  if (now != due) differ(fmt::format("cycle {}: packet {} arrives; by the law {}", now, d.number, due));
  if (arrival->header.info != d.message.info || arrival->header.vc != d.message.vc ||
      arrival->words != d.message.words)
    differ(
        fmt::format("cycle {}: packet {} arrives as {}, {} words, vc {}; it was sent as {}, {} words, vc {}",
                    now, d.number, info_text(arrival->header.info), arrival->words, arrival->header.vc,
                    info_text(d.message.info), d.message.words, d.message.vc));
  if (arrival->digest != link_digest(d.message, frame_words_))
    differ(fmt::format("cycle {}: packet {} arrives with data that differ from those sent", now, d.number));
  decided_.pop_front();
  --on_wire_;
  ++arrived_;
}

void LinkLockStep::ended() {
  while (!decided_.empty()) run_until(link_.cycle() + 1);
}

void LinkLockStep::record_event(std::deque<std::string>& history, std::string event) {
  if (history.size() == kHistory) history.pop_front();
  history.push_back(std::move(event));
}

void LinkLockStep::differ(const std::string& what) const {
  std::string text = fmt::format("after {} equal packets the port in SystemVerilog differs from the law: {}",
                                 arrived_, what);
  for (const auto& [name, history] : {std::pair("law", &law_), std::pair("SystemVerilog", &rtl_)}) {
    text += fmt::format("\n  {}:", name);
    for (const std::string& event : *history) text += "\n    " + event;
  }
  throw base::UserError("E-RTL-002", path_, text, base::ExitStatus::kCheckFailed);
}

}  // namespace tahoma::rtl
