// SPDX-License-Identifier: Apache-2.0
// The bandwidth that cores get from an HBM stack with DRAM: sharing, peaks, silicon's rates, distance, and
// settings that have no effect.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/bench/hbm_traffic.h"
#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using base::Duration, base::Time;

namespace {

constexpr double kFairness = 0.02, kShareOfPeak = 0.9;
constexpr Stream kLoads{200, 0};

double peak(const model::MachineParams& m) {
  return static_cast<double>(m.chip.hbm.bandwidth.bytes_per_second) / 1e9;
}

// The time at which a core has read its last byte.
double done(const Streamed& r, std::uint32_t core) {
  Time last{0};
  for (const auto& p : r.packets.cores.at(core)) last = std::max(last, p.read);
  return (last - Time{0}).ns();
}

// Cores 0 and 1 have equal shares, at least nine tenths of `limit` bytes per nanosecond.
void check_shared(const model::MachineParams& m, const Stream& each, double limit) {
  const Streamed r = stream(m, {{0, 0, each}, {1, 0, each}});
  CHECK(r.rate(0) == Approx(r.rate(1)).epsilon(kFairness));
  CHECK(done(r, 0) == Approx(done(r, 1)).epsilon(kFairness));
  CHECK(r.rate(0) + r.rate(1) >= kShareOfPeak * limit);
  CHECK(r.rate(0) + r.rate(1) <= peak(m));
}

// All measurements of a run's DMA engines and stacks, one per line.
std::string everything(const Streamed& r) {
  std::string text = times_of(r.run);
  for (const auto& [core, packets] : r.packets.cores)
    for (const auto& p : packets) text += fmt::format("{} {} {}\n", core, p.read.fs, p.bytes);
  for (const auto& h : r.run.hbm) {
    text += fmt::format("{} {} {} {} {} {} {}\n", h.path, h.read_bytes, h.write_bytes, h.busy.fs,
                        h.reads.mean.fs, h.reads.longest.fs, h.writes.mean.fs);
    for (const auto& c : h.channels)
      text += fmt::format("{} {} {} {} {} {} {}\n", c.path, c.row_hits, c.row_conflicts, c.activates,
                          c.data.fs, c.lost_bank.fs, c.lost_turnaround.fs);
  }
  return text;
}

// 32 bytes from HBM, on an idle machine.
ActivityLog one_access(const model::MachineParams& m) {
  return activity_of(
      ".program p\n.args a\nsync:\n  dma_copy shape=1x8 dst=sbuf[0, 0x0]:fp32 src=a:fp32:(8,0,0,1)\n", m);
}

Duration doorbell_to_data(const ActivityLog& log) {
  return log.engines.at(0).at(0).start - log.at(isa::Queue::kSync, 0).complete;
}

}  // namespace

// Per-bank refresh does not affect banks whose row is open: the limit is the peak itself.
TEST_CASE(
    "HBM machine: two cores that load from one stack share it equally and reach nine tenths of its peak",
    "[hbm]") {
  const model::MachineParams m = dram_machine();
  REQUIRE(m.chip.hbm.dram.refresh == model::dram::Refresh::kPerBank);
  check_shared(m, kLoads, peak(m));
}

// Refresh of all banks takes tRTP + tRP + tRFCab + tRCDRD of each tREFI.
TEST_CASE("HBM machine: with all-bank refresh two cores reach nine tenths of the remaining rate", "[hbm]") {
  model::MachineParams m = dram_machine();
  m.chip.hbm.dram.refresh = model::dram::Refresh::kAllBank;
  const model::DramTimingParams& t = m.chip.hbm.dram.timing;
  const double refresh = (t.rtp + t.rp + t.rfc_all + t.rcd_read).ns() / t.refi.ns();
  check_shared(m, kLoads, peak(m) * (1 - refresh));
}

TEST_CASE("HBM machine: rows of any length from 512 bytes on reach nine tenths of the peak", "[hbm]") {
  for (const std::uint32_t row : {512U, 2048U, 8192U, 32768U}) {
    CAPTURE(row);
    const Stream each{kLoads.loads * 4096 / row, 0, row};
    const std::string share = in_child([&] {
      const model::MachineParams m = dram_machine();
      const Streamed r = stream(m, {{0, 0, each}, {1, 0, each}});
      return std::to_string((r.rate(0) + r.rate(1)) / peak(m));
    });
    CHECK(std::stod(share) >= kShareOfPeak);
  }
}

