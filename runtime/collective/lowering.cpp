// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "runtime/collective/itinerary.h"
#include "runtime/collective/slots.h"
#include "runtime/collective/strips.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint32_t kIncrements = isa::kDmaEngines;  // of a semaphore, by one transfer

// A box with its place on the machine.
struct PlacedBox {
  BoxSlots slots;
  std::size_t arrived = 0, given_back = 0;  // first counter at the receiver, and at the sender
  std::vector<std::uint32_t> arrived_base, given_base;
  std::uint64_t staging = 0;  // global address; 0: nothing is staged
  std::uint64_t slot_elements = 0;
};

class Lowering {
 public:
  Lowering(const Channel& channel, const Allocate& allocate)
      : channel_(channel),
        schedule_(*channel.schedule),
        it_(follow(schedule_)),
        pieces_(channel.pieces()),
        unit_(unit_elements(channel)),
        finals_(schedule_.problem.ranks) {
    for (const Box& box : it_.boxes) place(box, allocate);
    for (std::uint32_t r = 0; r < schedule_.problem.ranks; ++r) place_finals(r);
  }

  void emit() {
    for (std::uint32_t r = 0; r < schedule_.problem.ranks; ++r) {
      const std::vector<std::uint32_t>& run = it_.of_rank[r];
      std::vector<std::size_t> begin(schedule_.rounds + 1, run.size());  // of the rounds in `run`
      for (std::size_t i = run.size(); i-- > 0;) begin[schedule_.transfers[run[i]].round] = i;
      for (std::size_t round = schedule_.rounds; round-- > 0;)
        begin[round] = std::min(begin[round], begin[round + 1]);
      for (std::uint32_t tick = 0; tick < schedule_.rounds + pieces_ - 1; ++tick)
        for (std::uint32_t piece = tick < schedule_.rounds ? 0 : tick - schedule_.rounds + 1;
             piece < pieces_ && piece <= tick; ++piece)
          for (std::size_t i = begin[tick - piece]; i < begin[tick - piece + 1]; ++i) issue(run[i], piece);
      finish(r);
    }
  }

 private:
  static std::uint64_t unit_elements(const Channel& channel) {
    const HbmView& block = channel.seats.front().input.block.columns > 0 ? channel.seats.front().input.block
                                                                         : channel.seats.front().output.block;
    return block.rows > 1 ? block.columns : 1;
  }

  Seat const& seat(std::uint32_t rank) const { return channel_.seats[rank]; }
  const Transfer& transfer(std::uint32_t hop) const { return schedule_.transfers[hop]; }

  // Units of a transfer's piece: those of its chunks, which are alike or one.
  std::uint64_t units(std::uint32_t hop, std::uint32_t piece) const {
    const std::uint64_t all =
        channel_.units.size() == 1 ? channel_.units[0] : channel_.units[transfer(hop).chunks.first];
    const std::uint64_t first = piece * channel_.piece;
    return first >= all ? 0 : std::min(channel_.piece, all - first);
  }

  std::size_t take(CoreKernel& at, std::size_t count) {
    const std::size_t first = at.next;
    at.next += count;
    if (at.next > kSignals)
      throw base::UserError(
          "E-COL-010", "workload",
          fmt::format("{} over {} ranks in {} pieces ({}) takes {} semaphores of core {}, which has {} for "
                      "collectives; fewer pieces or channels, or another algorithm, take less",
                      name_of(schedule_.problem.operation), schedule_.problem.ranks, pieces_, schedule_.what,
                      at.next, at.core, kSignals));
    while (at.counters.size() < at.next) at.counters.push_back({at.kernel->signal(), 0});
    return first;
  }

  // Counters raised before by other collectives keep what they have; everybody counts from there.
  std::vector<std::uint32_t> bases(CoreKernel& at, std::size_t first, std::size_t count) const {
    std::vector<std::uint32_t> base;
    for (std::size_t i = 0; i < count; ++i) base.push_back(at.counters[first + i].raised);
    return base;
  }

