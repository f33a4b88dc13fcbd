// SPDX-License-Identifier: Apache-2.0
// Events that an observer receives from a run: they are complete, in order and consistent with the
// statistics, and do not affect them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

namespace {

struct Records final : base::Observer, base::ProbeObserver {
  void instruction(const base::InstructionActivity& activity) override { instructions.push_back(activity); }
  void transfer(const base::TransferActivity& activity) override { transfers.push_back(activity); }
  void packet(const base::PacketActivity& activity) override { packets.push_back(activity); }
  void semaphore(const base::SemaphoreActivity& activity) override { semaphores.push_back(activity); }

  std::vector<base::InstructionActivity> instructions;
  std::vector<base::TransferActivity> transfers;
  std::vector<base::PacketActivity> packets;
  std::vector<base::SemaphoreActivity> semaphores;

  void watch(model::System& system) {
    system.observe(static_cast<base::Observer*>(this));
    system.observe(static_cast<base::ProbeObserver*>(this));
  }

  // Records of one queue, in the order of arrival.
  std::vector<base::InstructionActivity> of(std::uint32_t core, isa::Queue queue) const {
    std::vector<base::InstructionActivity> own;
    for (const auto& a : instructions)
      if (a.core == core && a.queue == static_cast<std::uint8_t>(queue)) own.push_back(a);
    return own;
  }
};

// Loads in two rings, a loop, work on three engines that wait for each other, a store.
constexpr const char* kProgram = R"(.program busy
.args in out
sync:
  dma_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=64x500 dst=sbuf[0, 0x1000]:fp32 src=in:fp32 ring=1 update=s1+=1
  reg_set d=r1 imm=0
again:
  reg_alu d=r1 a=r1 op=add imm=1
  sem_set update=s2+=3
  branch a=r1 compare=lt imm=4 target=again
  sem_set update=s2-=2
  dma_copy shape=128x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s4>=2 update=s5+=1
  sem_wait wait=s5>=16
  sem_set update=s5=7
vector:
  tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16 update=s3+=1
  tensor_scalar shape=64x500 dst=sbuf[0, 0x1000]:fp32 src=sbuf[0, 0x1000]:fp32 op0=mult scalar0=2 wait=s1>=16 update=s3+=1
gpsimd:
  tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 wait=s3>=2 update=s4+=2
)";

struct Observed {
  Records records;
  base::RunMeasurement run;
  std::string statistics;  // without the number of activations, which run-ahead reduces
};

Observed observed(bool watched = true, bool run_ahead = true, Mode mode = Mode::kTiming) {
  Observed o;
  model::System system(machine_of(1, 1, 1), mode, run_ahead);
  for (const std::uint32_t core : {0U, 3U}) system.load(core, text_program(kProgram), tensor_arguments());
  if (watched) o.records.watch(system);
  o.run = system.run();
  base::StatSink sink;
  system.collect(sink);
  for (const base::Stat& s : sink.stats())
    if (s.path != "engine_activations")
      o.statistics += s.path + " " + std::visit([](auto v) { return std::to_string(v); }, s.value) + "\n";
  return o;
}

// The records as a set: sorted lines.
std::string lines_of(const Records& records) {
  std::vector<std::string> lines;
  const auto line = [&](auto... numbers) {
    std::string text;
    ((text += std::to_string(numbers) + " "), ...);
    lines.push_back(text + "\n");
  };
  for (const auto& a : records.instructions)
    line(0, a.core, a.queue, a.index, a.start.fs, a.next.fs, a.complete.fs);
  for (const auto& a : records.packets)
    line(1, a.core, a.engine, a.ring, a.bytes, a.elements, a.last, a.start.fs, a.read_done.fs,
         a.write_done.fs);
  for (const auto& a : records.semaphores) line(2, a.core, a.semaphore, a.sets, a.by, a.visible.fs);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& l : lines) text += l;
  return text;
}

}  // namespace

