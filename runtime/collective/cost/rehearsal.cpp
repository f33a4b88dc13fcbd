// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/rehearsal.h"

#include <algorithm>

#include "isa/core/instruction.h"
#include "model/base/error.h"
#include "runtime/collective/cost/rehearsal_parts.h"

namespace tahoma::runtime::collective {

using base::Duration, base::Time, model::Move, model::Wave;

Rehearsal::Rehearsal(const model::MachineParams& machine, const model::FabricWays& ways,
                     const std::vector<std::uint32_t>& chips, const std::vector<RehearsedChannel>& channels)
    : machine_(machine), ways_(ways), chips_(chips), law_(machine.chip.core.dma), idle_(machine, ways) {
  for (const RehearsedChannel& channel : channels) {
    if (channel.channel.most_units() == 0) continue;
    lanes_.push_back(std::make_unique<Lane>(channel));
    for (std::uint32_t rank = 0; rank < chips.size(); ++rank) {
      Line& line = lines_.emplace_back();
      line.lane = lanes_.back().get();
      line.rank = rank;
      line.turns = line.lane->pipeline.turns(rank);
    }
  }
}

Rehearsal::~Rehearsal() = default;

void Rehearsal::at(Time when, What what, std::uint32_t of) { events_.push({when, next_number_++, what, of}); }

Duration Rehearsal::time() {
  for (std::uint32_t line = 0; line < lines_.size(); ++line) at(Time{0}, What::kLine, line);
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.when;
    if (event.what == What::kLine) advance(event.of);
    if (event.what == What::kEngine) move_wave(event.of);
    if (event.what == What::kParcel) carry(event.of);
  }
  const model::SequencerTiming& queue = machine_.chip.core.sequencer.collective;
  Time last{0};
  for (const Line& line : lines_) {
    TAHOMA_INVARIANT(line.turn == line.turns.size(), "a rehearsed queue waits for ever");
    last = std::max({last, line.free, line.ended});
  }
  for (const auto& lane : lanes_)
    for (const Awaited& arrival : lane->arrived)
      if (arrival.when != base::kNever) last = std::max(last, arrival.when);
  const base::Frequency clock = machine_.chip.core.sequencer.clock;
  return last + queue_cycles(queue.wake, clock) + queue_cycles(queue.wait, clock) +
         queue_cycles(queue.gap, clock);
}

// Goes on with the line's turns until it has to wait for something without a time.
void Rehearsal::advance(std::uint32_t number) {
  Line& line = lines_[number];
  while (line.turn < line.turns.size()) {
    const auto [hop, piece] = line.turns[line.turn];
    if (!waits_over(number, hop, piece)) return;
    const std::uint32_t folded = line.folded;
    issue(number, hop, piece);
    if (line.folded > folded) continue;  // another fold of the same sum
    ++line.turn;
    line.waited = line.folded = 0;
  }
}

// Performs the stand-alone waits of the turn, one after another.
bool Rehearsal::waits_over(std::uint32_t number, std::uint32_t hop, std::uint32_t piece) {
  Line& line = lines_[number];
  Lane& lane = *line.lane;
  const Hop& way = lane.pipeline.hop(hop);
  const auto next = static_cast<std::uint32_t>(way.waits.size());
  if (line.folded > 0) return wait_for(number, {&lane.done(hop, piece)});
  while (line.waited < next) {
    std::vector<Awaited*> all;
    const std::uint32_t arrival = way.waits[line.waited];
    const std::uint32_t box = lane.pipeline.hop(arrival).box;
    if (lane.pipeline.boxes()[box].credited)
      all = {&lane.done(arrival, piece)};
    else
      for (const std::uint32_t each : lane.pipeline.boxes()[box].hops) all.push_back(&lane.done(each, piece));
    if (!wait_for(number, all)) return false;
    ++line.waited;
  }
  if (line.waited == next) {
    const std::uint32_t box = way.box;
    if (box != kNone && lane.pipeline.boxes()[box].credited && lane.pipeline.slots(box).reused()) {
      const BoxSlots& slots = lane.pipeline.slots(box);
      const std::uint32_t n = slots.number(hop, piece);
      if (n >= slots.slots() && !wait_for(number, {&lane.returned[box][n - slots.slots()]})) return false;
    }
    ++line.waited;
  }
  if (way.from_output && lane.settled[hop] != kNone && lane.pipeline.units(lane.settled[hop], piece) > 0 &&
      line.waited == next + 1) {
    if (!wait_for(number, {&lane.done(lane.settled[hop], piece)})) return false;
    ++line.waited;
  }
  return true;
}