  void place(const Box& box, const Allocate& allocate) {
    const bool reuse = channel_.units.size() == 1;
    PlacedBox placed{BoxSlots(box, schedule_, pieces_, reuse), 0, 0, {}, {}, 0, 0};
    CoreKernel& owner = *seat(box.owner).at;
    placed.arrived = take(owner, placed.slots.counters());
    placed.arrived_base = bases(owner, placed.arrived, placed.slots.counters());
    if (placed.slots.reused()) {
      CoreKernel& sender = *seat(transfer(box.hops.front()).from).at;
      placed.given_back = take(sender, placed.slots.slots());
      placed.given_base = bases(sender, placed.given_back, placed.slots.slots());
    }
    std::uint64_t chunks = 0;
    for (const std::uint32_t hop : box.hops) {
      if (transfer(hop).kind == TransferKind::kCombine)
        chunks = std::max<std::uint64_t>(chunks, span_of(transfer(hop).chunks));
      for (std::uint32_t p = 0; p < pieces_; ++p) {
        if (units(hop, p) == 0) continue;
        owner.counters[placed.arrived + placed.slots.counter(hop, p)].raised += kIncrements;
        if (placed.slots.reused())
          seat(transfer(hop).from).at->counters[placed.given_back + placed.slots.counter(hop, p)].raised +=
              kIncrements;
      }
    }
    if (chunks > 0) {
      placed.slot_elements = aligned(chunks * channel_.piece * unit_, channel_.seats[0]);
      placed.staging = allocate(owner.core, dtype(), placed.slot_elements * placed.slots.slots());
    }
    boxes_.push_back(std::move(placed));
  }

  void place_finals(std::uint32_t rank) {
    std::uint32_t arrivals = 0;
    for (const std::uint32_t hop : finals_of(rank))
      for (std::uint32_t p = 0; p < pieces_; ++p) arrivals += units(hop, p) > 0 ? 1 : 0;
    if (arrivals == 0) return;
    CoreKernel& at = *seat(rank).at;
    finals_[rank].counter = take(at, 1);
    finals_[rank].total = at.counters[finals_[rank].counter].raised += kIncrements * arrivals;
  }

  std::vector<std::uint32_t> finals_of(std::uint32_t rank) {
    if (final_hops_.empty()) {
      final_hops_.resize(schedule_.problem.ranks);
      for (std::uint32_t i = 0; i < it_.hops.size(); ++i)
        if (it_.hops[i].arrival == Arrival::kFinal) final_hops_[transfer(i).to].push_back(i);
    }
    return final_hops_[rank];
  }

  isa::DType dtype() const { return channel_.seats.front().input.block.dtype; }

  // A chunk set in the staging slot of an arrival, as the owner sees its own memory.
  HbmView staged(std::uint32_t arrival, const ChunkSet& chunks, std::uint32_t piece,
                 const Seat& viewer) const {
    const PlacedBox& box = boxes_[it_.hops[arrival].box];
    const std::uint64_t slot = box.slots.number(arrival, piece) % box.slots.slots();
    const std::uint64_t place = chunks.first - transfer(arrival).chunks.first;
    const std::uint64_t elements = slot * box.slot_elements + place * channel_.piece * unit_;
    HbmView view = viewer.at->memory;
    view.dtype = dtype();
    view.rows = unit_ > 1 ? units(arrival, piece) : 1;
    view.columns = unit_ > 1 ? unit_ : units(arrival, piece);
    view.row_stride = static_cast<std::int64_t>(unit_);
    view.distance =
        static_cast<std::int64_t>(box.staging + elements * isa::size_of(dtype()) - viewer.at->address);
    return spread(view, chunks, static_cast<std::int64_t>(channel_.piece * unit_), 1);
  }

