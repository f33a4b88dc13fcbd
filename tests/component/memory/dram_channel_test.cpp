// SPDX-License-Identifier: Apache-2.0
// The fast DRAM channel compared with the rules and with the independent stepped model, over random parts,
// policies and traffic.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/support/random/random_dram.h"
#include "tests/support/reference/dram_rules.h"
#include "tests/support/reference/dram_service.h"
#include "tests/support/reference/stepped_channel.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

using dram::Channel, dram::Segment;

struct Mix {
  DramSetup setup;
  std::vector<Segment> traffic;
};

Mix mix(std::uint64_t seed, std::uint32_t segments = 60) {
  DramGenerator random(seed);
  Mix m{random.setup(), {}};
  m.traffic = random.traffic(m.setup, segments);
  return m;
}

double accesses_per_tick(const Mix& m, const Service& service) {
  double accesses = 0;
  for (const Segment& s : m.traffic) accesses += s.accesses;
  return accesses / static_cast<double>(last_data(m.setup, service));
}

struct Agreement {
  unsigned mixes = 0, identical = 0;
  double worst = 0;                             // relative difference of bandwidth
  std::map<CommandKind, std::size_t> commands;  // by the fast channel
  unsigned turns = 0, late_writes = 0;
  unsigned arbitrated = 0, held = 0;  // mixes with these policies

  void count(const Mix& m, const Service& s) {
    std::optional<CommandKind> last;
    for (const Command& c : s.log) {
      ++commands[c.kind];
      if (!is_column(c.kind)) continue;
      if (last && *last != c.kind) ++turns;
      last = c.kind;
    }
    if (m.setup.policy.column_bus == dram::ColumnBus::kArbitrated) ++arbitrated;
    if (m.setup.policy.queue_exit == dram::QueueExit::kActivate) ++held;
    for (const dram::Done& d : s.done)
      if (d.write && d.first > m.traffic[d.tag].arrival) ++late_writes;
  }
};

void compare(std::uint64_t seed, Agreement& agreement) {
  const Mix m = mix(seed);
  const Service fast = serve<Channel>(m.setup, m.traffic), slow = serve<SteppedChannel>(m.setup, m.traffic);
  INFO("seed " << seed);
  for (const Service* s : {&fast, &slow}) {
    INFO((s == &fast ? "fast" : "stepped"));
    for (const Finding& f : broken_rules(s->log, m.setup, {s->end, m.setup.timing.refi}))
      FAIL_CHECK(f.text());
    for (const std::string& wrong : complaints(m.setup, m.traffic, *s)) FAIL_CHECK(wrong);
  }
  const double apart = std::abs(accesses_per_tick(m, fast) / accesses_per_tick(m, slow) - 1);
  const auto differs = difference(fast, slow);
  CHECK(differs.value_or("identical") == "identical");
  CHECK(apart <= 0.02);
  agreement.count(m, fast);
  ++agreement.mixes;
  if (!differs) ++agreement.identical;
  agreement.worst = std::max(agreement.worst, apart);
}

void compare_all(std::uint64_t first, std::uint64_t last) {
  Agreement agreement;
  for (std::uint64_t seed = first; seed <= last; ++seed) compare(seed, agreement);
  WARN(agreement.identical << " of " << agreement.mixes
                           << " logs are identical; bandwidths differ by at most " << 100 * agreement.worst
                           << " %");
  // An empty result cannot agree.
  for (CommandKind kind :
       {CommandKind::kActivate, CommandKind::kPrecharge, CommandKind::kPrechargeAll, CommandKind::kRead,
        CommandKind::kWrite, CommandKind::kRefreshAll, CommandKind::kRefreshBank})
    CHECK(agreement.commands[kind] > 100);
  CHECK(agreement.turns > 100);
  CHECK(agreement.late_writes > 100);
  CHECK(agreement.arbitrated > 20);
  CHECK(agreement.held > 10);
}

}  // namespace

TEST_CASE("DRAM channel: it keeps every rule and equals the stepped model, mixes 1 to 120", "[dram]") {
  compare_all(1, 120);
}

TEST_CASE("DRAM channel: it keeps every rule and equals the stepped model, mixes 121 to 240", "[dram]") {
  compare_all(121, 240);
}

TEST_CASE("DRAM channel: it keeps every rule and equals the stepped model, 4000 mixes", "[dram][slow]") {
  compare_all(1001, 5000);
}