bool Rehearsal::wait_for(std::uint32_t number, const std::vector<Awaited*>& all) {
  Line& line = lines_[number];
  Time value{0};
  for (Awaited* each : all) {
    if (each->when == base::kNever) {
      each->lines.push_back(number);
      return false;
    }
    value = std::max(value, each->when);
  }
  const model::SequencerTiming& queue = machine_.chip.core.sequencer.collective;
  const base::Frequency clock = machine_.chip.core.sequencer.clock;
  const Time start = std::max(line.free, value + queue_cycles(queue.wake, clock));
  line.free = start + queue_cycles(queue.wait, clock) + queue_cycles(queue.gap, clock);
  return true;
}

void Rehearsal::issue(std::uint32_t number, std::uint32_t hop, std::uint32_t piece) {
  Line& line = lines_[number];
  const Pipeline& pipeline = line.lane->pipeline;
  const Transfer& transfer = pipeline.transfer(hop);
  const Hop& way = pipeline.hop(hop);
  const std::uint64_t units = pipeline.units(hop, piece);
  const bool settles = transfer.kind == TransferKind::kSettle;
  if (units == 0 || (settles && way.from_output)) return over(line.lane->done(hop, piece), line.free);
  const auto all =
      static_cast<std::uint32_t>(way.staged.size() + (way.from_input || way.from_output ? 1 : 0));
  std::uint32_t sources = all;
  if (all > isa::kMostSources) {  // sixteen, then fifteen more at a time with the sum so far
    const std::uint32_t more = line.folded == 0 ? isa::kMostSources : isa::kMostSources - 1;
    sources = std::min(all - line.folded, more) + (line.folded == 0 ? 0 : 1);
    const std::uint32_t folded = line.folded + std::min(all - line.folded, more);
    line.folded = folded == all ? line.folded : folded;
    line.lane->done(hop, piece).when = base::kNever;
  }
  const bool whole = pipeline.channel().piece >= pipeline.channel().units[0];
  push(number,
       {units * transfer.chunks.size(), whole ? units * transfer.chunks.size() : units, sources,
        way.gives_back != kNone},
       hop, piece);
}

void Rehearsal::push(std::uint32_t number, const Move& move, std::uint32_t hop, std::uint32_t piece) {
  Line& line = lines_[number];
  const model::TransferLaw::Doorbell bell = law_.doorbell(!line.rang);
  line.rang = true;
  const Time available =
      line.free + bell.instruction + machine_.chip.core.dma.start_up + law_.first_skew(line.lane->second);
  line.free += bell.pitch;
  line.shares.push_back({move, hop, piece, available});
  if (line.moving) return;
  line.moving = true;
  at(std::max(available, line.may_issue), What::kEngine, number);
}

// The engines of a line issue their next packets together.
void Rehearsal::move_wave(std::uint32_t number) {
  Line& line = lines_[number];
  Share& share = line.shares.front();
  const Time now = std::max(share.available, line.may_issue);
  const Wave wave = law_.wave(share.move, share.done);
  const Duration cost = law_.cost(share.move, wave), spread = law_.spread(line.lane->second, wave.engines);
  const Duration behind{std::max<std::int64_t>(0, (share.available + spread - now).fs)};
  line.lag = share.available < line.may_issue ? std::max(line.lag, behind) : behind;
  const Time read = read_wave(line, wave, share.move, now, cost);
  share.done += wave.most;
  if (wave.last && share.move.gives_back) give_back(number, share, read + line.lag);
  const Transfer& transfer = line.lane->pipeline.transfer(share.hop);
  const bool here = chips_[transfer.from] == chips_[transfer.to];
  const Duration enter = here ? machine_.chip.noc.request : machine_.link.router;
  at(read + enter, What::kParcel,
     parcel_of(
         {number, share.hop, share.piece, wave.bytes, wave.most, wave.last, {}, 0, read + line.lag + enter}));
  if (wave.last) line.shares.pop_front();
  line.moving = !line.shares.empty();
  if (line.moving) at(std::max(line.shares.front().available, line.may_issue), What::kEngine, number);
}

