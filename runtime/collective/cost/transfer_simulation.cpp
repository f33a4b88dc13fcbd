// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/transfer_simulation.h"

#include <algorithm>

#include "isa/core/instruction.h"
#include "model/base/error.h"
#include "runtime/collective/cost/simulation_state.h"

namespace tahoma::runtime::collective {

using base::Duration, base::Time, model::Move, model::PacketBatch;

namespace {

constexpr std::uint64_t kTokenBytes = 64;  // of a lent input: one access of HBM

}  // namespace

TransferSimulation::TransferSimulation(const model::MachineParams& machine, const model::FabricWays& ways,
                                       const std::vector<std::uint32_t>& chips,
                                       const std::vector<SimulatedChannel>& channels)
    : machine_(machine), ways_(ways), chips_(chips), law_(machine.chip.core.dma), idle_(machine, ways) {
  const model::SequencerTiming& timing = machine.chip.core.sequencer.collective;
  const base::Frequency clock = machine.chip.core.sequencer.clock;
  wake_ = cycles_of(timing.wake, clock);
  wait_ = cycles_of(timing.wait, clock) + cycles_of(timing.gap, clock);
  read_overlap_ = cycles_of(machine.chip.core.dma.read_overlap, machine.chip.core.dma.clock);
  for (const SimulatedChannel& channel : channels) {
    if (channel.channel.most_units() == 0) continue;
    channels_.push_back(std::make_unique<ChannelState>(channel));
    for (std::uint32_t rank = 0; rank < chips.size(); ++rank) {
      QueueState& queue = queues_.emplace_back(machine.chip.core.dma);
      queue.channel = channels_.back().get();
      queue.rank = rank;
      queue.turns = queue.channel->pipeline.turns(rank);
    }
  }
}

TransferSimulation::~TransferSimulation() = default;

Duration TransferSimulation::time() {
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) at(Time{0}, What::kQueue, queue);
  while (!events_.empty()) {
    const auto [when, event] = events_.take();
    now_ = when;
    if (event.what == What::kQueue) advance(event.of);
    if (event.what == What::kEngines) move_batch(event.of);
    if (event.what == What::kTrain) carry(event.of);
  }
  Time last{0};
  for (const QueueState& queue : queues_) {
    TAHOMA_INVARIANT(queue.turn == queue.turns.size(), "a queue of a transfer simulation waits for ever");
    last = std::max({last, queue.free, queue.ended});
  }
  for (const auto& channel : channels_)
    for (const Completion& arrival : channel->arrived)
      if (arrival.when != base::kNever) last = std::max(last, arrival.when);
  return last + wake_ + wait_;
}

// Goes on with the queue's turns until it has to wait for something without a time.
void TransferSimulation::advance(std::uint32_t number) {
  QueueState& queue = queues_[number];
  while (queue.turn < queue.turns.size()) {
    const auto [hop, piece] = queue.turns[queue.turn];
    if (!waits_over(number, hop, piece)) return;
    const std::uint32_t folded = queue.folded;
    issue(number, hop, piece);
    if (queue.folded > folded) continue;  // another fold of the same sum
    ++queue.turn;
    queue.waited = queue.folded = 0;
  }
}

// Performs the stand-alone waits of the turn, one after another.
bool TransferSimulation::waits_over(std::uint32_t number, std::uint32_t hop, std::uint32_t piece) {
  QueueState& queue = queues_[number];
  ChannelState& channel = *queue.channel;
  const Hop& way = channel.pipeline.hop(hop);
  const auto next = static_cast<std::uint32_t>(way.waits.size());
  if (queue.folded > 0) return wait_for(number, channel.done(hop, piece));
  while (queue.waited < next) {
    awaited_.clear();
    const std::uint32_t arrival = way.waits[queue.waited];
    const std::uint32_t box = channel.pipeline.hop(arrival).box;
    if (channel.pipeline.boxes()[box].credited)
      awaited_.push_back(&channel.done(arrival, piece));
    else
      for (const std::uint32_t each : channel.pipeline.boxes()[box].hops)
        awaited_.push_back(&channel.done(each, piece));
    if (!wait_for(number, awaited_)) return false;
    ++queue.waited;
  }
  if (queue.waited == next) {
    const std::uint32_t box = way.box;
    if (box != kNone && channel.pipeline.boxes()[box].credited && channel.pipeline.slots(box).reused()) {
      const BoxSlots& slots = channel.pipeline.slots(box);
      const std::uint32_t n = slots.number(hop, piece);
      if (n >= slots.slots() && !wait_for(number, channel.returned[box][n - slots.slots()])) return false;
    }
    ++queue.waited;
  }
  if (way.from_output && channel.settled[hop] != kNone &&
      channel.pipeline.units(channel.settled[hop], piece) > 0 && queue.waited == next + 1) {
    if (!wait_for(number, channel.done(channel.settled[hop], piece))) return false;
    ++queue.waited;
  }
  return true;
}

