// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_rings.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"
#include "model/engine/dma/transfer/disputed_values.h"
#include "model/engine/dma/transfer/peer_values.h"
#include "model/engine/dma/transfer/transfer_values.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Prefetches an object on the host. The objects of the 8,192 engines of an UltraServer are in no near cache
// at their turn.
template <class Object>
void fetch(const Object& object) {
  constexpr std::size_t kLine = 64;  // of the host's caches
  const auto* bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(Object); at += kLine) __builtin_prefetch(bytes + at, 1);
}

}  // namespace

DmaRings::DmaRings(sc_core::sc_module_name name, const Place& place, const DmaParams& params,
                   sim::PayloadPool& pool, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      params_(params),
      pool_(pool),
      meter_(meter),
      held_(params.rings),
      room_watchers_(params.rings),
      increments_(params.increment_spacing, semaphore_visible(Time{0}, params)) {
  due_.fill(base::kNever);
  engines_.reserve(isa::kDmaEngines);
  for (unsigned e = 0; e < isa::kDmaEngines; ++e)
    engines_.emplace_back(e, place.core, params, shares_, flights_, static_cast<DmaSurroundings&>(*this),
                          due_[e], blocked_);
  network.register_nb_transport_bw(this, &DmaRings::on_answer);
}

void DmaRings::wake() {
  meter_.guard(name(), [this] { step(); });
}

// Prefetches the engine that acts first.
void DmaRings::fetch_first() const {
  fetch(engines_[static_cast<std::size_t>(std::min_element(due_.begin(), due_.end()) - due_.begin())]);
}

void DmaRings::step() {
  meter_.dma_activated();
  acting_ = true;
  const Time horizon = sim::now() + std::min(params_.look_ahead, params_.start_up);
  start(horizon);
  for (unsigned e = 0; e < isa::kDmaEngines; ++e) {
    if (e + 1 < isa::kDmaEngines && due_[e + 1] <= horizon) fetch(engines_[e + 1]);
    if (due_[e] <= horizon) engines_[e].act(horizon);
  }
  raise_increments();
  acting_ = false;
  schedule();
}

// The time of an engine's next action, unless an answer, credit or a new transfer arrives earlier.
Time DmaRings::next_act() const {
  const Time engine = *std::min_element(due_.begin(), due_.end());
  return starting_.empty() ? engine : std::min(engine, starting_.front().when);
}

// While engines act, their changes of that time are collected and applied once, at the end.
void DmaRings::schedule() {
  if (acting_) return;
  const Time earliest = std::min(next_act(), increments_.due());
  if (earliest != base::kNever) wake_.at(std::max(earliest, sim::now()));
}

sim::Payload* DmaRings::packet(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) {
  return pool_.take(command, address, static_cast<std::uint32_t>(bytes));
}

// The time of another chip's answer is not known here, so this engine cannot look ahead.
bool DmaRings::access(sim::Payload& payload, Duration ahead) {
  if (!on_chip(payload.get_address(), place_.chip)) sim::info_of(payload).needed = Time{0};
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sim::to_systemc(ahead);
  return network->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED;
}

bool DmaRings::offer(sim::Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return network->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED;
}

// While no engine waits for an answer or credit, no increment is announced before an engine acts, and a
// transfer that is rung from now on still has its start-up ahead.
void DmaRings::raise_increments() {
  const bool quiet = flights_.all_given_back() && blocked_ == 0;
  const Time now = sim::now(), certain = quiet ? std::min(next_act(), now + params_.start_up) : now;
  raised_.clear();
  increments_.settle(std::max(now, certain), [this](const sim::Notify& n, Time when) {
    meter_.effect_at(when);
    raised_.push_back({n.semaphore, static_cast<sim::Change>(n.change), n.value, when, n.awaited(), n.cause});
  });
  if (!raised_.empty()) semaphores->post(raised_);
}

// The fabric returns credit, or a memory answers late.
tlm::tlm_sync_enum DmaRings::on_answer(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  DmaEngine& engine = engines_.at(sim::info_of(payload).engine);
  if (phase == tlm::END_REQ) {
    engine.credited();
    schedule();
    return tlm::TLM_ACCEPTED;
  }
  TAHOMA_INVARIANT(phase == tlm::BEGIN_RESP, std::string(name()) + ": unexpected phase");
  engine.answered(payload);
  schedule();
  return tlm::TLM_COMPLETED;
}

// An empty packet through the network raises a semaphore of another core.
void DmaRings::visible(const sim::Notify& n, unsigned engine, Time when) {
  // A memory may report the acceptance of data later than it took place, by at most the latency of a write,
  // which an ideal one does not have.
  if (n.core == place_.core) return increments_.announce(n, std::max(when, sim::now()));
  meter_.effect_at(when);
  if (n.core == sim::kNoCore) return;
  sim::Payload* p = packet(tlm::TLM_WRITE_COMMAND, isa::GlobalAddress{place_.chip, 0, 0}.bits(), 0);
  sim::info_of(*p).acknowledgement = true;
  sim::info_of(*p).notify = n;
  engines_[engine].acknowledge(*p, when);
}

void DmaRings::watch(RingWitness& witness) {
  witness_ = &witness;
  for (DmaEngine& engine : engines_) engine.watch(witness);
}

bool DmaRings::has_room(unsigned ring) const { return held_.at(ring) < params_.ring_depth; }

void DmaRings::call_when_room(unsigned ring, RoomWatcher* who) { room_watchers_.at(ring).push_back(who); }

void DmaRings::ring(const TransferRequest& request) {
  check_sides(request, *hbm.operator->());
  if (free_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>());
    free_.push_back(transfers_.back().get());
  }
  Transfer* t = free_.back();
  free_.pop_back();
  *t = transfer_of(request, place_.chip, params_);
  ++held_[request.ring];
  tell_held(request.ring);
  ++counted_.transfers;
  ++in_flight_;
  const Time described = generated(request) + params_.start_up;
  if (witness_ != nullptr)
    for (unsigned n = 0; n < t->shares_left; ++n)
      witness_->pushed(t->engine(n), request.ring, share_for(n, t, described), sim::now());
  // It starts after the earlier ones of its ring.
  const Time when = dealt_[request.ring] = std::max(dealt_[request.ring], described);
  const auto later = [](Time d, const Starting& s) { return d < s.when; };
  starting_.insert(std::upper_bound(starting_.begin(), starting_.end(), when, later), {when, described, t});
  schedule();
}

