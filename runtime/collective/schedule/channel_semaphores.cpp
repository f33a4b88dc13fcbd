// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/channel_semaphores.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint32_t kIncrements = isa::kDmaEngines;  // of a semaphore, per transfer

}  // namespace

std::uint32_t semaphores_needed(const Schedule& schedule, const Itinerary& itinerary, std::uint32_t pieces,
                                bool uneven) {
  std::vector<std::uint32_t> taken(schedule.problem.ranks, 1);
  for (const Box& box : itinerary.boxes) {
    // If only some of the transfers take place, they need no more semaphores than all of them would.
    const BoxSlots slots(box, schedule, pieces, !uneven || given_back_alike(itinerary, schedule, box),
                         [](std::uint32_t, std::uint32_t) { return true; });
    taken[box.owner] += slots.counters();
    if (slots.reused()) taken[schedule.transfers[box.hops.front()].from] += slots.slots();
  }
  return *std::max_element(taken.begin(), taken.end());
}

Semaphores::Semaphores(const Pipeline& pipeline)
    : pipeline_(pipeline), boxes_(pipeline.boxes().size()), finals_(pipeline.problem().ranks) {
  allocate();
  for (std::uint32_t box = 0; box < pipeline.boxes().size(); ++box) count_box(box);
  count_finals();
}

std::size_t Semaphores::take(CoreKernel& at, std::size_t count) const {
  const std::size_t first = at.next;
  at.next += count;
  if (at.next > kSignals)
    throw base::UserError(
        "E-COL-010", "workload",
        fmt::format("{} over {} ranks in {} pieces ({}) needs {} semaphores of core {}, which has {} for "
                    "collectives; use fewer pieces or channels, or another algorithm",
                    name_of(pipeline_.problem().operation), pipeline_.problem().ranks, pipeline_.pieces(),
                    pipeline_.schedule().what, at.next, at.core, kSignals));
  while (at.counters.size() < at.next) at.counters.push_back({at.kernel->signal(), 0});
  return first;
}

Semaphores::Row Semaphores::take_row(CoreKernel& at, std::size_t count) const {
  Row row{take(at, count), {}};
  for (std::size_t i = 0; i < count; ++i) row.base.push_back(at.counters[row.first + i].raised);
  return row;
}

void Semaphores::allocate() {
  for (std::uint32_t rank = 0; rank < finals_.size(); ++rank)
    for (const auto& [hop, piece] : pipeline_.turns(rank)) {
      for (const std::uint32_t arrival : pipeline_.hop(hop).waits)
        allocate_arrived(pipeline_.hop(arrival).box);
      if (pipeline_.hop(hop).box != kNone) allocate_given_back(pipeline_.hop(hop).box);
    }
  for (std::uint32_t box = 0; box < boxes_.size(); ++box) {  // that no turn waits for
    allocate_arrived(box);
    allocate_given_back(box);
  }
}

void Semaphores::allocate_arrived(std::uint32_t box) {
  Row& row = boxes_[box].arrived;
  if (row.base.empty())
    row = take_row(*pipeline_.seat(pipeline_.boxes()[box].owner).at, pipeline_.slots(box).counters());
}

void Semaphores::allocate_given_back(std::uint32_t box) {
  Row& row = boxes_[box].given_back;
  const BoxSlots& slots = pipeline_.slots(box);
  if (row.base.empty() && slots.reused())
    row = take_row(*pipeline_.sender(pipeline_.boxes()[box].hops.front()).at, slots.slots());
}

void Semaphores::count_box(std::uint32_t number) {
  const Box& box = pipeline_.boxes()[number];
  const BoxSlots& slots = pipeline_.slots(number);
  CoreKernel& owner = *pipeline_.seat(box.owner).at;
  const OfBox& taken = boxes_[number];
  for (const std::uint32_t hop : box.hops)
    for (std::uint32_t p = 0; p < pipeline_.pieces(); ++p) {
      if (pipeline_.units(hop, p) == 0) continue;
      const std::uint32_t counter = slots.counter(hop, p);
      owner.counters[taken.arrived.first + counter].raised += kIncrements;
      if (slots.reused())
        pipeline_.sender(hop).at->counters[taken.given_back.first + counter].raised += kIncrements;
    }
}

