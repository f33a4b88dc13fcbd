// SPDX-License-Identifier: Apache-2.0
// The channel that times each segment on arrival: closed forms of single segments, bounds of streams, and its
// distance to the channel that issues every command.
#include "model/memory/banks/bank_channel.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "model/base/params.h"
#include "model/memory/dram/channel.h"
#include "model/memory/hbm/dram_access.h"
#include "model/memory/hbm/hbm_params.h"

using namespace tahoma;
using namespace tahoma::model;
using dram::BankChannel, dram::Segment, dram::Tick;

namespace {

HbmParams default_stack() {
  HbmParams p;
  base::ParamTree tree("machine");
  p.declare(tree);
  return p;
}

struct Part {
  std::shared_ptr<const DramDesign> design;
  dram::BankRules rules;
  explicit Part(const HbmParams& params = default_stack())
      : design(design_of(params, 1)), rules(design->organisation, design->timing, design->policy) {}
  BankChannel channel() const { return BankChannel(rules); }
  const dram::Timing& t() const { return design->timing; }
  // Bank `bank` of bank group `group` of the first stack ID.
  Segment at(Tick arrival, std::uint32_t group, std::uint32_t bank, std::uint32_t row,
             std::uint32_t accesses) const {
    Segment s;
    s.arrival = arrival;
    s.bank = static_cast<std::uint8_t>(group * design->organisation.banks + bank);
    s.row = row;
    s.accesses = accesses;
    return s;
  }
};

Part without_refresh() {
  HbmParams p = default_stack();
  p.dram.refresh = dram::Refresh::kNone;
  return Part(p);
}

// Slots of the first pseudo-channel, which must have had all segments.
std::vector<BankChannel::Taken> in_order(BankChannel& channel) {
  std::vector<BankChannel::Taken> taken = channel.taken();
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  return taken;
}
std::size_t taken_twice(BankChannel& channel) {
  const auto taken = in_order(channel);
  std::size_t twice = 0;
  for (std::size_t n = 1; n < taken.size(); ++n) twice += taken[n].from < taken[n - 1].until ? 1 : 0;
  return twice;
}
Tick taken_in_all(BankChannel& channel) {
  Tick all = 0;
  for (const BankChannel::Taken& t : channel.taken()) all += t.until - t.from;
  return all;
}

Segment written(Segment s) {
  s.write = true;
  return s;
}

// Requests of `bytes` at random places, `load` times the rate of the stack, a share of them writes.
struct Traffic {
  std::uint32_t bytes = 4096;
  double load = 0.5, writes = 0;
  std::size_t requests = 30'000;
};

struct Latencies {
  double mean = 0;  // of the reads
  Tick end = 0;     // of the last read
};

class Comparison {
 public:
  Comparison(const Part& part, const Traffic& traffic) : part_(part) {
    for (std::uint32_t c = 0; c < part.design->organisation.channels; ++c) {
      banks_.push_back(part.channel());
      commands_.push_back(
          std::make_unique<dram::Channel>(part.design->organisation, part.t(), part.design->policy));
    }
    generate(traffic);
    for (auto& channel : commands_) {
      channel->advance(arrivals_.back() + 10'000'000);
      for (const dram::Done& done : channel->finished()) note(by_commands_, done.tag, done.last);
    }
  }
  Latencies by_banks() const { return summary(by_banks_); }
  Latencies by_commands() const { return summary(by_commands_); }