TEST_CASE("DRAM channel: queues never hold more than they may, and are used", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Mix m = mix(seed);
    BusLog log;
    Channel fast(m.setup.organisation, m.setup.timing, m.setup.policy, &log);
    SteppedChannel slow(m.setup.organisation, m.setup.timing, m.setup.policy);
    const Service service = serve(fast, log, m.traffic);
    for (const Segment& s : m.traffic) slow.submit(s);
    slow.advance(service.end);
    INFO("seed " << seed);
    CHECK(fast.tally().most_reads <= m.setup.policy.read_queue);
    CHECK(fast.tally().most_writes <= m.setup.policy.write_queue);
    CHECK(fast.tally().most_reads == slow.most_reads());
    CHECK(fast.tally().most_writes == slow.most_writes());
  }
}

// Without a log the channel skips the refreshes of an idle channel.
TEST_CASE("DRAM channel: without a log it behaves the same", "[dram]") {
  std::uint64_t passed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Mix m = mix(seed);
    std::mt19937_64 random(seed);
    Tick later = 0;  // pauses between segments span up to many refreshes
    for (Segment& s : m.traffic) {
      if (random() % 4 == 0) later += static_cast<Tick>(random() % (1ULL << (random() % 16)));
      s.arrival += later;
    }
    BusLog log;
    Channel logged(m.setup.organisation, m.setup.timing, m.setup.policy, &log);
    Channel silent(m.setup.organisation, m.setup.timing, m.setup.policy);
    const Service service = serve(logged, log, m.traffic);
    for (const Segment& s : m.traffic) silent.submit(s);
    silent.advance(service.end);
    const std::vector<dram::Done> done = by_tag(silent.finished());
    INFO("seed " << seed);
    REQUIRE(done.size() == service.done.size());
    for (std::size_t n = 0; n < done.size(); ++n)
      CHECK(std::tie(done[n].first, done[n].last) == std::tie(service.done[n].first, service.done[n].last));
    const dram::Tally &a = logged.tally(), &b = silent.tally();
    CHECK(std::tie(a.row_hits, a.row_misses, a.activates) == std::tie(b.row_hits, b.row_misses, b.activates));
    CHECK(std::tie(a.refreshes, a.refresh, a.bank) == std::tie(b.refreshes, b.refresh, b.bank));
    passed += a.refreshes;
  }
  CHECK(passed > 1000);
}

TEST_CASE("DRAM channel: the division of time into calls of advance changes nothing", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Mix m = mix(seed);
    const Service whole = serve<Channel>(m.setup, m.traffic);
    BusLog log;
    Channel channel(m.setup.organisation, m.setup.timing, m.setup.policy, &log);
    std::mt19937_64 random(seed);
    const std::uint64_t longest = 1 + random() % 300;
    Service cut;
    auto next = m.traffic.begin();
    for (Tick now = -1; now < whole.end;) {  // a segment is submitted as late as possible
      now = std::min<Tick>(whole.end, now + 1 + static_cast<Tick>(random() % longest));
      while (next != m.traffic.end() && next->arrival <= now) channel.submit(*next++);
      channel.advance(now);
    }
    cut.end = whole.end;
    cut.log = log.sorted();
    cut.done = by_tag(channel.finished());
    INFO("seed " << seed);
    CHECK(difference(whole, cut).value_or("identical") == "identical");
  }
}

// A stack does not examine a channel before these bounds (dram_stack.cpp), and would answer late.
TEST_CASE("DRAM channel: no read ends before the bounds that were given for it", "[dram]") {
  std::size_t given = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Mix m = mix(seed);
    Channel channel(m.setup.organisation, m.setup.timing, m.setup.policy);
    std::mt19937_64 random(seed);
    const std::uint64_t longest = 1 + random() % 60;
    std::map<std::uint32_t, Tick> bounds;  // highest bound of each read in flight
    auto next = m.traffic.begin();
    for (Tick now = -1; next != m.traffic.end() || !bounds.empty();) {
      now += 1 + static_cast<Tick>(random() % longest);
      for (; next != m.traffic.end() && next->arrival <= now; ++next) {
        channel.submit(*next);
        if (!next->write) bounds[next->tag] = next->arrival + channel.passing_time(next->accesses);
      }
      channel.advance(now);
      for (const dram::Done& done : channel.finished()) {
        if (done.write) continue;
        INFO("seed " << seed << ", segment " << done.tag);
        CHECK(done.last >= bounds.at(done.tag));
        bounds.erase(done.tag);
      }
      channel.finished().clear();
      const Tick earliest = channel.earliest_read_end();
      for (auto& [tag, bound] : bounds) bound = std::max(bound, earliest);
      given += bounds.size();
    }
  }
  CHECK(given > 100'000);
}

