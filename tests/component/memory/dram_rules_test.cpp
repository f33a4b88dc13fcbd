// SPDX-License-Identifier: Apache-2.0
// Tests the checker of DRAM command logs: for every rule, a log that just keeps it and one that breaks only
// it.
#include "tests/support/reference/dram_rules.h"

#include <catch2/catch.hpp>

using namespace tahoma;
using namespace tahoma::tests;

namespace {

using Log = std::vector<Command>;
using dram::Timing;

struct Case {
  const char* rule;
  void (*tweak)(DramSetup&);
  Log kept, broken;
};

// Two pseudo-channels, each with 2 stack IDs x 2 groups x 2 banks; every rule is minimal.
DramSetup lenient() {
  DramSetup s;
  s.organisation = {1, 2, 2, 2, 2, 16, 16, 32};
  Timing& t = s.timing;
  t.burst = t.ccd_short = t.ccd_long = t.ccd_stack = t.ccd_stack_write = t.rtw = 2;
  t.cl = t.cwl = 4;
  t.rcd_read = t.rcd_write = t.rp = t.ras = t.rc = t.rtp = t.rrd_short = t.rrd_long = t.ppd = 1;
  t.rfc_all = t.rfc_bank = t.rrefd = t.column_slot = 1;
  t.refi = 1000;
  s.policy.refresh = dram::Refresh::kNone;
  return s;
}

constexpr std::uint8_t kHere = 0, kSameGroup = 1, kOtherGroup = 2, kOtherStack = 4;

Command act(Tick at, std::uint8_t bank, std::uint8_t pseudo = 0, std::uint32_t row = 0) {
  return {at, CommandKind::kActivate, pseudo, bank, row};
}
Command pre(Tick at, std::uint8_t bank, std::uint8_t pseudo = 0) {
  return {at, CommandKind::kPrecharge, pseudo, bank};
}
Command pre_all(Tick at, std::uint8_t bank) { return {at, CommandKind::kPrechargeAll, 0, bank}; }
Command rd(Tick at, std::uint8_t bank, std::uint8_t pseudo = 0, std::uint32_t row = 0) {
  return {at, CommandKind::kRead, pseudo, bank, row};
}
Command wr(Tick at, std::uint8_t bank) { return {at, CommandKind::kWrite, 0, bank}; }
Command ref(Tick at, std::uint8_t bank) { return {at, CommandKind::kRefreshBank, 0, bank}; }
Command ref_all(Tick at, std::uint8_t bank) { return {at, CommandKind::kRefreshAll, 0, bank}; }

// The last command of `kept` is at the first tick that the rule allows. Column commands use every second
// tick.
Case distance(const char* rule, void (*tweak)(DramSetup&), const Log& kept) {
  Log broken = kept;
  --broken.back().at;
  return {rule, tweak, kept, broken};
}

void add_row_rules(std::vector<Case>& c) {
  constexpr auto ras = [](DramSetup& s) { s.timing.ras = 20; };
  c.push_back(distance("tRAS", ras, {act(0, kHere), pre(20, kHere)}));
  c.push_back(distance("tRAS", ras, {act(0, kHere), pre_all(20, kHere)}));
  constexpr auto rc = [](DramSetup& s) { s.timing.rc = 30; };
  c.push_back(distance("tRC", rc, {act(0, kHere), pre(10, kHere), act(30, kHere)}));
  c.push_back(distance("tRC", rc, {act(0, kHere), pre(10, kHere), ref(30, kHere)}));
  c.push_back(distance("tRC", rc, {act(0, kOtherGroup), pre(10, kOtherGroup), ref_all(30, kHere)}));
  constexpr auto rp = [](DramSetup& s) { s.timing.rp = 8; };
  c.push_back(distance("tRP", rp, {act(0, kHere), pre(10, kHere), act(18, kHere)}));
  c.push_back(distance("tRP", rp, {act(0, kHere), pre_all(10, kHere), act(18, kHere)}));
  c.push_back(distance("tRP", rp, {act(0, kHere), pre(10, kHere), ref(18, kHere)}));
  c.push_back(distance("tRP", rp, {act(0, kSameGroup), pre(10, kSameGroup), ref_all(18, kHere)}));
  constexpr auto rrd_long = [](DramSetup& s) { s.timing.rrd_long = 9; };
  c.push_back(distance("tRRDL", rrd_long, {act(0, kHere), act(9, kSameGroup)}));
  c.push_back(distance("tRRDL", rrd_long, {act(0, kHere), ref(9, kSameGroup)}));
  constexpr auto rrd_short = [](DramSetup& s) { s.timing.rrd_short = 7; };
  c.push_back(distance("tRRDS", rrd_short, {act(0, kHere), act(7, kOtherGroup)}));
  c.push_back(distance("tRRDS", rrd_short, {act(0, kHere), act(7, kOtherStack)}));
  c.push_back(distance("tRRDS", rrd_short, {act(0, kHere), ref(7, kOtherStack)}));
  c.push_back(distance("tRRDS", rrd_short, {act(0, kHere), ref_all(7, kOtherStack)}));
  constexpr auto faw = [](DramSetup& s) { s.timing.faw = 50; };
  c.push_back(distance("tFAW", faw, {act(0, 0), act(3, 1), act(6, 2), act(9, 4), act(50, 5)}));
  constexpr auto ppd = [](DramSetup& s) { s.timing.ppd = 6; };
  c.push_back(distance("tPPD", ppd, {act(0, 0), act(3, 1), pre(10, 0), pre(16, 1)}));
  c.push_back(distance("tPPD", ppd, {act(0, 0), act(3, 4), pre_all(10, 0), pre_all(16, 4)}));
  constexpr auto none = [](DramSetup&) {};
  c.push_back(distance("row bus", none, {act(0, 0), act(3, 0, 1)}));
  c.push_back(distance("row bus", none, {act(0, 0), act(3, 0, 1), pre(10, 0), pre(11, 0, 1)}));
}

void add_column_rules(std::vector<Case>& c) {
  c.push_back(distance("tRCDRD", [](DramSetup& s) { s.timing.rcd_read = 10; }, {act(0, 0), rd(10, 0)}));
  c.push_back(distance("tRCDWR", [](DramSetup& s) { s.timing.rcd_write = 10; }, {act(0, 0), wr(10, 0)}));
  c.push_back(distance("tRTP", [](DramSetup& s) { s.timing.rtp = 7; }, {act(0, 0), rd(6, 0), pre(13, 0)}));
  c.push_back(
      distance("tRTP", [](DramSetup& s) { s.timing.rtp = 7; }, {act(0, 1), rd(6, 1), pre_all(13, 0)}));
  // cwl 4, burst 2, then tWR or tWTR
  c.push_back(distance("tWR", [](DramSetup& s) { s.timing.wr = 5; }, {act(0, 0), wr(6, 0), pre(17, 0)}));
  c.push_back(
      distance("tWTRL", [](DramSetup& s) { s.timing.wtr_long = 6; }, {act(0, 0), wr(10, 0), rd(22, 0)}));
  constexpr auto wtr_short = [](DramSetup& s) { s.timing.wtr_short = 6; };
  c.push_back(distance("tWTRS", wtr_short, {act(0, 0), act(3, kOtherGroup), wr(10, 0), rd(22, kOtherGroup)}));
  c.push_back(distance("tWTRS", wtr_short, {act(0, 0), act(3, kOtherStack), wr(10, 0), rd(22, kOtherStack)}));
  constexpr auto ccd_long = [](DramSetup& s) { s.timing.ccd_long = 8; };
  constexpr auto ccd_short = [](DramSetup& s) { s.timing.ccd_short = 6; };
  constexpr auto ccd_stack = [](DramSetup& s) { s.timing.ccd_stack = 8; };
  constexpr auto ccd_stack_write = [](DramSetup& s) { s.timing.ccd_stack_write = 8; };
  c.push_back(distance("tCCDL", ccd_long, {act(0, 0), rd(10, 0), rd(18, 0)}));
  c.push_back(distance("tCCDL", ccd_long, {act(0, 0), act(3, kSameGroup), wr(10, 0), wr(18, kSameGroup)}));
  c.push_back(distance("tCCDS", ccd_short, {act(0, 0), act(3, kOtherGroup), rd(10, 0), rd(16, kOtherGroup)}));
  c.push_back(distance("tCCDS", ccd_short, {act(0, 0), act(3, kOtherGroup), wr(10, 0), wr(16, kOtherGroup)}));
  c.push_back(distance("tCCDR", ccd_stack, {act(0, 0), act(3, kOtherStack), rd(10, 0), rd(18, kOtherStack)}));
  c.push_back(distance("tCCDR of writes", ccd_stack_write,
                       {act(0, 0), act(3, kOtherStack), wr(10, 0), wr(18, kOtherStack)}));
  c.push_back(distance("tRTW", [](DramSetup& s) { s.timing.rtw = 10; }, {act(0, 0), rd(10, 0), wr(20, 0)}));
  constexpr auto none = [](DramSetup&) {};
  c.push_back({"column bus",
               none,
               {act(0, 0), act(3, 0, 1), rd(10, 0), rd(12, 0, 1)},
               {act(0, 0), act(3, 0, 1), rd(10, 0), rd(10, 0, 1)}});
  constexpr auto slots = [](DramSetup& s) { s.timing.column_slot = 4; };
  c.push_back(distance("column slot", slots, {act(0, 0), rd(8, 0)}));
  c.push_back(distance("column slot", slots, {act(0, 0, 1), rd(6, 0, 1)}));
  // Read data from 30 to 32, write data from 4 after its command.
  c.push_back(
      distance("data bus", [](DramSetup& s) { s.timing.cl = 20; }, {act(0, 0), rd(10, 0), wr(28, 0)}));
}

void add_state_rules(std::vector<Case>& c) {
  constexpr auto none = [](DramSetup&) {};
  constexpr const char* kNoRow = "column command without its row";
  c.push_back({kNoRow, none, {act(0, 0, 0, 3), rd(10, 0, 0, 3)}, {act(0, 0, 0, 3), rd(10, 0, 0, 4)}});
  c.push_back({kNoRow, none, {}, {rd(10, 0)}});
  c.push_back({kNoRow, none, {act(0, 0), rd(10, 0), pre(12, 0)}, {act(0, 0), pre(9, 0), rd(12, 0)}});
  c.push_back({kNoRow, none, {act(0, 1), pre_all(9, 4), rd(12, 1)}, {act(0, 1), pre_all(9, 0), rd(12, 1)}});
  c.push_back(
      {"activate of an open bank", none, {act(0, 0), pre(9, 0), act(12, 0)}, {act(0, 0), act(12, 0)}});
  c.push_back({"refresh of an open bank", none, {act(0, 0), pre(9, 0), ref(12, 0)}, {act(0, 0), ref(12, 0)}});
  c.push_back({"refresh of an open bank", none, {act(0, 5), ref_all(12, 0)}, {act(0, 1), ref_all(12, 0)}});
}

void add_refresh_rules(std::vector<Case>& c) {
  constexpr auto rfc_all = [](DramSetup& s) { s.timing.rfc_all = 40; };
  c.push_back(distance("tRFCab", rfc_all, {ref_all(0, 0), act(40, 3)}));
  c.push_back(distance("tRFCab", rfc_all, {ref_all(0, 0), ref_all(1, 4), ref_all(40, 0)}));
  c.push_back(distance("tRFCab", rfc_all, {ref_all(0, 0), pre(40, 3)}));
  c.push_back(
      distance("tRFCpb", [](DramSetup& s) { s.timing.rfc_bank = 40; }, {ref(0, 0), act(9, 1), act(40, 0)}));
  constexpr auto rrefd = [](DramSetup& s) { s.timing.rrefd = 12; };
  c.push_back(distance("tRREFD", rrefd, {ref(0, 0), ref(12, 1)}));
  c.push_back(distance("tRREFD", rrefd, {ref(0, 0), ref(12, kOtherStack)}));
  c.push_back(distance("tRREFD", rrefd, {ref(0, 0), act(12, kOtherGroup)}));
  c.push_back(distance("tRREFD", rrefd, {ref_all(0, 0), ref_all(12, kOtherStack)}));
  c.push_back(distance("tRREFD", rrefd, {ref_all(0, 0), act(12, kOtherStack)}));
  // One stack ID; a refresh may be 10 late, and the log ends at 300.
  constexpr auto every_100 = [](DramSetup& s) {
    s.organisation = {1, 1, 1, 2, 2, 16, 16, 32};
    s.timing.refi = 100;
    s.policy.refresh = dram::Refresh::kAllBank;
  };
  c.push_back({"tREFI", every_100, {ref_all(105, 0), ref_all(210, 0)}, {ref_all(105, 0), ref_all(211, 0)}});
  c.push_back({"tREFI", every_100, {ref_all(90, 0), ref_all(180, 0)}, {ref_all(90, 0)}});
  constexpr auto bank_by_bank = [](DramSetup& s) {
    s.organisation = {1, 1, 1, 1, 2, 16, 16, 32};
    s.timing.refi = 100;
    s.policy.refresh = dram::Refresh::kPerBank;
  };
  c.push_back({"tREFI",
               bank_by_bank,
               {ref(50, 0), ref(100, 1), ref(150, 0), ref(200, 1)},
               {ref(50, 0), ref(100, 1), ref(150, 0), ref(200, 0)}});
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_row_rules(cases);
  add_column_rules(cases);
  add_state_rules(cases);
  add_refresh_rules(cases);
  return cases;
}

std::vector<Finding> judged(const Case& c, const Log& log) {
  DramSetup setup = lenient();
  c.tweak(setup);
  return broken_rules(log, setup, {300, 10});
}

}  // namespace