Share DmaRings::share_for(unsigned n, Transfer* t, Time described) const {
  const UnitRange units = share_of(t->runs, n);
  return {t, described + skew_of(t->engine(n), params_), units.first, units.last, 0, 0, 0};
}

// Distributes the transfers that have completed their start-up to the 16 engines, which would not look at
// them earlier.
void DmaRings::start(Time horizon) {
  auto s = starting_.begin();
  for (; s != starting_.end() && s->when <= horizon; ++s)
    for (unsigned n = 0; n < s->transfer->shares_left; ++n)
      engines_[s->transfer->engine(n)].push(share_for(n, s->transfer, s->described));
  starting_.erase(starting_.begin(), s);
}

// The time at which the descriptors of a transfer are available. The sync and scalar queues have a hardware
// generator each, which takes one instruction at a time.
Time DmaRings::generated(const TransferRequest& request) {
  if (request.dge != isa::Dge::kHw) return request.rung;
  Time& free = generator_free_[request.queue == isa::Queue::kSync ? 0 : 1];
  free = std::max(free, request.rung) + params_.hardware_dge;
  counted_.generating += params_.hardware_dge;
  return free;
}

void DmaRings::first_packet(Transfer& t) {
  t.begun = true;
  if (t.request.end != nullptr) {  // a swap: the rendezvous has moved the values
    t.applied = true;
    return;
  }
  const CoreMemories memories{*sbuf.operator->(), *psum.operator->(), *hbm.operator->(), members_};
  if (place_.peers == nullptr) return apply(t, memories);
  move_with_peers(t.request, memories, *place_.peers, [this, &t, memories] { apply(t, memories); });
}

void DmaRings::apply(Transfer& t, const CoreMemories& memories) {
  t.applied = true;
  if (!place_.functional) return move_known_values(t.request, memories);
  if (place_.checker == nullptr)
    move_values(t.request, memories);
  else
    move_disputed_values(t.request, memories, *place_.checker);
  take_checksums(t, place_.chip, params_, memories);
  if (meter_.results != nullptr) tell_result(t.request);
}

void DmaRings::tell_result(const TransferRequest& request) {
  std::vector<std::uint32_t> rows;
  for (const isa::IndirectRow& row : request.rows) rows.push_back(row.number);
  meter_.results->result({.core = place_.core,
                          .queue = static_cast<std::uint8_t>(request.queue),
                          .index = request.index,
                          .start = sim::now(),
                          .address = request.dst,
                          .scatters = request.indirect == isa::Indirection::kScatter,
                          .rows = rows});
}

// A ring holds the transfers that are not completely issued.
void DmaRings::share_issued(Transfer& t) {
  if (--t.to_issue > 0) return;
  const unsigned ring = t.request.ring;
  --held_[ring];
  tell_held(ring);
  for (RoomWatcher* who : room_watchers_[ring]) who->room();
  room_watchers_[ring].clear();
}

void DmaRings::share_ended(Transfer& t) {
  if (--t.shares_left > 0) return;
  TAHOMA_INVARIANT(t.applied, "a transfer ends before its values have moved");
  if (meter_.observer != nullptr) meter_.observer->transfer(t.activity);
  if (t.request.end != nullptr) t.request.end->ended(t.visible);
  free_.push_back(&t);
  if (--in_flight_ == 0) retire->something_ended();
}

void DmaRings::issued(Time t) { active_.issued(t); }

void DmaRings::read(Time until) { active_.read(until); }

void DmaRings::moved(Transfer& transfer, const base::PacketActivity& packet) {
  base::PacketActivity placed = packet;
  placed.core = place_.core;
  if (meter_.probes != nullptr) meter_.probes->packet(placed);
  if (meter_.observer != nullptr) transfer.record_packet(placed);
}

void DmaRings::tell_held(unsigned ring) const {
  if (meter_.timeline != nullptr)
    meter_.timeline->ring({place_.core, static_cast<std::uint8_t>(ring), held_[ring], sim::now()});
}

bool DmaRings::idle() const {
  if (in_flight_ > 0) return false;
  for (const auto& e : engines_)
    if (!e.idle()) return false;
  return true;
}

base::DmaMeasurement DmaRings::measure() const {
  base::DmaMeasurement m = counted_;
  m.path = name();
  m.core = place_.core;
  m.active = active_.total();
  for (const DmaEngine& e : engines_) base::add_counters(m, e.counted());
  return m;
}

}  // namespace tahoma::model