  HbmView held(const Strip& strip, const Problem::Held& places, const ChunkSet& chunks, std::uint32_t piece,
               std::uint64_t count) const {
    return spread(cut(strip, places.place_of(chunks.first), piece * channel_.piece, count), chunks,
                  strip.pitch, places.stride);
  }

  HbmView output(std::uint32_t rank, const ChunkSet& chunks, std::uint32_t piece, std::uint64_t count) const {
    return held(seat(rank).output, schedule_.problem.output_of(rank, schedule_.chunks), chunks, piece, count);
  }

  // Where a transfer leaves its data, as the sender addresses it.
  HbmView target(std::uint32_t hop, std::uint32_t piece) const {
    const Transfer& t = transfer(hop);
    if (t.kind == TransferKind::kCombine) return staged(hop, t.chunks, piece, seat(t.from));
    HbmView view = output(t.to, t.chunks, piece, units(hop, piece));
    const Strip& strip = seat(t.to).output;
    const std::uint64_t address = strip.address + (view.offset - strip.block.offset);
    view.arg = seat(t.from).at->memory.arg;
    view.offset = 0;
    view.origin = 0;
    view.distance = static_cast<std::int64_t>(address - seat(t.from).at->address);
    return view;
  }

  std::vector<HbmView> sources(std::uint32_t hop, std::uint32_t piece) const {
    const Transfer& t = transfer(hop);
    const std::uint64_t count = units(hop, piece);
    if (it_.hops[hop].from_output) return {output(t.from, t.chunks, piece, count)};
    std::vector<HbmView> all;
    if (it_.hops[hop].from_input)
      all.push_back(held(seat(t.from).input, schedule_.problem.input_of(t.from, schedule_.chunks), t.chunks,
                         piece, count));
    for (const std::uint32_t arrival : it_.hops[hop].staged)
      all.push_back(staged(arrival, t.chunks, piece, seat(t.from)));
    return all;
  }

  void await(const Seat& at, std::size_t counter, std::uint32_t value) const {
    at.at->kernel->wait(at.queue, at.at->counters[counter].signal, value);
  }

  void await_arrival(const Seat& at, std::uint32_t arrival, std::uint32_t piece) const {
    const PlacedBox& box = boxes_[it_.hops[arrival].box];
    const Box& logical = it_.boxes[it_.hops[arrival].box];
    const std::uint32_t counter = box.slots.counter(arrival, piece);
    std::uint32_t times = 0;
    if (logical.credited)
      times = units(arrival, piece) > 0 ? box.slots.number(arrival, piece) / box.slots.slots() + 1 : 0;
    else
      for (const std::uint32_t hop : logical.hops) times += units(hop, piece) > 0 ? 1 : 0;
    if (times > 0) await(at, box.arrived + counter, box.arrived_base[counter] + kIncrements * times);
  }

  // The slot that an arrival takes must have been given back as often as it was used before.
  void await_slot(const Seat& at, std::uint32_t hop, std::uint32_t piece) const {
    if (it_.hops[hop].box == kNone) return;
    const PlacedBox& box = boxes_[it_.hops[hop].box];
    const std::uint32_t slot = box.slots.number(hop, piece) % box.slots.slots();
    const std::uint32_t before = box.slots.number(hop, piece) / box.slots.slots();
    if (before > 0) await(at, box.given_back + slot, box.given_base[slot] + kIncrements * before);
  }

  Delivery to(const Seat& from, const Seat& target, std::size_t counter) const {
    return {from.at->own, target.at->counters[counter].signal,
            static_cast<int>(target.at->core) - static_cast<int>(from.at->core)};
  }

  Delivery landed(std::uint32_t hop, std::uint32_t piece) const {
    const Seat &from = seat(transfer(hop).from), &at = seat(transfer(hop).to);
    if (it_.hops[hop].arrival == Arrival::kFinal) return to(from, at, finals_[transfer(hop).to].counter);
    const PlacedBox& box = boxes_[it_.hops[hop].box];
    return to(from, at, box.arrived + box.slots.counter(hop, piece));
  }