TEST_CASE("DRAM channel: a write enters on arrival if the queue has space, otherwise later", "[dram]") {
  unsigned at_once = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Mix m = mix(seed);
    Channel channel(m.setup.organisation, m.setup.timing, m.setup.policy);
    const Tick now = static_cast<Tick>(seed * 37 % 2000);
    for (const Segment& s : m.traffic)
      if (s.arrival <= now) channel.submit(s);
    channel.advance(now);
    const Segment probe{true,    0,  0, 0, 1 + static_cast<std::uint32_t>(seed % m.setup.policy.write_queue),
                        now + 1, 999};
    const bool room = channel.has_room(true, probe.accesses);
    channel.submit(probe);
    channel.advance(now + 200'000);
    const auto done = std::find_if(channel.finished().begin(), channel.finished().end(),
                                   [](const dram::Done& d) { return d.tag == 999; });
    INFO("seed " << seed);
    REQUIRE(done != channel.finished().end());
    CHECK((done->first == now + 1) == room);
    ++(room ? at_once : later);
  }
  CHECK(at_once > 5);
  CHECK(later > 5);
}

TEST_CASE("DRAM judges: a slightly altered service is distinguished from the true one", "[dram]") {
  const Mix m = mix(3);
  const Service truth = serve<SteppedChannel>(m.setup, m.traffic);
  REQUIRE(!difference(truth, truth));
  REQUIRE(complaints(m.setup, m.traffic, truth).empty());
  const auto column = [](Service& s) {
    return std::find_if(s.log.begin(), s.log.end(),
                        [](const Command& c) { return c.kind == CommandKind::kRead; });
  };
  const auto read = [](Service& s) {
    return std::find_if(s.done.begin(), s.done.end(), [](const dram::Done& d) { return !d.write; });
  };

  Service late = truth;
  ++column(late)->at;
  CHECK(difference(truth, late));
  CHECK(!broken_rules(late.log, m.setup, {late.end, m.setup.timing.refi}).empty());

  Service lost = truth;
  lost.log.erase(column(lost));
  CHECK(difference(truth, lost));
  CHECK(!complaints(m.setup, m.traffic, lost).empty());

  Service early = truth;
  --read(early)->first;
  CHECK(difference(truth, early));
  CHECK(!complaints(m.setup, m.traffic, early).empty());

  Service unreported = truth;
  unreported.done.pop_back();
  CHECK(difference(truth, unreported));
  CHECK(!complaints(m.setup, m.traffic, unreported).empty());

  Service twice = truth;
  twice.done.push_back(twice.done.back());
  CHECK(difference(truth, twice));
  CHECK(!complaints(m.setup, m.traffic, twice).empty());
}

// A machine with a phase is one that was switched on so much earlier, if no refresh is in progress then.
TEST_CASE("DRAM: with a phase of refreshes everything happens as behind an idle time as long", "[dram]") {
  unsigned compared = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Mix early = mix(seed);
    const dram::Timing& t = early.setup.timing;
    const Tick parts = early.setup.policy.refresh == dram::Refresh::kPerBank
                           ? early.setup.organisation.banks_per_stack_id()
                           : 1;
    const Tick unit = 2 * t.column_slot;
    const Tick phase = (3 * t.refi / parts - 1) / unit * unit;  // just before a refresh
    const Tick idle = phase - 2 * t.refi / parts;
    if (early.setup.policy.refresh == dram::Refresh::kNone || phase >= t.refi ||
        idle < dram::refresh_settles(early.setup.organisation, t, early.setup.policy.refresh))
      continue;
    Mix phased = early, late = early;
    phased.setup.timing.refresh_phase = phase;
    for (dram::Segment& s : late.traffic) s.arrival += phase;
    const Service a = serve<Channel>(phased.setup, phased.traffic),
                  b = serve<Channel>(late.setup, late.traffic),
                  without = serve<Channel>(early.setup, early.traffic);
    REQUIRE(a.done.size() == b.done.size());
    for (std::size_t n = 0; n < a.done.size(); ++n) {
      CHECK(a.done[n].first + phase == b.done[n].first);
      CHECK(a.done[n].last + phase == b.done[n].last);
    }
    ++compared;
    if (a.done.back().last != without.done.back().last) ++moved;
  }
  CHECK(compared >= 5);
  CHECK(moved >= 1);  // a phase matters
}
