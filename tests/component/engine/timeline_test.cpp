// SPDX-License-Identifier: Apache-2.0
// Records of a timeline's observer: all of every engine's time, every transfer, every packet on a link, and
// the change of a semaphore that ended each wait.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

namespace {

struct Heard final : base::Observer, base::ProbeObserver, base::TimelineObserver {
  void instruction(const base::InstructionActivity& a) override { instructions.push_back(a); }
  void packet(const base::PacketActivity& a) override { packet_bytes += a.bytes; }
  void semaphore(const base::SemaphoreActivity&) override {}
  void stretch(const base::StretchActivity& a) override { stretches[{a.core, a.queue}].push_back(a); }
  void transfer(const base::TransferActivity& a) override { transfers.push_back(a); }
  void ring(const base::RingActivity& a) override { held[{a.core, a.ring}].push_back(a); }
  void link(const base::LinkActivity& a) override { links[a.path].push_back(a); }

  using Key = std::pair<std::uint32_t, std::uint8_t>;
  std::vector<base::InstructionActivity> instructions;
  std::uint64_t packet_bytes = 0;
  std::map<Key, std::vector<base::StretchActivity>> stretches;
  std::vector<base::TransferActivity> transfers;
  std::map<Key, std::vector<base::RingActivity>> held;
  std::map<std::string, std::vector<base::LinkActivity>> links;
};

// A load, a loop, work that waits for the load, and a store to the memory of another chip.
constexpr const char* kProgram = R"(.program busy
.args in out
sync:
  dma_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  reg_set d=r1 imm=0
again:
  reg_alu d=r1 a=r1 op=add imm=1
  branch a=r1 compare=lt imm=4 target=again
  dma_copy shape=128x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 ring=1 wait=s3>=1 update=s5+=1
  sem_wait wait=s5>=16
vector:
  tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16 update=s3+=1
)";

struct Observed {
  Heard heard;
  base::RunMeasurement run;
};

const Observed& observed() {
  static const auto once = [] {
    auto o = std::make_unique<Observed>();
    model::System system(machine_of(2, 1, 1), Mode::kTiming);
    const auto stack = [](std::uint32_t chip, std::uint64_t offset) {
      return isa::GlobalAddress{chip, 0, offset}.bits();
    };
    system.load(0, text_program(kProgram), {stack(0, 0), stack(1, 1 << 20)});
    system.observe(static_cast<base::Observer*>(&o->heard));
    system.observe(static_cast<base::ProbeObserver*>(&o->heard));
    system.observe(static_cast<base::TimelineObserver*>(&o->heard));
    o->run = system.run();
    return o;
  }();
  return *once;
}

}  // namespace

TEST_CASE("timeline: stretches tile the time of every engine and add up to its statistics", "[activity]") {
  const Observed& o = observed();
  std::size_t queue = 0;
  REQUIRE(o.heard.stretches.size() == o.run.engines.size());
  for (const base::EngineMeasurement& engine : o.run.engines) {
    const auto& stretches =
        o.heard.stretches.at({engine.core, static_cast<std::uint8_t>(queue++ % isa::kQueueCount)});
    std::array<base::Duration, base::kStallReasons> time{};
    base::Time cursor{0};
    for (const base::StretchActivity& s : stretches) {
      CHECK(s.start == cursor);
      cursor = s.end;
      time[static_cast<std::size_t>(s.name)] += s.end - s.start;
    }
    CHECK(cursor == o.run.elapsed);
    CHECK(time == engine.time);
  }
}

TEST_CASE("timeline: each transfer is reported once, with all its bytes, between doorbell and end",
          "[activity]") {
  const Observed& o = observed();
  REQUIRE(o.heard.transfers.size() == 2);
  std::uint64_t bytes = 0;
  for (const base::TransferActivity& t : o.heard.transfers) {
    bytes += t.bytes;
    CHECK(t.bytes == 128UL * 512 * 4);
    CHECK(t.rung < t.start);
    CHECK(t.start < t.end);
  }
  CHECK(bytes == o.heard.packet_bytes);
  CHECK(o.heard.transfers[0].ring == 0);
  CHECK(o.heard.transfers[1].ring == 1);
}

TEST_CASE("timeline: a ring is reported to hold a transfer until it is issued", "[activity]") {
  for (const std::uint8_t ring : {std::uint8_t{0}, std::uint8_t{1}}) {
    const auto& held = observed().heard.held.at({0, ring});
    REQUIRE(held.size() == 2);
    CHECK(held[0].held == 1);
    CHECK(held[1].held == 0);
    CHECK(held[0].when < held[1].when);
  }
}

TEST_CASE("timeline: packets of a link follow each other and add up to its statistics", "[activity]") {
  const Observed& o = observed();
  std::uint64_t told = 0;
  for (const base::LinkMeasurement& link : o.run.links) {
    const auto found = o.heard.links.find(link.path);
    if (found == o.heard.links.end()) {
      CHECK(link.packets == 0);
      continue;
    }
    std::uint64_t payload = 0, wire = 0;
    base::Duration busy{0};
    base::Time end{0};
    for (const base::LinkActivity& p : found->second) {
      CHECK(p.start >= end);
      end = p.end;
      busy += p.end - p.start;
      payload += p.payload_bytes;
      wire += p.wire_bytes;
    }
    CHECK(found->second.size() == link.packets);
    CHECK(payload == link.payload_bytes);
    CHECK(wire == link.wire_bytes);
    CHECK(busy == link.busy);
    told += payload;
  }
  CHECK(told >= 128UL * 512 * 4);
}

TEST_CASE("timeline: every wait names the instruction whose change ended it", "[activity]") {
  const Observed& o = observed();
  std::map<std::uint64_t, std::pair<std::uint8_t, std::uint32_t>> causes;  // queue and index
  std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint64_t> released;
  for (const base::InstructionActivity& i : o.heard.instructions) {
    if (i.cause != 0) CHECK(causes.try_emplace(i.cause, i.queue, i.index).second);
    if (i.released_by != 0) released[{i.queue, i.index}] = i.released_by;
  }
  const auto sync = static_cast<std::uint8_t>(isa::Queue::kSync),
             vector = static_cast<std::uint8_t>(isa::Queue::kVector);
  REQUIRE(released.size() == 3);
  CHECK(causes.at(released.at({vector, 0})) == std::pair(sync, 0U));
  CHECK(causes.at(released.at({sync, 4})) == std::pair(vector, 0U));
  CHECK(causes.at(released.at({sync, 5})) == std::pair(sync, 4U));
  for (const base::TransferActivity& t : o.heard.transfers)
    CHECK(causes.at(t.cause) == std::pair(t.queue, t.index));
}