  std::optional<Delivery> given_back(std::uint32_t hop, std::uint32_t piece) const {
    const std::uint32_t arrival = it_.hops[hop].gives_back;
    if (arrival == kNone) return {};
    const PlacedBox& box = boxes_[it_.hops[arrival].box];
    if (!box.slots.reused()) return {};
    return to(seat(transfer(hop).from), seat(transfer(arrival).from),
              box.given_back + box.slots.counter(arrival, piece));
  }

  void issue(std::uint32_t hop, std::uint32_t piece) {
    const Transfer& t = transfer(hop);
    if (units(hop, piece) == 0) return;
    const Seat& at = seat(t.from);
    for (const std::uint32_t arrival : it_.hops[hop].waits) await_arrival(at, arrival, piece);
    await_slot(at, hop, piece);
    const std::vector<HbmView> what = sources(hop, piece);
    if (t.kind == TransferKind::kSettle) return settle(at, hop, piece, what);
    TAHOMA_INVARIANT(what.size() <= isa::kMostSources, "a transfer folds more than it has room for");
    at.at->kernel->send(target(hop, piece), {what, channel_.op}, at.queue, landed(hop, piece),
                        given_back(hop, piece));
  }

  // 16 sources at once, then 15 more at a time on top of what is there.
  void settle(const Seat& at, std::uint32_t hop, std::uint32_t piece, const std::vector<HbmView>& what) {
    const Transfer& t = transfer(hop);
    const HbmView out = output(t.from, t.chunks, piece, units(hop, piece));
    if (it_.hops[hop].from_output) return;
    for (std::size_t next = 0; next < what.size();) {
      std::vector<HbmView> some;
      if (next > 0) some.push_back(out);
      while (next < what.size() && some.size() < isa::kMostSources) some.push_back(what[next++]);
      at.at->kernel->fold(out, {some, channel_.op}, at.queue,
                          next == what.size() ? given_back(hop, piece) : std::optional<Delivery>{});
    }
  }

  // The queue is behind the collective when everything of this rank is where it belongs.
  void finish(std::uint32_t rank) {
    const Seat& at = seat(rank);
    if (finals_[rank].total > 0) await(at, finals_[rank].counter, finals_[rank].total);
    for (const std::uint32_t hop : it_.of_rank[rank])
      if (transfer(hop).kind == TransferKind::kSettle)
        for (std::uint32_t p = 0; p < pieces_; ++p)
          if (units(hop, p) > 0)
            at.at->kernel->wait(at.queue, output(rank, transfer(hop).chunks, p, units(hop, p)));
  }

  struct Finals {
    std::size_t counter = 0;
    std::uint32_t total = 0;
  };

  const Channel& channel_;
  const Schedule& schedule_;
  Itinerary it_;
  std::uint32_t pieces_;
  std::uint64_t unit_;  // elements of a unit
  std::vector<PlacedBox> boxes_;
  std::vector<Finals> finals_;
  std::vector<std::vector<std::uint32_t>> final_hops_;
};

}  // namespace

std::uint64_t Channel::most_units() const { return *std::max_element(units.begin(), units.end()); }

std::uint32_t Channel::pieces() const {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (most_units() + piece - 1) / piece));
}

void lower(const Channel& channel, const Allocate& allocate) {
  if (channel.most_units() > 0) Lowering(channel, allocate).emit();
}

std::uint32_t semaphores_needed(const Schedule& schedule, std::uint32_t pieces, bool uneven) {
  const Itinerary it = follow(schedule);
  std::vector<std::uint32_t> taken(schedule.problem.ranks, 1);
  for (const Box& box : it.boxes) {
    const BoxSlots slots(box, schedule, pieces, !uneven);
    taken[box.owner] += slots.counters();
    if (slots.reused()) taken[schedule.transfers[box.hops.front()].from] += slots.slots();
  }
  return *std::max_element(taken.begin(), taken.end());
}

}  // namespace tahoma::runtime::collective
