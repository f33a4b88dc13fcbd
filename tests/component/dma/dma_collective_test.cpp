// SPDX-License-Identifier: Apache-2.0
// Transfers of collective cores use fewer engines, and packets that each represent several packets of the
// runtime.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "model/engine/dma/dma_share.h"
#include "model/system/machine/transfer_law.h"
#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Duration, base::Time;

namespace {

struct Cut {
  std::uint64_t unit, from;
  std::uint32_t elements, runs;
  friend bool operator==(const Cut&, const Cut&) = default;
};

// A transfer's packets in the runtime's size; each part of a coarser packet is separate.
std::vector<Cut> cuts(const isa::Descriptor& d, std::uint64_t parts, std::size_t& packets) {
  const model::DmaParams params = tests::default_machine().chip.core.dma;
  model::TransferRequest request;
  request.sources = {&d, 1};
  model::Transfer transfer;
  transfer.request = request;
  transfer.runs = model::runs_of(request, params, 4);
  transfer.element = 4;
  transfer.collective = true;
  transfer.parts = parts;
  std::vector<Cut> all;
  for (unsigned n = 0; n < 4; ++n) {
    const auto range = model::share_of(transfer.runs, n);
    model::Share share{&transfer, {}, range.first, range.last};
    for (bool last = false; !last;) {
      const model::DmaPacket p = share.next_packet(params);
      last = p.last;
      if (p.elements == 0) break;
      ++packets;
      std::uint32_t elements = 0, runs = 0;
      for (std::uint32_t part = 0; part < p.parts(); ++part) {
        const model::DmaPacket one = part_of(p, part + 1 == p.parts());
        all.push_back({p.unit + (p.runs == 1 ? 0 : runs), p.from_element + (p.runs == 1 ? elements : 0),
                       one.elements, one.runs});
        elements += one.elements;
        runs += one.runs;
      }
      CHECK(elements == p.elements);
      CHECK((p.runs == 1 || runs == p.runs));
      share.advance(p);
    }
  }
  return all;
}

// From the first packet's start to the last semaphore of one copy inside HBM.
Duration time_of_copy(const model::MachineParams& machine, std::uint32_t mebibytes,
                      const std::string& queue) {
  return Duration{std::stoll(tests::in_child([&] {
    const std::string text = ".program p\n.args a b\n" + queue +
                             ":\n  dma_copy shape=" + std::to_string(mebibytes) +
                             "x262144 dst=b:fp32 src=a:fp32 update=s0+=1\n";
    const auto program = tests::text_program(text);
    model::System system(machine, model::Mode::kTiming);
    tests::ActivityLog log;
    log.watch(system);
    std::array<std::uint64_t, isa::kArguments> arguments{};
    arguments[1] = std::uint64_t{1} << 30;
    system.load(0, program, arguments);
    system.run();
    Time first = base::kNever;
    for (const auto& [engine, packets] : log.engines) first = std::min(first, packets.front().start);
    const auto& changes = log.changes.at(0);
    return std::to_string((*std::max_element(changes.begin(), changes.end()) - first).fs);
  }))};
}

double share(Duration a, Duration b) { return static_cast<double>(a.fs) / static_cast<double>(b.fs); }

}  // namespace

TEST_CASE("dma collective: a coarse packet is made of the packets that it represents", "[dma]") {
  std::mt19937 random(11);
  std::size_t coarse = 0, fine = 0;
  for (int n = 0; n < 200; ++n) {
    const auto upto = [&](std::uint32_t most) { return 1 + static_cast<std::uint32_t>(random()) % most; };
    isa::Descriptor d;
    d.count = {upto(60), upto(9), 1, n % 3 == 0 ? upto(60000) : upto(600)};
    const auto inner = static_cast<std::int32_t>(d.count[3] + (n % 2 == 0 ? 16 : 0));
    d.src = d.dst = {isa::Space::kHbm,
                     isa::DType::kFp32,
                     0,
                     0,
                     0,
                     0,
                     {static_cast<std::int32_t>(d.count[1]) * inner, inner, 0, 1}};
    CAPTURE(n, d.count[0], d.count[1], d.count[3]);
    CHECK(cuts(d, 16, coarse) == cuts(d, 1, fine));
  }
  CHECK(coarse * 4 < fine);
}

