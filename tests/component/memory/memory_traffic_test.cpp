// SPDX-License-Identifier: Apache-2.0
// Saturating traffic on one stack: its requests, and the closed forms that it must reach.
#include "model/system/statistics/memory_traffic.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "model/base/quantity.h"
#include "model/system/machine/machine_params.h"

using namespace tahoma;
using namespace tahoma::model;
using namespace tahoma::base::literals;

namespace {

// One HBM3 channel of two pseudo-channels, 51.2 GB/s, at which all timings are whole cycles of 0.625 ns,
// without refresh. From the top of an address: row, bank, group, stack ID, column, pseudo-channel.
HbmParams one_channel() {
  MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  HbmParams p = machine.chip.hbm;
  p.model = HbmModel::kDram;
  p.capacity = 512_MiB;
  p.bandwidth = base::parse_bandwidth("51.2 GB/s");
  p.dram.channels = 1;
  p.dram.mapping = "row bank group sid column pseudo";
  p.dram.refresh = dram::Refresh::kNone;
  p.dram.read_queue = 128;
  p.dram.write_queue = 64;
  p.check();
  return p;
}

MemoryTraffic sequential(std::uint64_t requests) {
  MemoryTraffic t;
  t.requests = requests;
  return t;
}

MemoryTraffic strided(base::Bytes stride, std::uint64_t requests) {
  MemoryTraffic t = sequential(requests);
  t.pattern = TrafficPattern::kStride;
  t.stride = stride;
  return t;
}

MemoryTraffic randomly(std::uint64_t requests, double read_fraction = 1) {
  MemoryTraffic t = sequential(requests);
  t.pattern = TrafficPattern::kRandom;
  t.read_fraction = read_fraction;
  return t;
}

Approx about(double value) { return Approx(value).epsilon(0.01); }

// Bytes of one row of every bank: the stride to the next row of the same bank.
base::Bytes row_stride(const HbmParams& p) {
  const DramParams& d = p.dram;
  return {d.page.count * d.channels * d.pseudo_channels * d.stack_ids * d.bank_groups * d.banks};
}

void check_accounts(const TrafficResult& r) {
  CHECK(r.row_hits + r.row_misses + r.row_conflicts == Approx(1));
  const double named = r.data + r.lost_refresh + r.lost_turnaround + r.lost_bank;
  CHECK(named <= 1 + 1e-9);
}

}  // namespace

TEST_CASE("memory traffic: rows of one bank are as far apart as tRC", "[hbm]") {
  const HbmParams p = one_channel();
  const TrafficResult r = run_traffic(p, strided(row_stride(p), 2000));
  CHECK(r.bytes_per_second == about(32 / p.dram.timing.rc.seconds()));
  CHECK(r.of_peak == Approx(r.bytes_per_second / 51.2e9));
  CHECK(r.row_hits == 0);
  check_accounts(r);
}