TEST_CASE("observer: every retired instruction has one record, in the order of its queue", "[activity]") {
  const Observed o = observed();
  CHECK(o.records.instructions.size() == o.run.instructions);
  const std::vector<std::uint32_t> executed{0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 6, 7, 8, 9};
  for (const std::uint32_t core : {0U, 3U}) {
    std::vector<std::uint32_t> indices;
    for (const auto& a : o.records.of(core, isa::Queue::kSync)) indices.push_back(a.index);
    CHECK(indices == executed);
    CHECK(o.records.of(core, isa::Queue::kVector).size() == 2);
    CHECK(o.records.of(core, isa::Queue::kGpSimd).size() == 1);
    CHECK(o.records.of(core, isa::Queue::kTensor).empty());
  }
  CHECK(o.records.of(1, isa::Queue::kSync).empty());
}

// The sequencer may decode later instructions before an instruction starts, while its engine's queue has
// space.
TEST_CASE("observer: a queue is looked at and starts in order, each instruction after its turn",
          "[activity]") {
  const Observed o = observed();
  for (const isa::Queue queue : {isa::Queue::kSync, isa::Queue::kVector, isa::Queue::kGpSimd}) {
    base::Time looked_at{0}, started{0};
    for (const auto& a : o.records.of(0, queue)) {
      CHECK(a.start >= looked_at);
      CHECK(a.start >= started);
      CHECK(a.next >= looked_at);
      CHECK(a.complete >= a.start);
      looked_at = a.next;
      started = a.start;
    }
    CHECK(looked_at > base::Time{0});
  }
}

TEST_CASE("observer: packets add up to the statistics of their core", "[activity]") {
  const Observed o = observed();
  for (const base::DmaMeasurement& dma : o.run.dma) {
    std::uint64_t packets = 0, bytes = 0, last = 0;
    for (const auto& p : o.records.packets) {
      if (p.core != dma.core) continue;
      packets += p.bytes > 0 ? 1 : 0;  // an engine without data writes its semaphore alone
      bytes += p.bytes;
      last += p.last ? 1 : 0;
      CHECK(p.start < p.read_done);
      CHECK(p.read_done <= p.write_done);
    }
    INFO(dma.path);
    CHECK(packets == dma.packets);
    CHECK(bytes == dma.bytes);
    CHECK(last == 16 * dma.transfers);  // one share on each of the 16 engines
  }
  const std::uint64_t all = 2 * 4 * (2 * 128 * 512 + 64 * 500);  // two cores, fp32
  std::uint64_t bytes = 0;
  for (const auto& p : o.records.packets) bytes += p.bytes;
  CHECK(bytes == all);
}

TEST_CASE("observer: a transfer is all of its packets together", "[activity]") {
  const Observed o = observed();
  std::map<std::tuple<std::uint32_t, std::uint8_t, std::uint32_t>, base::TransferActivity> all;
  for (const auto& p : o.records.packets) {
    base::TransferActivity& t = all[{p.core, p.queue, p.index}];
    t.packets += p.bytes > 0 ? 1 : 0;
    t.bytes += p.bytes;
    t.read_bytes += p.read_bytes;
    t.write_bytes += p.write_bytes;
    t.busy += p.busy;
    t.blocked += p.blocked;
    t.starved += p.starved;
    t.issued = std::min(t.issued, p.issued);
    t.start = std::min(t.start, p.start);
    t.read_done = std::max(t.read_done, p.read_done);
    t.end = std::max(t.end, p.write_done);
  }
  REQUIRE(o.records.transfers.size() == all.size());
  for (const auto& t : o.records.transfers) {
    const base::TransferActivity& sum = all.at({t.core, t.queue, t.index});
    CHECK(t.packets == sum.packets);
    CHECK(t.bytes == sum.bytes);
    CHECK(t.read_bytes == sum.read_bytes);
    CHECK(t.write_bytes == sum.write_bytes);
    CHECK(t.busy == sum.busy);
    CHECK(t.start == sum.start);
    CHECK(t.read_done == sum.read_done);
    CHECK(t.end == sum.end);
    CHECK(t.blocked == sum.blocked);
    CHECK(t.starved == sum.starved);
    CHECK(t.issued == sum.issued);
    CHECK(t.rung < t.issued);
    CHECK(t.issued <= t.start);
  }
}