TEST_CASE("dma collective: a long transfer takes the same time with coarse packets as with the runtime's",
          "[dma]") {
  model::MachineParams fine = tests::flat_chip(), coarse = fine;
  fine.chip.core.dma.collective_packet = fine.chip.core.dma.packet;
  for (const std::uint64_t engines : {1U, 4U, 8U}) {
    for (model::MachineParams* m : {&fine, &coarse}) m->chip.core.dma.collective_engines = engines;
    CAPTURE(engines);
    CHECK(share(time_of_copy(coarse, 64, "cc0"), time_of_copy(fine, 64, "cc0")) == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("dma collective: four engines move a collective's data inside a chip", "[dma]") {
  const Duration took = time_of_copy(tests::flat_chip(), 256, "cc0");
  const double rate = 256 * 1048576.0 / took.ns();  // GB/s
  // 4 KiB take 128 cycles, plus 4 for the element.
  CHECK(rate == Approx(4 * 4096.0 / (132 / 0.85)).epsilon(0.002));
  // nccom-test's sendrecv on one die, 268435456 B in 2585.82 us of which 12.56 us are launch.
  CHECK(rate == Approx(268435456.0 / (2585.82 - 12.56) / 1000).epsilon(0.02));
}

TEST_CASE("dma collective: a fold moves 4 KiB of each source for one overhead, in packets of 64 KiB",
          "[dma]") {
  const model::DmaParams dma = tests::flat_chip().chip.core.dma;
  const model::TransferLaw law(dma);
  const base::Clock clock(dma.clock);
  for (const std::uint32_t sources : {1U, 2U, 3U, 8U, 16U}) {
    CAPTURE(sources);
    const model::Move move{1 << 20, 1 << 20, sources, false};
    const model::PacketBatch batch = law.batch(move, 0);
    const std::uint64_t parts = 16 / sources;
    CHECK(batch.most == parts * 4096);
    // 4 KiB take 128 cycles and 3 for the element; a part takes 1 more.
    CHECK(law.cost(move, batch) ==
          clock.length({static_cast<std::int64_t>(sources * 131 + 1)}) * static_cast<std::int64_t>(parts));
  }
}

TEST_CASE("dma collective: twice the engines take half the time", "[dma]") {
  model::MachineParams machine = tests::flat_chip();
  machine.chip.core.dma.collective_engines = 1;
  Duration before = time_of_copy(machine, 32, "cc1");
  for (const std::uint64_t engines : {2U, 4U, 8U}) {
    machine.chip.core.dma.collective_engines = engines;
    const Duration now = time_of_copy(machine, 32, "cc1");
    CAPTURE(engines);
    CHECK(share(before, now) == Approx(2).epsilon(0.05));
    before = now;
  }
}

TEST_CASE("dma collective: cc0 rings the first engines, cc1 those behind them, others all", "[dma]") {
  const tests::ActivityLog log = tests::activity_of(
      ".program p\n.args a b\n"
      "cc0:\n  dma_copy shape=16x64 dst=b:fp32 src=a:fp32 ring=1 update=s0+=3 read_update=s4+=2\n"
      "cc1:\n  dma_copy shape=16x64 dst=b:fp32 src=a:fp32 ring=2 update=s1+=3\n"
      "sync:\n  dma_copy shape=16x64 dst=b:fp32 src=a:fp32 ring=3 update=s2+=3\n"
      "gpsimd:\n  sem_wait wait=s0>=48\n  sem_wait wait=s1>=48\n  sem_wait wait=s2>=48\n"
      "  sem_wait wait=s4>=32\n",
      tests::flat_chip());
  std::map<unsigned, std::set<unsigned>> engines;  // by ring
  for (const auto& [engine, packets] : log.engines)
    for (const auto& p : packets) engines[p.ring].insert(engine);
  CHECK(engines[1] == std::set<unsigned>{0, 1, 2, 3});
  CHECK(engines[2] == std::set<unsigned>{4, 5, 6, 7});
  CHECK(engines[3].size() == 16);
  CHECK(log.changes.at(0).size() == 4);  // each four times as much
  CHECK(log.changes.at(1).size() == 4);
  CHECK(log.changes.at(4).size() == 4);
  CHECK(log.changes.at(2).size() == 16);
}

TEST_CASE("dma collective: engines are a power of two, and links hold a coarse packet", "[dma]") {
  model::MachineParams machine = tests::default_machine();
  CHECK_NOTHROW(machine.check());
  machine.chip.core.dma.collective_engines = 6;
  CHECK_THROWS_WITH(machine.check(), Catch::Contains("E-CFG-020") && Catch::Contains("1, 2, 4, 8 or 16"));
  machine = tests::default_machine();
  machine.link.buffer = machine.chip.core.dma.collective_packet;  // without space for its headers
  CHECK_THROWS_WITH(machine.check(), Catch::Contains("E-CFG-020") && Catch::Contains("largest packet"));
}
