// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_stack.h"

#include <algorithm>

#include "isa/core/program.h"
#include "model/memory/hbm/dram_report.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// The tag of segments that are not reported.
constexpr std::uint32_t kNobodyWaits = ~0U;
// The shortest interval, for networks without latency.
constexpr Duration kLeastSlack{1'000'000};

}  // namespace

DramStack::DramStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults)
    : HbmStack(name, faults.capacity(around.params)),
      params_(around.params),
      design_(faults.rate < 1 ? design_of(around.params, faults.rate) : around.design),
      slack_(std::max(around.slack, kLeastSlack)),
      meter_(around.meter),
      faults_(faults),
      access_(*design_, faults.failed()),
      errors_(faults.correctable_errors, error_seed(this->name()), design_->organisation.channels) {
  for (std::uint32_t c = 0; c < design_->organisation.channels; ++c) {
    StackChannel entry;
    entry.channel = std::make_unique<dram::Channel>(design_->organisation, design_->timing, design_->policy);
    stack_channels_.push_back(std::move(entry));
  }
  due_.assign(stack_channels_.size(), base::kNever);
}

tlm::tlm_sync_enum DramStack::request(int initiator, sim::Payload& payload, Duration ahead) {
  count(payload);
  DramRequest r;
  r.payload = &payload;
  r.initiator = initiator;
  r.start = sim::now() + ahead;
  r.needed = sim::info_of(payload).needed;
  const std::uint32_t index = requests_.keep(r);
  if (!submit(requests_[index], index)) return tlm::TLM_ACCEPTED;
  answer_write(requests_[index], Duration{0});
  requests_.forget(index);
  return tlm::TLM_COMPLETED;
}

// Returns true for a write that every channel accepts on arrival; it needs no further report.
bool DramStack::submit(DramRequest& r, std::uint32_t tag) {
  const sim::PacketInfo& info = sim::info_of(*r.payload);
  const std::uint64_t offset = isa::GlobalAddress::from(r.payload->get_address()).offset;
  const dram::Tick arrival = design_->timing.clock.at_or_after(r.start).count;
  auto& parts = access_.parts(offset, info.rows, r.payload->is_write());
  for (DramAccess::Part& part : parts) {
    StackChannel& entry = stack_channels_[part.channel];
    dram::Segment& segment = part.segment;
    segment.arrival = arrival;
    segment.order = info.source_core << 4 | info.engine;
    (segment.write ? entry.counted.write_bytes : entry.counted.read_bytes) +=
        std::uint64_t{segment.accesses} * design_->organisation.access_bytes;
    if (repeat_errors(errors_, *design_, part.channel, segment, entry.counted, counted_)) r.corrected = true;
  }
  r.left = static_cast<std::uint32_t>(parts.size());
  const bool sure = r.payload->is_write() && surely_enter(parts);
  for (DramAccess::Part& part : parts) {
    StackChannel& entry = stack_channels_[part.channel];
    part.segment.tag = sure ? kNobodyWaits : tag;
    entry.channel->submit(part.segment);
    if (sure) continue;
    if (part.segment.write) {  // it may enter on arrival
      ++entry.waiting_writes;
      poll_by(part.channel, r.start + slack_);
      continue;
    }
    if (entry.readers.empty() || entry.readers.back().request != tag)
      entry.readers.push_back({tag, 0, r.needed});
    ++entry.readers.back().segments;
    // The accesses of a read pass the pins one after the other.
    const Time passed = edge(arrival + entry.channel->passing_time(part.segment.accesses));
    poll_by(part.channel, std::max(passed + slack_, r.needed));
  }
  return sure;
}

bool DramStack::surely_enter(const std::vector<DramAccess::Part>& parts) {
  const auto fit = [&](StackChannel& entry, std::uint32_t channel) {
    std::uint32_t accesses = 0;
    for (const DramAccess::Part& part : parts)
      if (part.channel == channel) accesses += part.segment.accesses;
    return entry.channel->write_surely_enters(accesses);
  };
  return std::all_of(parts.begin(), parts.end(), [&](const DramAccess::Part& part) {
    StackChannel& entry = stack_channels_[part.channel];
    if (fit(entry, part.channel)) return true;
    advance_channel(entry, past(sim::now()));
    return fit(entry, part.channel);
  });
}