// Returns when the first engine has read its packet. The next one may be issued when the read window has room.
Time Rehearsal::read_wave(Line& line, const Wave& wave, const Move& move, Time now, Duration cost) {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const Duration cold = line.has_read ? Duration{0} : dma.cold_read;
  line.has_read = true;
  const Duration way = machine_.chip.noc.response + machine_.chip.hbm.read_latency;
  Time end;
  const Time first = idle_.on_stack(line.lane->cores[line.rank], now + machine_.chip.noc.request,
                                    wave.bytes * move.sources, end) +
                     way;
  const Time start = std::max(first, line.passed);
  line.passed = std::max(start + cost, end + way) + cold;
  const Time read = line.passed + queue_cycles(dma.read_overlap, dma.clock);
  const std::uint64_t issued = wave.most * move.sources;
  line.may_issue = now + cost + cold;
  if (issued > dma.read_window.count) {
    const auto held = static_cast<std::int64_t>(static_cast<base::Int128>(cost.fs) *
                                                static_cast<std::int64_t>(dma.read_window.count) /
                                                static_cast<std::int64_t>(issued));
    line.may_issue = std::max({line.may_issue, end + way, read - Duration{held}});
  }
  return read;
}

std::uint32_t Rehearsal::parcel_of(Parcel parcel) {
  const Transfer& transfer = lines_[parcel.line].lane->pipeline.transfer(parcel.hop);
  ways_.along(chips_[transfer.from], chips_[transfer.to],
              [&](std::uint32_t link) { parcel.route.push_back(link); });
  if (free_parcels_.empty()) {
    free_parcels_.push_back(static_cast<std::uint32_t>(parcels_.size()));
    parcels_.emplace_back();
  }
  const std::uint32_t number = free_parcels_.back();
  free_parcels_.pop_back();
  parcels_[number] = std::move(parcel);
  return number;
}

// The head of a parcel is at a router, or all of it at its memory.
void Rehearsal::carry(std::uint32_t number) {
  Parcel& parcel = parcels_[number];
  Line& line = lines_[parcel.line];
  Time end;
  if (parcel.at < parcel.route.size()) {
    const Duration hop = machine_.link.wire + machine_.link.router;
    const Time start = idle_.on_link(parcel.route[parcel.at], now_, parcel.bytes, end);
    parcel.tail = std::max(end, parcel.tail) + hop;
    ++parcel.at;
    return at(parcel.at == parcel.route.size() ? parcel.tail : start + hop, What::kParcel, number);
  }
  if (parcel.route.empty()) {
    write_here(parcel);
    return free_parcels_.push_back(number);
  }
  const Transfer& transfer = line.lane->pipeline.transfer(parcel.hop);
  idle_.on_stack(line.lane->cores[transfer.to], parcel.tail, parcel.bytes, end);
  if (parcel.last) over(line.lane->done(parcel.hop, parcel.piece), law_.visible(end));
  free_parcels_.push_back(number);
}

void Rehearsal::write_here(const Parcel& parcel) {
  Line& line = lines_[parcel.line];
  const model::DmaParams& dma = machine_.chip.core.dma;
  const Transfer& transfer = line.lane->pipeline.transfer(parcel.hop);
  Time end;
  const Time start = idle_.on_stack(line.lane->cores[transfer.to], now_, parcel.bytes, end),
             read = now_ - machine_.chip.noc.request;
  const Duration lag = parcel.tail - now_;
  line.written = std::max(law_.written(read, start - now_, line.written, {parcel.bytes, parcel.most}), end);
  if (!parcel.last) return;
  const bool own = transfer.from == transfer.to;
  const Duration increments =
      own ? dma.increment_spacing * (static_cast<std::int64_t>(dma.collective_engines) - 1) : Duration{0};
  over(line.lane->done(parcel.hop, parcel.piece), law_.visible(line.written + std::max(lag, increments)));
  line.written = law_.settled(line.written);
}

void Rehearsal::give_back(std::uint32_t number, const Share& share, Time read) {
  Lane& lane = *lines_[number].lane;
  const std::uint32_t arrival = lane.pipeline.hop(share.hop).gives_back;
  const std::uint32_t box = lane.pipeline.hop(arrival).box;
  if (!lane.pipeline.boxes()[box].credited) return;
  const Transfer& returned = lane.pipeline.transfer(arrival);
  over(lane.returned[box][lane.pipeline.slots(box).number(arrival, share.piece)],
       law_.visible(read) + idle_.path(chips_[returned.to], chips_[returned.from]));
}

void Rehearsal::over(Awaited& awaited, Time when) {
  awaited.when = when;
  for (const std::uint32_t line : awaited.lines) at(when, What::kLine, line);
  awaited.lines.clear();
}

}  // namespace tahoma::runtime::collective