bool TransferSimulation::wait_for(std::uint32_t number, std::span<Completion* const> all) {
  QueueState& queue = queues_[number];
  Time value{0};
  for (Completion* each : all) {
    if (each->when == base::kNever) {
      each->queues.push_back(number);
      return false;
    }
    value = std::max(value, each->when);
  }
  queue.free = std::max(queue.free, value + wake_) + wait_;
  return true;
}

void TransferSimulation::issue(std::uint32_t number, std::uint32_t hop, std::uint32_t piece) {
  QueueState& queue = queues_[number];
  const Pipeline& pipeline = queue.channel->pipeline;
  const Transfer& transfer = pipeline.transfer(hop);
  const Hop& way = pipeline.hop(hop);
  const std::uint64_t units = pipeline.units(hop, piece);
  const bool settles = transfer.kind == TransferKind::kSettle;
  if (units == 0 || (settles && way.from_output)) return over(queue.channel->done(hop, piece), queue.free);
  const auto all =
      static_cast<std::uint32_t>(way.staged.size() + (way.from_input || way.from_output ? 1 : 0));
  std::uint32_t sources = all;
  if (all > isa::kMostSources) {  // sixteen, then fifteen more at a time with the sum so far
    const std::uint32_t more = queue.folded == 0 ? isa::kMostSources : isa::kMostSources - 1;
    sources = std::min(all - queue.folded, more) + (queue.folded == 0 ? 0 : 1);
    const std::uint32_t folded = queue.folded + std::min(all - queue.folded, more);
    queue.folded = folded == all ? queue.folded : folded;
    queue.channel->done(hop, piece).when = base::kNever;
  }
  if (transfer.kind == TransferKind::kLend) {
    const std::uint64_t token = std::min(units, kTokenBytes);
    return push(number, {token, token, 1, false}, hop, piece);
  }
  const bool whole = pipeline.channel().piece >= pipeline.channel().units[0];
  push(number,
       {units * transfer.chunks.size(), whole ? units * transfer.chunks.size() : units, sources,
        way.gives_back != kNone},
       hop, piece);
}

void TransferSimulation::push(std::uint32_t number, const Move& move, std::uint32_t hop,
                              std::uint32_t piece) {
  QueueState& queue = queues_[number];
  const model::TransferLaw::Doorbell bell = law_.doorbell(!queue.rang);
  queue.rang = true;
  const Time available = queue.free + bell.instruction + machine_.chip.core.dma.start_up +
                         law_.first_skew(queue.channel->second);
  queue.free += bell.pitch;
  queue.pending.push_back({move, hop, piece, available});
  if (queue.moving) return;
  queue.moving = true;
  at(std::max(available, queue.may_issue), What::kEngines, number);
}

// The engines of a queue issue their next packets together.
void TransferSimulation::move_batch(std::uint32_t number) {
  QueueState& queue = queues_[number];
  PendingTransfer& next = queue.pending.front();
  const Time now = std::max(next.available, queue.may_issue);
  const PacketBatch batch = law_.batch(next.move, next.done);
  const Duration cost = law_.cost(next.move, batch),
                 spread = law_.spread(queue.channel->second, batch.engines);
  const Duration behind{std::max<std::int64_t>(0, (next.available + spread - now).fs)};
  queue.lag = next.available < queue.may_issue ? std::max(queue.lag, behind) : behind;
  const Transfer& transfer = queue.channel->pipeline.transfer(next.hop);
  const bool here = chips_[transfer.from] == chips_[transfer.to];
  const Time read = read_batch(queue, batch, next.move, now, cost, here);
  next.done += batch.most;
  if (batch.last && next.move.gives_back) give_back(number, next, read + queue.lag);
  if (here) {
    write_here(queue, next, batch, read);
  } else {
    const Duration enter = machine_.link.router;
    at(read + enter, What::kTrain,
       train_of({number, next.hop, next.piece, batch.bytes, batch.last, {}, 0, read + queue.lag + enter}));
  }
  if (batch.last) queue.pending.pop_front();
  queue.moving = !queue.pending.empty();
  if (queue.moving) at(std::max(queue.pending.front().available, queue.may_issue), What::kEngines, number);
}