 private:
  void generate(const Traffic& traffic) {
    std::mt19937_64 random(7);
    const dram::Organisation& o = part_.design->organisation;
    const double pins = o.channels * o.pseudo_channels;
    const double takes = traffic.bytes / o.access_bytes * static_cast<double>(part_.t().burst) / pins;
    std::exponential_distribution<double> distance(traffic.load / takes);
    DramAccess access(*part_.design, {});
    sim::RowPattern rows;
    rows.start(traffic.bytes);
    double now = 1000;
    for (std::size_t n = 0; n < traffic.requests; ++n) {
      now += distance(random);
      const bool write = static_cast<double>(random() % 1000) < 1000 * traffic.writes;
      const std::uint64_t offset = random() % (1 << 20) * traffic.bytes;
      start(access.parts(offset, rows, write), static_cast<Tick>(now), write);
    }
  }
  void start(const std::vector<DramAccess::Part>& parts, Tick arrival, bool write) {
    const auto tag = static_cast<std::uint32_t>(arrivals_.size());
    arrivals_.push_back(arrival);
    reads_.push_back(!write);
    for (const DramAccess::Part& part : parts) {
      Segment s = part.segment;
      s.arrival = arrival;
      s.tag = tag;
      commands_[part.channel]->submit(s);
      note(by_banks_, tag, banks_[part.channel].pass(s, arrival).last);
    }
  }
  static void note(std::vector<Tick>& ends, std::uint32_t tag, Tick end) {
    if (ends.size() <= tag) ends.resize(tag + 1);
    ends[tag] = std::max(ends[tag], end);
  }
  Latencies summary(const std::vector<Tick>& ends) const {
    Latencies l;
    double sum = 0, count = 0;
    for (std::size_t n = 0; n < ends.size(); ++n) {
      if (!reads_[n]) continue;
      sum += static_cast<double>(ends[n] - arrivals_[n]);
      ++count;
      l.end = std::max(l.end, ends[n]);
    }
    l.mean = sum / count;
    return l;
  }

  const Part& part_;
  std::vector<BankChannel> banks_;
  std::vector<std::unique_ptr<dram::Channel>> commands_;
  std::vector<Tick> arrivals_, by_banks_, by_commands_;
  std::vector<bool> reads_;
};

}  // namespace