void Semaphores::count_finals() {
  std::vector<std::uint32_t> arrivals(finals_.size());
  for (std::uint32_t hop = 0; hop < pipeline_.schedule().transfers.size(); ++hop) {
    if (pipeline_.hop(hop).arrival != Arrival::kFinal) continue;
    for (std::uint32_t p = 0; p < pipeline_.pieces(); ++p)
      if (pipeline_.units(hop, p) > 0) ++arrivals[pipeline_.transfer(hop).to];
  }
  for (std::uint32_t rank = 0; rank < finals_.size(); ++rank) {
    if (arrivals[rank] == 0) continue;
    CoreKernel& at = *pipeline_.seat(rank).at;
    finals_[rank].counter = take(at, 1);
    finals_[rank].total = at.counters[finals_[rank].counter].raised += kIncrements * arrivals[rank];
  }
}

Semaphores::Level Semaphores::level(const Seat& at, const Row& row, std::uint32_t counter,
                                    std::uint32_t times) const {
  return {at.at->counters[row.first + counter].signal, row.base[counter] + kIncrements * times};
}

std::optional<Semaphores::Level> Semaphores::arrived(std::uint32_t arrival, std::uint32_t piece) const {
  const std::uint32_t number = pipeline_.hop(arrival).box;
  const Box& box = pipeline_.boxes()[number];
  const BoxSlots& slots = pipeline_.slots(number);
  std::uint32_t times = 0;
  if (box.credited)
    times = pipeline_.units(arrival, piece) > 0 ? slots.number(arrival, piece) / slots.slots() + 1 : 0;
  else
    for (const std::uint32_t hop : box.hops) times += pipeline_.units(hop, piece) > 0 ? 1 : 0;
  if (times == 0) return {};
  return level(pipeline_.seat(box.owner), boxes_[number].arrived, slots.counter(arrival, piece), times);
}

std::optional<Semaphores::Level> Semaphores::slot_free(std::uint32_t hop, std::uint32_t piece) const {
  const std::uint32_t box = pipeline_.hop(hop).box;
  if (box == kNone) return {};
  const BoxSlots& slots = pipeline_.slots(box);
  const std::uint32_t number = slots.number(hop, piece), before = number / slots.slots();
  if (before == 0) return {};
  return level(pipeline_.sender(hop), boxes_[box].given_back, number % slots.slots(), before);
}

std::optional<Semaphores::Level> Semaphores::complete(std::uint32_t rank) const {
  const Finals& finals = finals_[rank];
  if (finals.total == 0) return {};
  return Level{pipeline_.seat(rank).at->counters[finals.counter].signal, finals.total};
}

Delivery Semaphores::delivery(const Seat& from, const Seat& to, std::size_t counter) const {
  return {from.at->own, to.at->counters[counter].signal,
          static_cast<int>(to.at->core) - static_cast<int>(from.at->core)};
}

Delivery Semaphores::landed(std::uint32_t hop, std::uint32_t piece) const {
  const Seat &from = pipeline_.sender(hop), &to = pipeline_.receiver(hop);
  if (pipeline_.hop(hop).arrival == Arrival::kFinal)
    return delivery(from, to, finals_[pipeline_.transfer(hop).to].counter);
  const std::uint32_t box = pipeline_.hop(hop).box;
  return delivery(from, to, boxes_[box].arrived.first + pipeline_.slots(box).counter(hop, piece));
}

std::optional<Delivery> Semaphores::given_back(std::uint32_t hop, std::uint32_t piece) const {
  const std::uint32_t arrival = pipeline_.hop(hop).gives_back;
  if (arrival == kNone) return {};
  const std::uint32_t box = pipeline_.hop(arrival).box;
  const BoxSlots& slots = pipeline_.slots(box);
  if (!slots.reused()) return {};
  return delivery(pipeline_.sender(hop), pipeline_.sender(arrival),
                  boxes_[box].given_back.first + slots.counter(arrival, piece));
}

}  // namespace tahoma::runtime::collective
