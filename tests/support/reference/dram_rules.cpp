// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/dram_rules.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <set>

namespace tahoma::tests {
namespace {

using dram::Organisation, dram::Timing;

constexpr Tick kColumnCycle = 2;  // a column command takes one cycle of the column bus

constexpr unsigned bit(CommandKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kAct = bit(CommandKind::kActivate), kPre = bit(CommandKind::kPrecharge),
                   kPreAll = bit(CommandKind::kPrechargeAll), kRd = bit(CommandKind::kRead),
                   kWr = bit(CommandKind::kWrite), kRefAll = bit(CommandKind::kRefreshAll),
                   kRefBank = bit(CommandKind::kRefreshBank);
constexpr unsigned kAnyPre = kPre | kPreAll, kAnyRef = kRefAll | kRefBank, kColumn = kRd | kWr,
                   kRow = kAct | kAnyPre | kAnyRef;

// The relation of two commands. A command to a stack ID shares every bank of it with other commands.
enum class Scope { kBank, kOtherBank, kGroup, kOtherGroup, kOtherStackId, kPseudo, kChannel };

struct DistanceRule {
  const char* name;
  unsigned first, second;  // kinds
  Scope scope;
  Tick (*distance)(const Timing&);
};

constexpr DistanceRule kDistances[] = {
    {"tRCDRD", kAct, kRd, Scope::kBank, [](const Timing& t) { return t.rcd_read; }},
    {"tRCDWR", kAct, kWr, Scope::kBank, [](const Timing& t) { return t.rcd_write; }},
    {"tRAS", kAct, kAnyPre, Scope::kBank, [](const Timing& t) { return t.ras; }},
    {"tRC", kAct, kAct | kAnyRef, Scope::kBank, [](const Timing& t) { return t.rc; }},
    {"tRP", kAnyPre, kAct | kAnyRef, Scope::kBank, [](const Timing& t) { return t.rp; }},
    {"tRTP", kRd, kAnyPre, Scope::kBank, [](const Timing& t) { return t.rtp; }},
    {"tWR", kWr, kAnyPre, Scope::kBank, [](const Timing& t) { return t.cwl + t.burst + t.wr; }},
    {"tRFCab", kRefAll, kRow | kColumn, Scope::kBank, [](const Timing& t) { return t.rfc_all; }},
    {"tRFCpb", kRefBank, kRow | kColumn, Scope::kBank, [](const Timing& t) { return t.rfc_bank; }},
    {"tRREFD", kRefBank, kRefBank | kAct, Scope::kOtherBank, [](const Timing& t) { return t.rrefd; }},
    {"tRREFD", kRefAll, kRefAll | kAct, Scope::kOtherStackId, [](const Timing& t) { return t.rrefd; }},
    // A refresh opens rows of its bank like an activate does.
    {"tRRDL", kAct, kAct | kRefBank, Scope::kGroup, [](const Timing& t) { return t.rrd_long; }},
    {"tRRDS", kAct, kAct | kRefBank, Scope::kOtherGroup, [](const Timing& t) { return t.rrd_short; }},
    {"tRRDS", kAct, kAct | kAnyRef, Scope::kOtherStackId, [](const Timing& t) { return t.rrd_short; }},
    {"tPPD", kAnyPre, kAnyPre, Scope::kPseudo, [](const Timing& t) { return t.ppd; }},
    {"tCCDL", kRd, kRd, Scope::kGroup, [](const Timing& t) { return t.ccd_long; }},
    {"tCCDL", kWr, kWr, Scope::kGroup, [](const Timing& t) { return t.ccd_long; }},
    {"tCCDS", kRd, kRd, Scope::kOtherGroup, [](const Timing& t) { return t.ccd_short; }},
    {"tCCDS", kWr, kWr, Scope::kOtherGroup, [](const Timing& t) { return t.ccd_short; }},
    {"tCCDR", kRd, kRd, Scope::kOtherStackId, [](const Timing& t) { return t.ccd_stack; }},
    {"tCCDR of writes", kWr, kWr, Scope::kOtherStackId, [](const Timing& t) { return t.ccd_stack_write; }},
    {"tWTRL", kWr, kRd, Scope::kGroup, [](const Timing& t) { return t.cwl + t.burst + t.wtr_long; }},
    {"tWTRS", kWr, kRd, Scope::kOtherGroup, [](const Timing& t) { return t.cwl + t.burst + t.wtr_short; }},
    {"tWTRS", kWr, kRd, Scope::kOtherStackId, [](const Timing& t) { return t.cwl + t.burst + t.wtr_short; }},
    {"tRTW", kRd, kWr, Scope::kPseudo, [](const Timing& t) { return t.rtw; }},
    {"row bus", kAct, kRow, Scope::kChannel, [](const Timing& t) { return t.activate_on_bus; }},
    {"row bus", kAnyPre | kAnyRef, kRow, Scope::kChannel, [](const Timing& t) { return t.other_on_bus; }},
    {"column bus", kColumn, kColumn, Scope::kChannel, [](const Timing&) { return kColumnCycle; }},
};

constexpr const char* kStateRules[] = {"tFAW",
                                       "tREFI",
                                       "data bus",
                                       "column slot",
                                       "column command without its row",
                                       "activate of an open bank",
                                       "refresh of an open bank"};

class Judge {
 public:
  Judge(const std::vector<Command>& log, const DramSetup& setup, const Watch& watch)
      : log_(log), o_(setup.organisation), t_(setup.timing), policy_(setup.policy), watch_(watch) {}

  std::vector<Finding> findings() {
    pairs();
    windows();
    banks();
    refreshes();
    return std::move(findings_);
  }

 private:
  void report(const char* rule, const Command& a, const Command& b, Tick wanted) {
    findings_.push_back({rule, a, b, b.at - a.at, wanted});
  }

  std::uint32_t stack_id(const Command& c) const { return c.bank / o_.banks_per_stack_id(); }
  std::uint32_t group(const Command& c) const { return c.bank / o_.banks; }
  bool covers(const Command& c, std::uint32_t bank) const {
    return is_wide(c.kind) ? bank / o_.banks_per_stack_id() == stack_id(c) : bank == c.bank;
  }

  bool related(Scope scope, const Command& a, const Command& b) const {
    if (scope == Scope::kChannel) return true;
    if (a.pseudo != b.pseudo) return false;
    const bool same_id = stack_id(a) == stack_id(b);
    switch (scope) {
      case Scope::kBank:
        return same_id && (is_wide(a.kind) || is_wide(b.kind) || a.bank == b.bank);
      case Scope::kOtherBank:
        return a.bank != b.bank;
      case Scope::kGroup:
        return group(a) == group(b);
      case Scope::kOtherGroup:
        return same_id && group(a) != group(b);
      case Scope::kOtherStackId:
        return !same_id;
      default:
        return true;
    }
  }

  // No rule has a longer distance, so pairs further apart need no check.
  Tick horizon() const {
    Tick most = t_.cl + t_.cwl + t_.burst;
    for (const DistanceRule& rule : kDistances) most = std::max(most, rule.distance(t_));
    return most;
  }

  void pairs() {
    const Tick far = horizon();
    for (std::size_t i = 0; i < log_.size(); ++i)
      for (std::size_t j = i + 1; j < log_.size() && log_[j].at - log_[i].at < far; ++j) {
        pair(log_[i], log_[j]);
        if (log_[i].at == log_[j].at) pair(log_[j], log_[i]);
        data(log_[i], log_[j]);
      }
  }

  void pair(const Command& a, const Command& b) {
    for (const DistanceRule& rule : kDistances)
      if ((rule.first & bit(a.kind)) != 0 && (rule.second & bit(b.kind)) != 0 && related(rule.scope, a, b) &&
          b.at - a.at < rule.distance(t_))
        report(rule.name, a, b, rule.distance(t_));
  }

  void data(const Command& a, const Command& b) {
    if (!is_column(a.kind) || !is_column(b.kind) || a.pseudo != b.pseudo) return;
    const auto begin = [&](const Command& c) {
      return c.at + (c.kind == CommandKind::kRead ? t_.cl : t_.cwl);
    };
    if (std::abs(begin(a) - begin(b)) < t_.burst) report("data bus", a, b, t_.burst);
  }

  void windows() {
    for (std::uint32_t pseudo = 0; pseudo < o_.pseudo_channels; ++pseudo) {
      std::vector<Command> activates;
      for (const Command& c : log_)
        if (c.kind == CommandKind::kActivate && c.pseudo == pseudo) activates.push_back(c);
      for (std::size_t n = 4; n < activates.size(); ++n)
        if (activates[n].at - activates[n - 4].at < t_.faw)
          report("tFAW", activates[n - 4], activates[n], t_.faw);
    }
  }

  void banks() {
    for (const Command& c : log_)
      if (is_column(c.kind) &&
          (c.at - dram::slot_phase(t_, c.pseudo, o_.pseudo_channels)) % t_.column_slot != 0)
        report("column slot", c, c, 0);
    for (std::uint32_t pseudo = 0; pseudo < o_.pseudo_channels; ++pseudo)
      for (std::uint32_t n = 0; n < o_.all_banks(); ++n) bank(pseudo, n);
  }

  void bank(std::uint32_t pseudo, std::uint32_t number) {
    std::optional<Command> open;  // the activate that opened it
    for (const Command& c : log_) {
      if (c.pseudo != pseudo || !covers(c, number)) continue;
      const Command& before = open ? *open : c;
      if (is_column(c.kind) && (!open || open->row != c.row))
        report("column command without its row", before, c, 0);
      if (c.kind == CommandKind::kActivate && open) report("activate of an open bank", before, c, 0);
      if ((bit(c.kind) & kAnyRef) != 0 && open) report("refresh of an open bank", before, c, 0);
      if (c.kind == CommandKind::kActivate) open = c;
      if ((bit(c.kind) & kAnyPre) != 0) open.reset();
    }
  }

  // The n-th refresh of a bank is due at the latest n tREFI after the start.
  void refreshes() {
    if (policy_.refresh == dram::Refresh::kNone) return;
    for (std::uint32_t pseudo = 0; pseudo < o_.pseudo_channels; ++pseudo)
      for (std::uint32_t n = 0; n < o_.all_banks(); ++n) refreshes_of(pseudo, n);
  }

  void refreshes_of(std::uint32_t pseudo, std::uint32_t bank) {
    Tick latest = t_.refi + watch_.refresh_slack;
    Command last{0, CommandKind::kRefreshBank, static_cast<std::uint8_t>(pseudo),
                 static_cast<std::uint8_t>(bank)};
    for (const Command& c : log_) {
      if ((bit(c.kind) & kAnyRef) == 0 || c.pseudo != pseudo || !covers(c, bank)) continue;
      if (c.at > latest) report("tREFI", last, c, latest - last.at);
      latest += t_.refi;
      last = c;
    }
    if (watch_.end > latest)
      report("tREFI", last, {watch_.end, last.kind, last.pseudo, last.bank}, latest - last.at);
  }

  const std::vector<Command>& log_;
  const Organisation& o_;
  const Timing& t_;
  const dram::Policy& policy_;
  const Watch& watch_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string text(const Command& c) {
  constexpr const char* kNames[] = {"ACT", "PRE", "PREA", "RD", "WR", "REFA", "REFB"};
  return fmt::format("{} {} pseudo {} bank {} row {}", c.at, kNames[static_cast<unsigned>(c.kind)], c.pseudo,
                     c.bank, c.row);
}

std::string Finding::text() const {
  return fmt::format("{}: {} / {}: {} instead of {}", rule, tests::text(first), tests::text(second), found,
                     wanted);
}

std::vector<Finding> broken_rules(const std::vector<Command>& log, const DramSetup& setup,
                                  const Watch& watch) {
  return Judge(log, setup, watch).findings();
}

std::vector<std::string> rule_names() {
  std::set<std::string> names(std::begin(kStateRules), std::end(kStateRules));
  for (const DistanceRule& rule : kDistances) names.insert(rule.name);
  return {names.begin(), names.end()};
}

}  // namespace tahoma::tests
