// SPDX-License-Identifier: Apache-2.0
#include "model/memory/banks/bank_stack.h"

#include <algorithm>

#include "isa/core/program.h"
#include "model/memory/hbm/dram_report.h"

namespace tahoma::model {

using base::Duration, base::Time;

BankStack::BankStack(sc_core::sc_module_name name, const HbmParams& params,
                     std::shared_ptr<const DramDesign> design, const StackFaults& faults)
    : HbmStack(name, faults.capacity(params)),
      params_(params),
      design_(faults.rate < 1 ? design_of(params, faults.rate) : std::move(design)),
      faults_(faults),
      rules_(design_->organisation, design_->timing, design_->policy),
      access_(*design_, faults.failed()),
      errors_(faults.correctable_errors, error_seed(this->name()), design_->organisation.channels) {
  for (std::uint32_t c = 0; c < design_->organisation.channels; ++c)
    stack_channels_.push_back({dram::BankChannel(rules_), {}});
}

tlm::tlm_sync_enum BankStack::request(int, sim::Payload& payload, Duration ahead) {
  count(payload);
  const base::Clock& clock = design_->timing.clock;
  const Time now = sim::now(), start = now + ahead;
  const dram::Tick arrival = clock.at_or_after(start).count;
  const Answer answer =
      time_segments(payload, arrival, ahead.fs == 0 ? arrival : clock.at_or_after(now).count);
  sim::PacketInfo& info = sim::info_of(payload);
  if (payload.is_read()) {
    info.first = edge(answer.first);
    info.last = edge(answer.last) + (answer.corrected ? params_.dram.correction : Duration{0});
    reads_.add(info.last - start);
  } else {
    // Before the next edge of the command clock no request has been delayed.
    const Duration waited = answer.last > arrival ? edge(answer.last) - start : Duration{0};
    info.held += waited;
    info.last = std::max(info.last, start + waited);
    writes_.add(waited);
  }
  return tlm::TLM_COMPLETED;
}

BankStack::Answer BankStack::time_segments(const sim::Payload& payload, dram::Tick arrival,
                                           dram::Tick settled) {
  const sim::PacketInfo& info = sim::info_of(payload);
  const std::uint64_t offset = isa::GlobalAddress::from(payload.get_address()).offset;
  Answer answer;
  for (DramAccess::Part& part : access_.parts(offset, info.rows, payload.is_write())) {
    StackChannel& entry = stack_channels_[part.channel];
    dram::Segment& segment = part.segment;
    segment.arrival = arrival;
    (segment.write ? entry.counted.write_bytes : entry.counted.read_bytes) +=
        std::uint64_t{segment.accesses} * design_->organisation.access_bytes;
    if (repeat_errors(errors_, *design_, part.channel, segment, entry.counted, counted_))
      answer.corrected = true;
    const dram::BankChannel::Passage passage = entry.channel.pass(segment, settled);
    answer.first = std::min(answer.first, passage.first);
    answer.last = std::max(answer.last, passage.last);
    note_use(entry.channel);
  }
  return answer;
}

// Slots beyond the burst are not data.
void BankStack::note_use(dram::BankChannel& channel) {
  const auto pins = static_cast<std::int64_t>(stack_channels_.size() * design_->organisation.pseudo_channels);
  for (const dram::BankChannel::Taken& taken : channel.taken()) {
    const Time from = edge(taken.from), until = edge(taken.until);
    series_.add_share(from, until, {(until - from).fs / (pins * rules_.slot) * design_->timing.burst});
  }
  channel.taken().clear();
}

base::HbmMeasurement BankStack::measure(Duration elapsed) {
  const dram::Tick end = design_->timing.clock.at_or_after(elapsed).count;
  base::HbmMeasurement m = counted();
  m.peak = params_.bandwidth;
  m.reads = reads_.measure();
  m.writes = writes_.measure();
  std::vector<CountedChannel> channels;
  for (StackChannel& entry : stack_channels_) {
    channels.push_back({entry.counted, entry.channel.finish(end)});
    note_use(entry.channel);
  }
  m.series = series_.series();
  add_channels(channels, *design_, faults_, elapsed, m);
  return m;
}

}  // namespace tahoma::model