// Silicon: hardware/trainium2.md section 2.8. One core can move 16 engines x 32 bytes a cycle of 0.85 GHz,
// with 4 additional cycles per element; four rows of 4 KiB that HBM has in one piece are an element.
// Silicon's stream is part of a kernel.
TEST_CASE("HBM machine: one core's loads and stores of 4 KiB reach the rate of silicon", "[hbm]") {
  const Streamed r = stream(dram_machine(), {{0, 0, {100, 100}}});
  constexpr double kLaw = 16 * 27.2 * 512 / 516;
  CHECK(r.rate(0) >= 281);
  CHECK(r.rate(0) <= kLaw);
  CHECK(r.rate(0) >= 0.99 * kLaw);
}

TEST_CASE("HBM machine: a pair of loads of 8 KiB rows reaches the rate of silicon", "[hbm]") {
  const Streamed r = stream(dram_machine(), {{0, 0, {2, 0, 8192}}});
  Time start = base::kNever, written{0};
  for (const auto& p : r.packets.cores.at(0)) {
    start = std::min(start, p.start);
    written = std::max(written, p.written);
  }
  CHECK(2 * 1048576 / (written - start).ns() == Approx(337).epsilon(0.05));
}

// The network takes 34 + 34 ns, as for the flat stack. In the stack, 36 ns compare with tRCDRD + CL in whole
// cycles, from the next edge of the command clock on, and in slots.
TEST_CASE("HBM machine: an unloaded read takes the network's latency and tRCDRD + CL", "[hbm]") {
  model::MachineParams flat = dram_machine();
  flat.chip.hbm.model = model::HbmModel::kFlat;
  const auto start = [](const model::MachineParams& m) {
    return std::stod(in_child([&] { return std::to_string(doorbell_to_data(one_access(m)).ns()); }));
  };
  const model::DramTimingParams& t = flat.chip.hbm.dram.timing;
  // An access of each of 32 pseudo-channels takes two cycles, which is also the slot of a column command.
  const double slot = 32.0 * 32 / peak(flat), cycle = slot / 2;
  const double dram = (std::ceil(t.rcd_read.ns() / cycle) + std::ceil(t.cl.ns() / cycle)) * cycle;
  const double more = start(dram_machine()) - start(flat) + flat.chip.hbm.read_latency.ns();
  CHECK(more >= dram);
  CHECK(more <= dram + slot + cycle);
}

TEST_CASE("HBM machine: a core on the other die reads later by the crossing", "[hbm]") {
  const auto latency = [](std::uint32_t core) {
    return std::stod(in_child([&] {
      const Streamed r = stream(dram_machine(), {{core, 0, {1, 0, 64}}});
      Time first = base::kNever;
      for (const auto& p : r.packets.cores.at(core)) first = std::min(first, p.read);
      return std::to_string(first.fs);
    }));
  };
  const model::MachineParams m = dram_machine();
  CHECK(latency(7) - latency(0) == Approx(m.chip.noc.cross_die.fs).epsilon(0.02));
}

TEST_CASE("HBM machine: cores on the other die share the rate of the crossing, those on the same die do not",
          "[hbm]") {
  model::MachineParams m = dram_machine();
  m.chip.noc.cross_die_bandwidth = 200_GBps;
  const Streamed r = stream(m, {{0, 0, {200, 0}}, {6, 0, {60, 0}}, {7, 0, {60, 0}}});
  CHECK(r.rate(6) + r.rate(7) == Approx(200).epsilon(0.01));
  CHECK(r.rate(6) == Approx(r.rate(7)).epsilon(kFairness));
  CHECK(r.rate(0) >= 400);
}

TEST_CASE("HBM machine: values, run-ahead and another run do not change times", "[hbm]") {
  const auto times = [](model::Mode mode, bool run_ahead) {
    return in_child([&] {
      return everything(stream(dram_machine(), {{0, 0, {6, 6}}, {1, 0, {12, 0, 512}}, {7, 0, {0, 12, 1024}}},
                               mode, run_ahead));
    });
  };
  const std::string first = times(model::Mode::kTiming, true);
  REQUIRE(first.size() > 10'000);
  CHECK(first == times(model::Mode::kTiming, true));
  CHECK(first == times(model::Mode::kTiming, false));
  CHECK(first == times(model::Mode::kFunctional, true));
}