void DramStack::wake_at(Time when, std::size_t entry) {
  if (when >= next_wake_) return;
  next_wake_ = when;
  next_queried_ = stack_channels_[entry].channel->location();
  wake_.at(when);
}

void DramStack::fetch() const {
  dram::fetch(due_.data(), due_.data() + due_.size());
  if (next_queried_.channel != nullptr) next_queried_.fetch();
}

void DramStack::wake() {
  meter_.guard(name(), [this] { poll(); });
}

void DramStack::poll_by(std::uint32_t entry, Time when) {
  due_[entry] = std::min(due_[entry], when);
  wake_at(when, entry);
}

void DramStack::poll() {
  ++meter_.memory_activations;
  next_wake_ = base::kNever;
  const Time now = sim::now();
  const dram::Tick until = past(now);
  for (std::size_t n = 0; n < stack_channels_.size(); ++n) {
    if (due_[n] > now) continue;
    advance_channel(stack_channels_[n], until);
    due_[n] = next_poll(stack_channels_[n], now);
  }
  const auto next = std::min_element(due_.begin(), due_.end());
  if (*next != base::kNever) wake_at(*next, static_cast<std::size_t>(next - due_.begin()));
  requests_.answer_all([this](const DramRequest& r) { answer(r); });
}

Time DramStack::next_poll(const StackChannel& entry, Time now) const {
  if (entry.waiting_writes > 0) return now + slack_;
  if (entry.readers.empty()) return base::kNever;
  Time needed = base::kNever;
  for (const Reader& reader : entry.readers) needed = std::min(needed, reader.needed);
  return std::max(std::max(now, edge(entry.channel->earliest_read_end())) + slack_, needed);
}

void DramStack::advance_channel(StackChannel& entry, dram::Tick until) {
  if (until <= entry.decided) return;
  entry.channel->fetch();
  const dram::Tick data = entry.channel->tally().data;
  entry.channel->advance(until);
  const auto pins = static_cast<std::int64_t>(stack_channels_.size() * design_->organisation.pseudo_channels);
  series_.add_share(edge(entry.decided), edge(until), {edge(entry.channel->tally().data - data).fs / pins});
  entry.decided = until;
  for (const dram::Done& done : entry.channel->finished())
    if (done.tag != kNobodyWaits) segment_over(entry, done);
  entry.channel->finished().clear();
}

void DramStack::segment_over(StackChannel& entry, const dram::Done& done) {
  if (done.write) {
    --entry.waiting_writes;
  } else {
    const auto reader = std::find_if(entry.readers.begin(), entry.readers.end(),
                                     [&](const Reader& each) { return each.request == done.tag; });
    if (--reader->segments == 0) entry.readers.erase(reader);
  }
  requests_.segment_over(done);
}

void DramStack::answer(const DramRequest& r) {
  if (r.payload->is_read()) {
    sim::PacketInfo& info = sim::info_of(*r.payload);
    info.first = edge(r.first);
    info.last = edge(r.last) + (r.corrected ? params_.dram.correction : Duration{0});
    reads_.add(info.last - r.start);
  } else {
    // Before the next edge of the command clock no request has been delayed.
    const bool waited = r.last > design_->timing.clock.at_or_after(r.start).count;
    answer_write(r, waited ? edge(r.last) - r.start : Duration{0});
  }
  TAHOMA_INVARIANT(std::max(edge(r.last) + slack_, r.needed) >= sim::now(),
                   std::string(name()) + ": an answer comes late");
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  port[r.initiator]->nb_transport_bw(*r.payload, phase, delay);
}

void DramStack::answer_write(const DramRequest& r, Duration waited) {
  sim::PacketInfo& info = sim::info_of(*r.payload);
  info.held += waited;
  info.last = std::max(info.last, r.start + waited);
  writes_.add(waited);
}

base::HbmMeasurement DramStack::measure(Duration elapsed) {
  for (StackChannel& entry : stack_channels_) advance_channel(entry, past(elapsed));
  base::HbmMeasurement m = counted();
  m.peak = params_.bandwidth;
  m.series = series_.series();
  m.reads = reads_.measure();
  m.writes = writes_.measure();
  std::vector<CountedChannel> channels;
  for (const StackChannel& entry : stack_channels_)
    channels.push_back({entry.counted, entry.channel->tally()});
  add_channels(channels, *design_, faults_, elapsed, m);
  return m;
}

}  // namespace tahoma::model
