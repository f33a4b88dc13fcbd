// SPDX-License-Identifier: Apache-2.0
// Values derived from the parameters of DRAM, and parameters that contradict each other.
#include "model/memory/hbm/dram_params.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/memory/hbm/dram_resolved.h"
#include "model/system/machine/machine_params.h"

using namespace tahoma;
using namespace tahoma::base::literals;

namespace {

struct Fixture {
  model::MachineParams machine;
  base::ParamTree tree{"machine"};
  model::HbmParams& hbm = machine.chip.hbm;
  Fixture() {
    machine.declare(tree);
    set("model", "dram");
  }
  void set(const std::string& path, const std::string& text) {
    tree.set("machine.chip.hbm." + path, text, "test");
  }
  // A stack of one HBM3 channel at 6.4 Gb/s a pin, as the reference simulations have it.
  void take_reference() {
    set("dram.channels", "1");
    set("bandwidth", "51.2 GB/s");
    set("capacity", "512 MiB");
  }
  std::string refusal() {
    try {
      machine.check();
    } catch (const base::UserError& e) {
      CHECK(tree.find(e.place) != nullptr);
      return e.code + " " + e.place.substr(std::string("machine.chip.hbm.").size()) + ": " + e.message;
    }
    return "";
  }
};

using Changes = std::vector<std::pair<std::string, std::string>>;

std::string refusal_of(const Changes& changes) {
  Fixture f;
  for (const auto& [path, text] : changes) f.set(path, text);
  return f.refusal();
}

}  // namespace