// An engine passes data or waits for them: not longer than the transfer takes, and not for the fabric on one
// chip.
TEST_CASE("observer: what the engines of a transfer do fits in its time", "[activity]") {
  const Observed o = observed();
  for (const auto& t : o.records.transfers) {
    CHECK((t.busy + t.blocked + t.starved).fs <= 16 * (t.read_done - t.issued).fs);
    CHECK(t.blocked.fs == 0);
    CHECK(t.held <= t.end - t.issued);
    if (t.read_bytes > 0) CHECK(t.starved.fs > 0);  // the latency of HBM at least
    CHECK_FALSE(t.reads_far);
    CHECK_FALSE(t.writes_far);
  }
}

TEST_CASE("observer: semaphore changes rebuild the values that the program leaves", "[activity]") {
  const Observed o = observed();
  std::vector<base::SemaphoreActivity> changes = o.records.semaphores;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.visible < b.visible; });
  std::map<std::pair<std::uint32_t, unsigned>, std::int64_t> values;
  for (const auto& c : changes) {
    std::int64_t& value = values[{c.core, c.semaphore}];
    value = c.sets ? c.by : value + c.by;
  }
  // Each of the 16 engines increments a transfer's semaphore; four rounds of the loop by 3, then 2 less.
  const std::map<unsigned, std::int64_t> left{{0, 16}, {1, 16}, {2, 10}, {3, 2}, {4, 2}, {5, 7}};
  for (const std::uint32_t core : {0U, 3U})
    for (const auto& [semaphore, value] : left) CHECK(values[{core, semaphore}] == value);
  CHECK(values.size() == 2 * left.size());
}

TEST_CASE("observer: a waiting instruction starts after the change that it waits for", "[activity]") {
  const Observed o = observed();
  const auto visible = [&](unsigned semaphore, std::int64_t at_least) {
    std::vector<base::SemaphoreActivity> changes;
    for (const auto& c : o.records.semaphores)
      if (c.core == 0 && c.semaphore == semaphore) changes.push_back(c);
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.visible < b.visible; });
    std::int64_t value = 0;
    for (const auto& c : changes)
      if ((value += c.by) >= at_least) return c.visible;
    return base::kNever;
  };
  CHECK(o.records.of(0, isa::Queue::kVector)[0].start > visible(0, 16));
  CHECK(o.records.of(0, isa::Queue::kVector)[1].start > visible(1, 16));
  CHECK(o.records.of(0, isa::Queue::kGpSimd)[0].start > visible(3, 2));
  CHECK(o.records.of(0, isa::Queue::kSync)[16].start > visible(4, 2));
  // The instruction's completion increments the semaphore, which is seen later.
  CHECK(visible(3, 2) > o.records.of(0, isa::Queue::kVector)[1].complete);
}

TEST_CASE("observer: two cores at a rendezvous have a record each, with the same end", "[activity]") {
  auto machine = machine_of(1, 1, 1);
  machine.chip.lnc = 2;
  model::System system(machine, Mode::kTiming);
  const auto program = text_program(
      ".program p\ngpsimd:\n"
      "  sendrecv shape=128x64 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32\n"
      "  core_barrier\n");
  for (const std::uint32_t core : {2U, 3U}) system.load(core, program, tensor_arguments());
  Records records;
  records.watch(system);
  CHECK(system.run().instructions == 4);
  const auto one = records.of(2, isa::Queue::kGpSimd), other = records.of(3, isa::Queue::kGpSimd);
  REQUIRE(one.size() == 2);
  REQUIRE(other.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(one[i].index == i);
    CHECK(one[i].start < one[i].complete);
    CHECK(one[i].complete == other[i].complete);
  }
}

TEST_CASE("observer: observing changes no statistic", "[activity]") {
  const auto statistics = [](bool watched) { return in_child([&] { return observed(watched).statistics; }); };
  const std::string alone = statistics(false);
  CHECK(alone == statistics(true));
  CHECK(alone.size() > 1000);
}

TEST_CASE("observer: run-ahead and mode change no record", "[activity]") {
  const auto records = [](bool run_ahead, Mode mode) {
    return in_child([&] { return lines_of(observed(true, run_ahead, mode).records); });
  };
  const std::string ahead = records(true, Mode::kTiming);
  CHECK(ahead == records(false, Mode::kTiming));
  CHECK(ahead == records(true, Mode::kFunctional));
  CHECK(ahead.size() > 1000);
}
