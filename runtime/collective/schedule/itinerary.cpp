// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/itinerary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/base/error.h"

namespace tahoma::runtime::collective {

namespace {

class Follower {
 public:
  explicit Follower(const Schedule& schedule)
      : s_(schedule),
        held_(std::size_t{schedule.problem.ranks} * schedule.chunks),
        use_(schedule.transfers.size()) {
    it_.hops.resize(s_.transfers.size());
    it_.of_rank.resize(s_.problem.ranks);
    for (std::uint32_t r = 0; r < s_.problem.ranks; ++r)
      s_.problem.input_of(r, s_.chunks).for_each([&](std::uint32_t c) { held(r, c).input = true; });
  }

  Itinerary follow() {
    for (std::uint32_t next = 0; next < s_.transfers.size();) {
      std::uint32_t end = next;
      while (end < s_.transfers.size() && s_.transfers[end].round == s_.transfers[next].round) ++end;
      for (std::uint32_t i = next; i < end; ++i) depart(i);
      for (std::uint32_t i = next; i < end; ++i) arrive(i);
      next = end;
    }
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) it_.of_rank[s_.transfers[i].from].push_back(i);
    classify();
    for (const auto& run : it_.of_rank) give_back(run);
    fill_boxes();
    place_waits();
    return std::move(it_);
  }

 private:
  struct Held {
    bool input = false, output = false;
    std::uint32_t via = kNone;          // the transfer that wrote it to the output
    std::vector<std::uint32_t> staged;  // arrivals that were combined with it
  };
  struct Use {                                  // uses of an arrival at its receiver
    std::uint32_t first = kNone, last = kNone;  // hops that read it, in the order in which they are issued
    std::uint32_t back_in = kNone;              // round in which its slot is returned
  };

  Held& held(std::uint32_t rank, std::uint32_t chunk) { return held_[std::size_t{rank} * s_.chunks + chunk]; }

  void read_by(std::uint32_t arrival, std::uint32_t hop) {
    Use& use = use_[arrival];
    if (use.first == kNone) use.first = hop;
    if (use.last != hop) needs_[hop].push_back(arrival);
    use.last = hop;
  }

  void depart(std::uint32_t i) {
    const Transfer& t = s_.transfers[i];
    Hop& hop = it_.hops[i];
    const Held& first = held(t.from, t.chunks.first);
    hop.from_output = first.output;
    hop.from_input = first.input && !first.output;
    if (!first.output) hop.staged = first.staged;
    t.chunks.for_each([&](std::uint32_t c) {
      const Held& h = held(t.from, c);
      TAHOMA_INVARIANT(
          h.output == first.output && (h.output || (h.input == first.input && h.staged == first.staged)),
          "chunks of one transfer have arrived by different kinds of transfer: " + s_.what);
      if (h.output)
        read_by(h.via, i);
      else
        for (const std::uint32_t arrival : h.staged) read_by(arrival, i);
    });
  }

  void arrive(std::uint32_t i) {
    const Transfer& t = s_.transfers[i];
    t.chunks.for_each([&](std::uint32_t c) {
      Held& h = held(t.to, c);
      if (combines(t.kind))
        h.staged.push_back(i);
      else
        h = {false, true, i, {}};
    });
  }

  bool local(std::uint32_t i) const { return s_.transfers[i].kind == TransferKind::kSettle; }

  void classify() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> in_round;  // receiver, round
    for (std::uint32_t i = 0; i < use_.size(); ++i) {
      Hop& hop = it_.hops[i];
      hop.arrival = local(i)                 ? Arrival::kLocal
                    : use_[i].first == kNone ? Arrival::kFinal
                                             : Arrival::kCredited;
      if (hop.arrival == Arrival::kCredited) ++in_round[{s_.transfers[i].to, s_.transfers[i].round}];
    }
    for (std::uint32_t i = 0; i < use_.size(); ++i)
      if (it_.hops[i].arrival == Arrival::kCredited &&
          in_round[{s_.transfers[i].to, s_.transfers[i].round}] > 1)
        it_.hops[i].arrival = Arrival::kAlone;
  }

  // Assigns a transfer of the rank to each slot to be returned; slots without one are not reused.
  void give_back(const std::vector<std::uint32_t>& run) {
    std::vector<std::uint32_t> ready;  // arrivals that any later transfer may return
    for (const std::uint32_t i : run) {
      for (const std::uint32_t a : needs_[i]) {
        if (it_.hops[a].arrival != Arrival::kCredited || use_[a].first != i) continue;
        if (s_.transfers[a].kind == TransferKind::kCopy)
          ready.push_back(a);
        else if (use_[a].last == i && it_.hops[i].gives_back == kNone)
          give(i, a);
      }
      if (it_.hops[i].gives_back == kNone && !ready.empty()) {
        give(i, ready.front());
        ready.erase(ready.begin());
      }
    }
    for (const std::uint32_t i : run)
      for (const std::uint32_t a : needs_[i])
        if (it_.hops[a].arrival == Arrival::kCredited && use_[a].back_in == kNone)
          it_.hops[a].arrival = Arrival::kAlone;
  }

  void give(std::uint32_t hop, std::uint32_t arrival) {
    it_.hops[hop].gives_back = arrival;
    use_[arrival].back_in = s_.transfers[hop].round;
  }

  void fill_boxes() {
    using Key =
        std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // receiver, sender, lifetime or round
    std::map<Key, std::uint32_t> known;
    for (std::uint32_t i = 0; i < it_.hops.size(); ++i) {
      Hop& hop = it_.hops[i];
      const Transfer& t = s_.transfers[i];
      if (hop.arrival != Arrival::kAlone && hop.arrival != Arrival::kCredited) continue;
      const bool credited = hop.arrival == Arrival::kCredited;
      const std::uint32_t lifetime = credited ? use_[i].back_in - t.round : 0;
      const Key key = credited ? Key{t.to, t.from, lifetime} : Key{t.to, kNone, t.round};
      const auto [at, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(it_.boxes.size()));
      if (fresh) it_.boxes.push_back({t.to, credited, lifetime, {}});
      hop.box = at->second;
      it_.boxes[hop.box].hops.push_back(i);
    }
  }

  // The first reader of an arrival waits for it, and thereby for all that share its counter's value.
  void place_waits() {
    std::vector<bool> awaited(use_.size(), false);
    for (const auto& run : it_.of_rank)
      for (const std::uint32_t i : run)
        for (const std::uint32_t a : needs_[i]) {
          if (awaited[a] || local(a)) continue;
          it_.hops[i].waits.push_back(a);
          awaited[a] = true;
          const Box& box = it_.boxes[it_.hops[a].box];
          if (!box.credited)
            for (const std::uint32_t other : box.hops) awaited[other] = true;
        }
  }

  const Schedule& s_;
  std::vector<Held> held_;
  std::vector<Use> use_;
  std::vector<std::vector<std::uint32_t>> needs_ = std::vector<std::vector<std::uint32_t>>(use_.size());
  Itinerary it_;
};

}  // namespace

Itinerary follow(const Schedule& schedule) { return Follower(schedule).follow(); }

}  // namespace tahoma::runtime::collective