// 16 channels x 2 pseudo-channels x 32 B every 2 cycles: 512 B a cycle, and 725e9 / 512 = 1,416,015,625.
TEST_CASE("dram parameters: the command clock is that at which the bandwidth is reached", "[dram][params]") {
  Fixture f;
  CHECK(model::command_clock(f.hbm.dram, f.hbm.bandwidth).hz == 1'416'015'625);
  const model::dram::Timing t = model::timing_of(f.hbm.dram, f.hbm.bandwidth);
  CHECK(t.clock.edge({2'832'031'250}) == base::Time{1'000'000'000'000'000});
  CHECK(t.burst == 4);
  CHECK(t.column_slot == 4);
  f.set("bandwidth", "819.2 GB/s");
  CHECK(model::command_clock(f.hbm.dram, f.hbm.bandwidth).hz == 1'600'000'000);
}

// The cycles of tCK = 0.625 ns that the reference simulations list.
TEST_CASE("dram parameters: HBM3 at 6.4 Gb/s has the published cycles", "[dram][params]") {
  Fixture f;
  f.take_reference();
  f.set("dram.timing.rfc_all", "260 ns");
  REQUIRE(model::command_clock(f.hbm.dram, f.hbm.bandwidth).hz == 1'600'000'000);
  const model::dram::Timing t = model::timing_of(f.hbm.dram, f.hbm.bandwidth);
  const std::vector<std::pair<model::dram::Tick, int>> cycles{
      {t.burst, 2},      {t.cl, 20},       {t.cwl, 10},      {t.rcd_read, 31}, {t.rcd_write, 15},
      {t.rp, 26},        {t.ras, 45},      {t.rc, 72},       {t.wr, 33},       {t.rtp, 9},
      {t.ccd_short, 2},  {t.ccd_long, 4},  {t.ccd_stack, 3}, {t.rrd_short, 4}, {t.rrd_long, 5},
      {t.faw, 24},       {t.wtr_short, 7}, {t.wtr_long, 10}, {t.rtw, 20},      {t.ppd, 2},
      {t.rfc_bank, 320}, {t.rrefd, 8},     {t.refi, 6240},   {t.rfc_all, 416}};
  for (std::size_t n = 0; n < cycles.size(); ++n) {
    CAPTURE(n);
    CHECK(cycles[n].first == 2 * cycles[n].second);
  }
}

TEST_CASE("dram parameters: a fraction of a cycle is rounded up", "[dram][params]") {
  Fixture f;
  f.take_reference();
  const auto cl = [&](const char* text) {
    f.set("dram.timing.cl", text);
    return model::timing_of(f.hbm.dram, f.hbm.bandwidth).cl;
  };
  CHECK(cl("19.375 ns") == 2 * 31);
  CHECK(cl("19.375001 ns") == 2 * 32);
  CHECK(cl("19.374999 ns") == 2 * 31);
  CHECK(cl("0.000001 ns") == 2);
  CHECK(cl("ideal") == 0);
}

TEST_CASE("dram parameters: without a rule for it, a write waits until the read has left the pins",
          "[dram][params]") {
  Fixture f;
  f.take_reference();
  f.set("dram.timing.rtw", "ideal");
  CHECK(f.refusal().empty());
  CHECK(model::timing_of(f.hbm.dram, f.hbm.bandwidth).rtw == 2 * (20 + 2 - 10));
}

TEST_CASE("dram parameters: the rows of a bank follow from the capacity", "[dram][params]") {
  Fixture f;
  const model::dram::Organisation o = model::organisation_of(f.hbm.dram, f.hbm.capacity);
  CHECK(o.rows == 24576);  // 24 GiB of 1024 banks of 1 KiB
  CHECK(o.columns == 32);
  CHECK(o.capacity() == f.hbm.capacity.count);
  f.take_reference();
  CHECK(model::organisation_of(f.hbm.dram, f.hbm.capacity).rows == 8192);
}

TEST_CASE("dram parameters: the policy resolves its words, and its marks count accesses", "[dram][params]") {
  Fixture f;
  f.take_reference();
  model::dram::Policy p = model::policy_of(f.hbm.dram, f.hbm.bandwidth);
  CHECK(p.read_queue == 512);
  CHECK(p.write_queue == 256);
  CHECK(p.write_high == 204);  // 80 % of 256
  CHECK(p.write_low == 52);    // below 20 %, 51.2
  CHECK(p.page == model::dram::PagePolicy::kOpen);
  CHECK(p.page_timeout == 0);
  CHECK(p.scheduler == model::dram::Scheduler::kFrFcfsRowHit);
  CHECK(p.refresh == model::dram::Refresh::kPerBank);
  CHECK(p.column_bus == model::dram::ColumnBus::kSlots);
  CHECK(p.queue_exit == model::dram::QueueExit::kLastCommand);
  f.set("dram.page_policy", "timeout");
  f.set("dram.page_timeout", "10 ns");
  f.set("dram.scheduler", "fr_fcfs");
  f.set("dram.refresh", "all_bank");
  f.set("dram.column_bus", "arbitrated");
  f.set("dram.queue_exit", "activate");
  p = model::policy_of(f.hbm.dram, f.hbm.bandwidth);
  CHECK(p.page == model::dram::PagePolicy::kTimeout);
  CHECK(p.page_timeout == 2 * 16);
  CHECK(p.scheduler == model::dram::Scheduler::kFrFcfs);
  CHECK(p.refresh == model::dram::Refresh::kAllBank);
  CHECK(p.column_bus == model::dram::ColumnBus::kArbitrated);
  CHECK(p.queue_exit == model::dram::QueueExit::kActivate);
  CHECK(model::timing_of(f.hbm.dram, f.hbm.bandwidth).column_slot == 2);  // one cycle
}

TEST_CASE("dram parameters: requests that leave their queue with the activate end between two refreshes",
          "[dram][params]") {
  const char* const activate = "activate";
  CHECK_THAT(refusal_of({{"dram.queue_exit", activate}}),
             Catch::Contains("E-CFG-020 dram.queue_exit") && Catch::Contains("per_bank"));
  CHECK(refusal_of({{"dram.queue_exit", activate}, {"dram.refresh", "all_bank"}}).empty());
  CHECK(refusal_of({{"dram.queue_exit", activate}, {"dram.refresh", "none"}}).empty());
  CHECK_THAT(
      refusal_of({{"dram.queue_exit", activate}, {"dram.refresh", "all_bank"}, {"dram.timing.refi", "2 us"}}),
      Catch::Contains("E-CFG-020 dram.queue_exit") && Catch::Contains("2 us"));
}

TEST_CASE("dram parameters: a flat or ideal stack uses none of them", "[dram][params]") {
  const Changes wrong{{"dram.channels", "3"}, {"dram.mapping", "rows"}, {"dram.timing.rc", "1 ns"}};
  for (const Changes& extra : {Changes{{"model", "flat"}}, Changes{{"bandwidth", "ideal"}}}) {
    Changes changes = wrong;
    changes.insert(changes.end(), extra.begin(), extra.end());
    CHECK(refusal_of(changes).empty());
  }
  CHECK_FALSE(refusal_of(wrong).empty());
}

TEST_CASE("dram parameters: constraints of the organisation are checked", "[dram][params]") {
  CHECK(refusal_of({}).empty());
  CHECK_THAT(refusal_of({{"dram.channels", "12"}}),
             Catch::StartsWith("E-CFG-020 dram.channels: 12 is not a power of two"));
  for (const char* const count : {"pseudo_channels", "stack_ids", "bank_groups", "banks"})
    CHECK_THAT(refusal_of({{std::string("dram.") + count, "3"}}),
               Catch::StartsWith(std::string("E-CFG-020 dram.") + count));
  CHECK_THAT(refusal_of({{"dram.pseudo_channels", "4"}}),
             Catch::StartsWith("E-CFG-020 dram.pseudo_channels: their 4 column commands every 2 cycles"));
  CHECK_THAT(refusal_of({{"dram.access", "48 B"}}), Catch::StartsWith("E-CFG-020 dram.access"));
  CHECK_THAT(refusal_of({{"dram.page", "1000 B"}}), Catch::StartsWith("E-CFG-020 dram.page"));
  CHECK_THAT(refusal_of({{"dram.page", "64 B"}, {"dram.access", "128 B"}}),
             Catch::Contains("a row of 64 B does not hold one access of 128 B"));
  CHECK_THAT(refusal_of({{"dram.banks", "16"}}), Catch::StartsWith("E-CFG-020 dram.banks"));  // 2 x 4 x 16
  CHECK_THAT(refusal_of({{"capacity", "24000001 KiB"}}),
             Catch::StartsWith("E-CFG-020 capacity: 24000001 KiB is not a whole number of rows"));
  CHECK_THAT(refusal_of({{"dram.channels", "64"}, {"capacity", "1 MiB"}}),
             Catch::StartsWith("E-CFG-020 capacity"));
  CHECK_THAT(refusal_of({{"dram.mapping", "row sid bnk group channel pseudo column"}}),
             Catch::StartsWith("E-CFG-031 dram.mapping: unknown field 'bnk' (did you mean 'bank'?)"));
}

TEST_CASE("dram parameters: the default mapping serves stacks of other shapes", "[dram][params]") {
  for (const Changes& changes :
       {Changes{{"capacity", "1 MiB"}}, Changes{{"capacity", "36 GiB"}}, Changes{{"dram.channels", "32"}},
        Changes{{"dram.channels", "1"}, {"capacity", "512 MiB"}}, Changes{{"dram.pseudo_channels", "1"}},
        Changes{{"dram.stack_ids", "4"}, {"capacity", "48 GiB"}}, Changes{{"dram.page", "2 KiB"}}})
    CHECK(refusal_of(changes).empty());
}

TEST_CASE("dram parameters: queues hold a row, and the low mark is below the high one", "[dram][params]") {
  CHECK_THAT(refusal_of({{"dram.read_queue", "31"}}),
             Catch::Contains("dram.read_queue: 31 accesses do not hold the 32 of one row"));
  CHECK_THAT(refusal_of({{"dram.write_queue", "16"}}), Catch::StartsWith("E-CFG-020 dram.write_queue"));
  CHECK_THAT(refusal_of({{"dram.write_low", "80"}}), Catch::StartsWith("E-CFG-020 dram.write_low"));
}

TEST_CASE("dram parameters: timings that contradict each other are refused where the fault is",
          "[dram][params]") {
  const std::vector<std::pair<std::string, std::string>> lone{{"ccd_long", "2 cyc"}, {"rrd_long", "2 ns"},
                                                              {"wtr_long", "4 ns"},  {"ras", "19 ns"},
                                                              {"rc", "44 ns"},       {"rtw", "7 ns"}};
  for (const auto& [name, value] : lone) {
    CAPTURE(name);
    CHECK_THAT(refusal_of({{"dram.timing.ccd_short", name == "ccd_long" ? "3 cyc" : "2 cyc"},
                           {"dram.timing." + name, value}}),
               Catch::StartsWith("E-CFG-020 dram.timing." + name));
  }
  CHECK_THAT(
      refusal_of({{"dram.timing.ccd_short", "4 cyc"}}),
      Catch::StartsWith("E-CFG-020 dram.timing.ccd_stack: 3 cyc is less than ccd_short, which is 4 cyc"));
  CHECK_THAT(refusal_of({{"dram.timing.rp", "17 ns"}}), Catch::StartsWith("E-CFG-020 dram.timing.rc"));
  // A rule of zero contradicts nothing, and a window shorter than four activates never binds.
  CHECK(refusal_of({{"dram.timing.rc", "ideal"}, {"dram.timing.rrd_long", "ideal"}}).empty());
  CHECK(refusal_of({{"dram.timing.faw", "5 ns"}}).empty());
}

TEST_CASE("dram parameters: refreshes leave time for work", "[dram][params]") {
  CHECK_THAT(refusal_of({{"dram.refresh", "all_bank"}, {"dram.timing.rfc_all", "3900 ns"}}),
             Catch::StartsWith("E-CFG-020 dram.timing.refi"));
  CHECK(refusal_of({{"dram.timing.rfc_all", "3900 ns"}}).empty());  // unused: per bank
  // 3900 ns / 16 banks = 243.75 ns per bank.
  CHECK_THAT(refusal_of({{"dram.timing.rfc_bank", "240 ns"}}),
             Catch::StartsWith("E-CFG-020 dram.timing.refi: an interval of 243.75 ns for each of 16 banks"));
  CHECK(refusal_of({{"dram.timing.rfc_bank", "240 ns"}, {"dram.refresh", "none"}}).empty());
}