TEST_CASE("DRAM rules: a log that just keeps a rule is clean", "[dram]") {
  for (const Case& c : all_cases()) {
    INFO(c.rule);
    for (const Finding& f : judged(c, c.kept)) FAIL_CHECK(f.text());
  }
  SUCCEED();
}

TEST_CASE("DRAM rules: a log that breaks one rule is reported with its name alone", "[dram]") {
  for (const Case& c : all_cases()) {
    INFO(c.rule << ": " << (c.broken.empty() ? "" : text(c.broken.back())));
    const auto findings = judged(c, c.broken);
    CHECK(!findings.empty());
    for (const Finding& f : findings) CHECK(f.rule == c.rule);
  }
}

TEST_CASE("DRAM rules: every rule has a log that breaks it", "[dram]") {
  const auto cases = all_cases();
  for (const std::string& name : rule_names()) {
    INFO(name);
    CHECK(std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return name == c.rule; }));
  }
}

TEST_CASE("DRAM rules: a finding has the actual and the required distance of commands", "[dram]") {
  const Case c = distance("tRP", [](DramSetup& s) { s.timing.rp = 8; }, {act(0, 0), pre(10, 0), act(18, 0)});
  const auto findings = judged(c, c.broken);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].first == c.broken[1]);
  CHECK(findings[0].second == c.broken[2]);
  CHECK(findings[0].found == 7);
  CHECK(findings[0].wanted == 8);
}