TEST_CASE("memory traffic: with every rule but the pins ideal, a stream reaches the peak", "[hbm]") {
  HbmParams p = one_channel();
  p.dram.timing.ccd_long = p.dram.timing.ccd_stack = p.dram.timing.ccd_stack_write = p.dram.timing.ccd_short;
  const TrafficResult r = run_traffic(p, sequential(50'000));
  CHECK(r.of_peak == about(1));
  CHECK(r.of_peak <= 1);
  // One activate per row of 32 accesses.
  CHECK(r.row_hits == Approx(31.0 / 32).epsilon(1e-3));
}

TEST_CASE("memory traffic: all-bank refresh takes tRFC out of tREFI", "[hbm]") {
  HbmParams p = one_channel();
  p.dram.stack_ids = 1;
  p.capacity = 256_MiB;
  p.dram.mapping = "row bank column group pseudo";
  const double calm = run_traffic(p, sequential(100'000)).of_peak;
  p.dram.refresh = dram::Refresh::kAllBank;
  const TrafficResult r = run_traffic(p, sequential(100'000));
  const DramTimingParams& t = p.dram.timing;
  CHECK(r.of_peak <= calm * (1 - t.rfc_all.seconds() / t.refi.seconds()));
  // In addition to tRFC, rows are closed before it and opened after it.
  const double around = (t.rtp + t.rp + t.rcd_read).seconds();
  CHECK(r.of_peak >= calm * (1 - (t.rfc_all.seconds() + 2 * around) / t.refi.seconds()));
  CHECK(r.lost_refresh >= t.rfc_all.seconds() / t.refi.seconds());
  check_accounts(r);
}

TEST_CASE("memory traffic: random reads keep to four activates of a pseudo-channel in tFAW", "[hbm]") {
  const HbmParams p = one_channel();
  const TrafficResult r = run_traffic(p, randomly(20'000));
  const double most = 2 * 4 * 32 / p.dram.timing.faw.seconds();
  CHECK(r.bytes_per_second <=
        1.001 * most);  // the last reads are served in less than their share of a window
  CHECK(r.bytes_per_second >= 0.95 * most);
  CHECK(r.row_hits < 0.02);  // 128 reads wait, and a pseudo-channel has 2^18 rows
}

// A segment leaves its queue as a whole, so a queue of few segments has nothing to open ahead.
TEST_CASE("memory traffic: in a deep queue a large request is equivalent to its accesses", "[hbm]") {
  HbmParams p = one_channel();
  p.dram.read_queue = 1024;
  MemoryTraffic large = sequential(500);
  large.request = 4_KiB;
  const TrafficResult one = run_traffic(p, sequential(64'000)), many = run_traffic(p, large);
  CHECK(many.of_peak == about(one.of_peak));
  CHECK(many.row_hits == Approx(one.row_hits));
  CHECK(many.reads.count == 2000);  // segments: a KiB in both pseudo-channels of two stack IDs
}

TEST_CASE("memory traffic: half of an access is half of the bandwidth", "[hbm]") {
  const HbmParams p = one_channel();
  MemoryTraffic small = strided(32_B, 20'000);
  small.request = 16_B;
  const TrafficResult r = run_traffic(p, small);
  CHECK(r.of_peak == about(run_traffic(p, sequential(20'000)).of_peak / 2));
  CHECK(r.of_peak == Approx(r.data / 2));
}

TEST_CASE("memory traffic: data on the pins equal the requests, and reads have their share", "[hbm]") {
  const HbmParams p = one_channel();
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    const TrafficResult r = run_traffic(p, randomly(10'000, share));
    INFO("reads " << share);
    CHECK(r.data == Approx(r.of_peak));
    const double reads = static_cast<double>(r.reads.count);
    CHECK(std::abs(reads - share * 10'000) <= 4 * std::sqrt(10'000 * share * (1 - share)));
    check_accounts(r);
  }
  MemoryTraffic turns = sequential(10'240);
  turns.read_fraction = 0.5;
  turns.block = 1024;
  CHECK(run_traffic(p, turns).reads.count == 5120);
}

TEST_CASE("memory traffic: longer blocks of reads and writes lose less to turnarounds", "[hbm]") {
  const HbmParams p = one_channel();
  double before = 1;
  for (const std::uint64_t block : {16, 128, 1024}) {
    MemoryTraffic turns = sequential(32'768);
    turns.read_fraction = 0.5;
    turns.block = block;
    const double lost = run_traffic(p, turns).lost_turnaround;
    INFO("blocks of " << block);
    CHECK(lost < before);
    before = lost;
  }
}

TEST_CASE("memory traffic: the same traffic gives the same result, another seed gives other addresses",
          "[hbm]") {
  const HbmParams p = one_channel();
  MemoryTraffic traffic = randomly(5'000, 0.7);
  const TrafficResult first = run_traffic(p, traffic), again = run_traffic(p, traffic);
  CHECK(first.elapsed == again.elapsed);
  CHECK(first.reads.mean == again.reads.mean);
  traffic.seed = 2;
  CHECK(run_traffic(p, traffic).elapsed != first.elapsed);
}

TEST_CASE("memory traffic: a stream past the end of the stack begins again", "[hbm]") {
  HbmParams p = one_channel();
  p.capacity = {row_stride(p).count * 2};
  const MemoryTraffic around = strided(row_stride(p), 2000);
  // Two rows of one bank, alternately.
  CHECK(run_traffic(p, around).row_hits < 1);
  p.capacity = row_stride(p);
  CHECK(run_traffic(p, around).row_hits == Approx(1).epsilon(1e-3));
}

TEST_CASE("memory traffic: two channels carry twice as much as one", "[hbm]") {
  HbmParams p = one_channel();
  const double one = run_traffic(p, sequential(50'000)).bytes_per_second;
  p.dram.channels = 2;
  p.capacity = 1_GiB;
  p.bandwidth = base::parse_bandwidth("102.4 GB/s");
  p.dram.mapping = "row bank group sid column channel pseudo";
  CHECK(run_traffic(p, sequential(100'000)).bytes_per_second == about(2 * one));
}