TEST_CASE("bank channel: a read of a closed, an open and another row takes tRCD, nothing, and tRP + tRCD",
          "[dram]") {
  const Part part = without_refresh();
  const dram::Timing& t = part.t();
  BankChannel channel = part.channel();
  const Tick train = 31 * t.ccd_long + t.burst;
  const auto closed = channel.pass(part.at(1000, 0, 0, 5, 32), 1000);
  CHECK(closed.first == 1000 + t.rcd_read + t.cl);
  CHECK(closed.last == closed.first + train);
  const auto open = channel.pass(part.at(5000, 0, 0, 5, 32), 5000);
  CHECK(open.first == 5000 + t.cl);
  CHECK(open.last == open.first + train);
  const auto other = channel.pass(part.at(9000, 0, 0, 6, 1), 9000);
  CHECK(other.first == 9000 + t.rp + t.rcd_read + t.cl);
  CHECK(other.last == other.first + t.burst);
  const dram::Tally tally = channel.finish(10'000);
  CHECK(tally.row_misses == 1);
  CHECK(tally.row_conflicts == 1);
  CHECK(tally.row_hits == 63);
  CHECK(tally.activates == 2);
  CHECK(tally.precharges == 1);
  CHECK(tally.data == 65 * t.burst);
}

TEST_CASE("bank channel: two rows of one bank keep tRC, tRAS and tRTP", "[dram]") {
  const Part part = without_refresh();
  const dram::Timing& t = part.t();
  BankChannel channel = part.channel();
  channel.pass(part.at(1000, 0, 0, 5, 1), 1000);
  const Tick precharge = 1000 + std::max(t.ras, t.rcd_read + t.rtp);
  const Tick activate = std::max(precharge + t.rp, 1000 + t.rc);
  CHECK(channel.pass(part.at(1000, 0, 0, 6, 1), 1000).first == activate + t.rcd_read + t.cl);
}

TEST_CASE("bank channel: segments of two bank groups share the pins, those of one follow each other",
          "[dram]") {
  const Part part = without_refresh();
  const dram::Timing& t = part.t();
  BankChannel shared = part.channel(), alone = part.channel();
  const Tick single = shared.pass(part.at(1000, 0, 0, 5, 32), 1000).last;
  const Tick spacing = std::max(t.rrd_short, (t.faw + 3) / 4) + t.burst;
  CHECK(shared.pass(part.at(1000, 1, 0, 5, 32), 1000).last <= single + spacing);
  CHECK(alone.pass(part.at(1000, 0, 0, 5, 32), 1000).last == single);
  CHECK(alone.pass(part.at(1000, 0, 1, 5, 32), 1000).last == single + 32 * t.ccd_long);
}

TEST_CASE("bank channel: a read waits for the refresh of its bank, and a refresh divides a train", "[dram]") {
  const Part part;
  const dram::Timing& t = part.t();
  const Tick due = t.refi / part.design->organisation.banks_per_stack_id();  // of bank 0
  BankChannel waiting = part.channel();
  CHECK(waiting.pass(part.at(due + 1, 0, 0, 5, 1), due + 1).first == due + t.rfc_bank + t.rcd_read + t.cl);
  BankChannel divided = part.channel();
  const Tick arrival = due - t.rcd_read - 10 * t.ccd_long;  // ten column commands before the refresh
  const auto passage = divided.pass(part.at(arrival, 0, 0, 5, 32), arrival);
  CHECK(passage.first == arrival + t.rcd_read + t.cl);
  const Tick precharge = std::max(due, due - t.ccd_long + t.rtp) + t.rp;
  CHECK(passage.last == precharge + t.rfc_bank + t.rcd_read + 21 * t.ccd_long + t.cl + t.burst);
  CHECK(divided.finish(t.refi).refreshes == 16 * 2 * 2);  // of two stack IDs and pseudo-channels
}

TEST_CASE("bank channel: with a phase of refreshes everything happens as behind an idle time as long",
          "[dram]") {
  const Part late;
  HbmParams with_phase = default_stack();
  const Tick parts = late.design->organisation.banks_per_stack_id(), unit = 2 * late.t().column_slot;
  const Tick phase = (5 * late.t().refi / parts - 1) / unit * unit;  // just before a refresh
  with_phase.dram.refresh_phase = late.t().clock.edge({phase});
  const Part phased(with_phase);
  REQUIRE(phased.t().refresh_phase == phase);
  BankChannel a = phased.channel(), b = late.channel();
  std::mt19937 random(1);
  Tick last = 0;
  for (Tick arrival = 1; arrival < 3 * late.t().refi; arrival += 1 + random() % 200) {
    const std::uint32_t group = random() % 4, bank = random() % 4, row = random() % 8;
    const auto of_a = a.pass(phased.at(arrival, group, bank, row, 4), arrival);
    const auto of_b = b.pass(late.at(arrival + phase, group, bank, row, 4), arrival + phase);
    CHECK(of_a.first + phase == of_b.first);
    CHECK(of_a.last + phase == of_b.last);
    last = of_a.last;
  }
  CHECK(a.finish(last).refreshes == b.finish(last + phase).refreshes - 4 * 2 * 2);  // four turns were before
}

TEST_CASE("bank channel: a stream fills the pins, and no slot is taken twice", "[dram]") {
  const Part part = without_refresh();
  BankChannel channel = part.channel();
  Tick last = 0;
  constexpr std::uint32_t kRows = 500;
  for (std::uint32_t n = 0; n < kRows; ++n)
    last = std::max(last, channel.pass(part.at(0, n % 2, n / 2 % 4, n / 8, 32), 0).last);
  const Tick slots = kRows * 32 * part.t().burst;
  CHECK(last >= slots);
  CHECK(last <= slots * 102 / 100 + part.t().rcd_read + part.t().cl);
  CHECK(taken_twice(channel) == 0);
}

// Writes that are issued while no read is queued are decided when the next segment arrives.
TEST_CASE("bank channel: reads, and writes that are decided long after their time, never take a slot twice",
          "[dram]") {
  const Part part;
  std::mt19937_64 random(11);
  BankChannel channel = part.channel();
  Tick now = 0;
  for (int n = 0; n < 20'000; ++n) {
    now += random() % 50 == 0 ? 20'000 : static_cast<Tick>(random() % 200);
    Segment s = part.at(now, random() % 4, random() % 4, random() % 64, 1 + random() % 32);
    s.write = random() % 3 == 0;
    channel.pass(s, now);
  }
  const dram::Tally tally = channel.finish(now + 1'000'000);
  CHECK(taken_twice(channel) == 0);
  CHECK(taken_in_all(channel) ==
        static_cast<Tick>(tally.read_accesses + tally.write_accesses) * part.rules.slot);
}

TEST_CASE("bank channel: writes enter at once until the queue is full, then at the rate of the pins",
          "[dram]") {
  const Part part = without_refresh();
  BankChannel channel = part.channel();
  const std::uint32_t queue = part.design->policy.write_queue;
  for (std::uint32_t n = 0; n < queue / 32; ++n)
    CHECK(channel.pass(written(part.at(1000, n % 4, 0, n, 32)), 1000).last == 1000);
  Tick enters = channel.pass(written(part.at(1000, 0, 1, 1, 32)), 1000).last;
  CHECK(enters > 1000);
  constexpr std::uint32_t kMore = 400;
  const Tick first = enters;
  for (std::uint32_t n = 0; n < kMore; ++n)
    enters = std::max(enters, channel.pass(written(part.at(1000, n % 4, n / 4 % 4, n, 32)), 1000).last);
  const Tick pace = 32 * part.t().burst / part.design->organisation.pseudo_channels;
  CHECK(enters - first == kMore * pace);
}

TEST_CASE("bank channel: a read that finds the queue full waits until one leaves", "[dram]") {
  HbmParams params = default_stack();
  params.dram.refresh = dram::Refresh::kNone;
  params.dram.read_queue = 32;
  const Part part(params);
  const dram::Timing& t = part.t();
  BankChannel channel = part.channel();
  const Tick last = channel.pass(part.at(1000, 0, 0, 5, 32), 1000).last;
  const Tick leaves = last - t.cl - t.burst + 1;
  CHECK(channel.pass(part.at(1000, 1, 0, 5, 32), 1000).first == leaves + t.rcd_read + t.cl);
}

TEST_CASE("bank channel: a write that is announced ahead delays no read before it", "[dram]") {
  const Part part = without_refresh();
  BankChannel channel = part.channel(), undisturbed = part.channel();
  CHECK(channel.pass(written(part.at(50'000, 0, 0, 9, 32)), 1000).last == 50'000);
  for (Tick now = 1000; now < 40'000; now += 3000) {
    const Segment read = part.at(now, 0, 0, 5, 32);
    CHECK(channel.pass(read, now).last == undisturbed.pass(read, now).last);
  }
}

// Closer to saturation, a wait grows by a fifth when the capacity differs by two percent.
TEST_CASE("bank channel: up to a load of 0.8, mean latencies are within 12 % of the channel with commands",
          "[dram]") {
  const Part part;
  for (const double load : {0.3, 0.6, 0.8}) {
    const Comparison c(part, {4096, load, 0});
    CAPTURE(load, c.by_banks().mean, c.by_commands().mean);
    CHECK(c.by_banks().mean == Approx(c.by_commands().mean).epsilon(0.12));
  }
}

TEST_CASE("bank channel: saturated, it takes as long as the channel with commands within 5 %", "[dram]") {
  const Part part;
  for (const double writes : {0.0, 0.3}) {
    const Comparison c(part, {4096, 2, writes});
    CAPTURE(writes);
    CHECK(static_cast<double>(c.by_banks().end) ==
          Approx(static_cast<double>(c.by_commands().end)).epsilon(0.05));
  }
}
