// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram_stack.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "isa/program.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Re-reading an access that met an error: a full row cycle of the request's own, besides the second access.
constexpr Duration kCorrection{100'000'000};  // 100 ns, assumed: the controller's retry is not public
// The shortest interval, for networks without latency.
constexpr Duration kLeastSlack{1'000'000};

std::uint64_t seed_of(const std::string& name) {  // FNV-1a: the same on every host
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace

DramStack::DramStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults)
    : HbmStack(name, faults.capacity(around.params)),
      params_(around.params),
      design_(faults.rate < 1 ? design_of(around.params, faults.rate) : around.design),
      slack_(std::max(around.slack, kLeastSlack)),
      meter_(around.meter),
      faults_(faults),
      access_(*design_, faults.failed()),
      random_(seed_of(this->name())) {
  for (std::uint32_t c = 0; c < design_->organisation.channels; ++c) {
    Lane lane;
    lane.channel = std::make_unique<dram::Channel>(design_->organisation, design_->timing, design_->policy);
    lane.until_error = next_error();
    lanes_.push_back(std::move(lane));
  }
  SC_HAS_PROCESS(DramStack);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum DramStack::request(int initiator, sim::Payload& payload, Duration ahead) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(requests_.size());
    requests_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  requests_[index] = {&payload, initiator, sim::now() + ahead, 0, dram::kNoTick, 0, false};
  arriving_.push_back(index);
  book(payload);
  if (next_wake_ == base::kNever || next_wake_ > requests_[index].start + slack_) {
    next_wake_ = requests_[index].start + slack_;
    sim::notify_at(wake_, next_wake_);
  }
  return tlm::TLM_ACCEPTED;
}

void DramStack::book(const sim::Payload& payload) {
  const std::uint32_t core = payload.get_extension<sim::PacketInfo>()->source_core;
  auto user = std::find_if(users_.begin(), users_.end(), [core](const auto& u) { return u.core == core; });
  if (user == users_.end()) user = users_.insert(users_.end(), {core, 0, 0});
  const std::uint64_t bytes = payload.get_data_length();
  (payload.is_read() ? user->read_bytes : user->write_bytes) += bytes;
  (payload.is_read() ? read_bytes_ : write_bytes_) += bytes;
}

void DramStack::wake() {
  meter_.guard(name(), [this] { advance(); });
}

void DramStack::advance() {
  ++meter_.memory_activations;
  next_wake_ = base::kNever;
  const Time now = sim::now();
  // Everything strictly before now, and nothing that a request of this instant could still change.
  const dram::Tick until = design_->timing.clock.at_or_after(now).count - 1;
  take_arrivals(until);
  dram::Tick data = 0;
  for (std::uint64_t left = active_; left != 0; left &= left - 1) {
    const auto c = static_cast<std::size_t>(std::countr_zero(left));
    Lane& lane = lanes_[c];
    data -= lane.channel->tally().data;
    lane.channel->advance(until);
    data += lane.channel->tally().data;
    end_segments(lane);
    if (lane.channel->idle()) active_ &= ~(std::uint64_t{1} << c);
  }
  // The share of the pins, as if at the interval's beginning.
  const auto pins = static_cast<std::int64_t>(lanes_.size() * design_->organisation.pseudo_channels);
  const Time from = woken_;
  woken_ = now;
  series_.add(from, std::min(now, from + Duration{edge(data).fs / pins}));
  for (const std::uint32_t index : over_) answer(index);
  over_.clear();
  schedule();
}

void DramStack::schedule() {
  Time next = active_ != 0 ? sim::now() + slack_ : base::kNever;
  for (const std::uint32_t index : arriving_) next = std::min(next, requests_[index].start + slack_);
  if (next == base::kNever || next >= next_wake_) return;
  next_wake_ = std::max(next, sim::now());
  sim::notify_at(wake_, next_wake_);
}

// Requests of the same instant go by core and engine, whatever the order in which they were announced.
void DramStack::take_arrivals(dram::Tick until) {
  if (arriving_.empty()) return;
  const Time end = edge(until);
  const auto key = [this](std::uint32_t index) {
    const Request& r = requests_[index];
    const sim::PacketInfo& info = sim::info_of(*r.payload);
    return std::make_tuple(r.start, info.source_core, info.engine);
  };
  const auto behind = std::partition(arriving_.begin(), arriving_.end(),
                                     [&](std::uint32_t index) { return requests_[index].start <= end; });
  std::stable_sort(arriving_.begin(), behind,
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::for_each(arriving_.begin(), behind, [this](std::uint32_t index) { begin(index); });
  arriving_.erase(arriving_.begin(), behind);
}

void DramStack::begin(std::uint32_t index) {
  Request& r = requests_[index];
  const sim::PacketInfo& info = sim::info_of(*r.payload);
  const std::uint64_t offset = isa::GlobalAddress::from(r.payload->get_address()).offset;
  const dram::Tick arrival = design_->timing.clock.at_or_after(r.start).count;
  const auto& parts = access_.parts(offset, info.rows, r.payload->is_write());
  r.left = static_cast<std::uint32_t>(parts.size());
  for (const DramAccess::Part& part : parts) {
    Lane& lane = lanes_[part.channel];
    dram::Segment segment = part.segment;
    segment.arrival = arrival;
    segment.tag = index;
    (segment.write ? lane.write_bytes : lane.read_bytes) +=
        std::uint64_t{segment.accesses} * design_->organisation.access_bytes;
    if (meets_error(lane, segment)) r.corrected = true;
    lane.channel->submit(segment);
    active_ |= std::uint64_t{1} << part.channel;
  }
}

void DramStack::end_segments(Lane& lane) {
  for (const dram::Done& done : lane.channel->finished()) {
    Request& r = requests_[done.tag];
    r.first = std::min(r.first, done.first);
    r.last = std::max(r.last, done.last);
    if (--r.left == 0) over_.push_back(done.tag);
  }
  lane.channel->finished().clear();
}

void DramStack::answer(std::uint32_t index) {
  const Request r = requests_[index];
  free_.push_back(index);
  sim::PacketInfo& info = sim::info_of(*r.payload);
  const Duration correction = r.corrected ? kCorrection : Duration{0};
  const Time last = edge(r.last) + correction;
  if (r.payload->is_read()) {
    info.first = edge(r.first);
    info.last = last;
    reads_.add(last - r.start);
  } else {
    // From one edge of the command clock to the next nobody was made to wait.
    const Duration waited =
        r.last <= design_->timing.clock.at_or_after(r.start).count ? Duration{0} : last - r.start;
    info.held += waited;
    info.last = std::max(info.last, r.start + waited);
    writes_.add(waited);
  }
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  port[r.initiator]->nb_transport_bw(*r.payload, phase, delay);
}

}  // namespace tahoma::model