// Returns when the first engine hands its packet on. A packet passes when the first data of all its sources
// are there (model/engine/dma/dma_flights.h).
Time TransferSimulation::read_batch(QueueState& queue, const PacketBatch& batch, const Move& move, Time now,
                                    Duration cost, bool here) {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const Duration cold = queue.has_read ? Duration{0} : dma.cold_read;
  queue.has_read = true;
  const Duration way = machine_.chip.noc.response + machine_.chip.hbm.read_latency;
  Time first{0}, last{0};
  for (std::uint32_t source = 0; source < move.sources; ++source) {
    const auto slot =
        idle_.read(queue.channel->cores[queue.rank], now + machine_.chip.noc.request, batch.bytes, now_);
    first = slot.start + way;
    last = slot.end + way;
  }
  const std::uint64_t bytes = batch.most * move.sources;
  queue.passed = std::max(std::max(first, queue.passed) + cost, last) + cold;
  const Time read = queue.passed + read_overlap_;
  const Time handed_on = here ? std::max(read, queue.windows.may_write()) : read;
  queue.windows.reads(now, law_.lets_go(bytes, cost, last, handed_on), bytes);
  queue.may_issue = std::max(now + cost + cold, queue.windows.may_read());
  return handed_on;
}

std::uint32_t TransferSimulation::train_of(PacketTrain train) {
  const Transfer& transfer = queues_[train.queue].channel->pipeline.transfer(train.hop);
  ways_.along(chips_[transfer.from], chips_[transfer.to],
              [&](std::uint32_t link) { train.route.push_back(link); });
  if (free_trains_.empty()) {
    free_trains_.push_back(static_cast<std::uint32_t>(trains_.size()));
    trains_.emplace_back();
  }
  const std::uint32_t number = free_trains_.back();
  free_trains_.pop_back();
  trains_[number] = std::move(train);
  return number;
}

// The head of a train is at a router, or all of it at its memory.
void TransferSimulation::carry(std::uint32_t number) {
  PacketTrain& train = trains_[number];
  QueueState& queue = queues_[train.queue];
  if (train.at < train.route.size()) {
    const Duration hop = ways_.links()[train.route[train.at]].hop;
    const auto slot = idle_.carry(train.route[train.at], now_, train.bytes);
    train.tail = std::max(slot.end, train.tail) + hop;
    ++train.at;
    return at(train.at == train.route.size() ? train.tail : slot.start + hop, What::kTrain, number);
  }
  const std::uint32_t core = queue.channel->cores[queue.channel->pipeline.transfer(train.hop).to];
  const Time end = idle_.write(core, core, train.tail, train.bytes, now_).end;
  if (train.last) over(queue.channel->done(train.hop, train.piece), law_.visible(end));
  free_trains_.push_back(number);
}

void TransferSimulation::write_here(QueueState& queue, const PendingTransfer& next, const PacketBatch& batch,
                                    Time handed_on) {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const Transfer& transfer = queue.channel->pipeline.transfer(next.hop);
  const std::vector<std::uint32_t>& cores = queue.channel->cores;
  const auto slot = idle_.write(cores[transfer.from], cores[transfer.to],
                                handed_on + machine_.chip.noc.request, batch.bytes, now_);
  const Time accepted = slot.end + machine_.chip.noc.response;
  queue.windows.writes(handed_on, accepted, batch.most * next.move.sources);
  queue.written = std::max(law_.written(handed_on, slot.held, queue.written, batch),
                           slot.end + machine_.chip.noc.response);
  if (!batch.last) return;
  const bool own = transfer.from == transfer.to;
  const Duration increments =
      own ? dma.increment_spacing * (static_cast<std::int64_t>(dma.collective_engines) - 1) : Duration{0};
  over(queue.channel->done(next.hop, next.piece),
       law_.visible(queue.written + std::max(queue.lag, increments)));
  queue.written = law_.settled(queue.written);
}

void TransferSimulation::give_back(std::uint32_t number, const PendingTransfer& transfer, Time read) {
  ChannelState& channel = *queues_[number].channel;
  const std::uint32_t arrival = channel.pipeline.hop(transfer.hop).gives_back;
  const std::uint32_t box = channel.pipeline.hop(arrival).box;
  if (!channel.pipeline.boxes()[box].credited) return;
  const Transfer& returned = channel.pipeline.transfer(arrival);
  over(channel.returned[box][channel.pipeline.slots(box).number(arrival, transfer.piece)],
       law_.visible(read) + idle_.path(chips_[returned.to], chips_[returned.from]));
}

void TransferSimulation::over(Completion& completion, Time when) {
  completion.when = when;
  for (const std::uint32_t queue : completion.queues) at(when, What::kQueue, queue);
  completion.queues.clear();
}

}  // namespace tahoma::runtime::collective
