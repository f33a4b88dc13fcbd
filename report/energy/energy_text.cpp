// SPDX-License-Identifier: Apache-2.0
#include "report/energy/energy_text.h"

#include <fmt/format.h>

#include <vector>

#include "model/base/shares.h"
#include "report/energy/energy_summary.h"
#include "report/text/largest.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

constexpr double kLeastShown = 0.05;  // percent

struct Share {
  const char* name;
  double percent;
};

// The components with the largest shares, as many as a row has room for.
std::vector<std::string> shares_of(const EnergyLedger& ledger, double joules) {
  std::vector<Share> shares;
  for (std::size_t n = 0; n < kEnergyComponents; ++n)
    if (base::percent_of(ledger.components[n].joules(), joules) >= kLeastShown)
      shares.push_back({name_of(static_cast<EnergyComponent>(n)),
                        base::percent_of(ledger.components[n].joules(), joules)});
  keep_largest(shares, shares.size(), [](const Share& share) { return share.percent; });
  std::vector<std::string> parts;
  for (const Share& share : shares) parts.push_back(fmt::format("{} {:.1f} %", share.name, share.percent));
  return parts;
}

}  // namespace

std::string energy_text(const EnergyLedger& ledger) {
  const EnergySummary s = summarise_energy(ledger, 0);
  std::vector<std::string> parts = shares_of(ledger, s.joules);
  if (parts.empty()) return "";
  parts.front() = fmt::format("{}: {}", fine_text(s.joules, "J"), parts.front());
  const std::string idle = s.idle_chips == 0
                               ? ""
                               : row("idle", fmt::format("{} {} of the machine, {} more, in no other figure",
                                                         s.idle_chips, s.idle_chips == 1 ? "chip" : "chips",
                                                         si_text(ledger.watts(s.idle_joules), "W")));
  const auto beyond = [&] {
    return s.limit_percent <= 100
               ? std::string()
               : wrapped_row(
                     "power limit",
                     fmt::format("{} draws {}, MORE than its limit of {}{}", s.hottest_chip,
                                 si_text(s.hottest_chip_watts, "W"), si_text(ledger.limit_watts, "W"),
                                 s.limited_time_ns ? fmt::format("; at its limit the run takes at least {}",
                                                                 time_text_of_ns(*s.limited_time_ns))
                                                   : ", even when idle"));
  };
  return fitted_row("energy", parts) +
         row("power", fmt::format("{} a chip on average, {} at the wall; {:.0f} % of the energy is assumed",
                                  si_text(s.chip_watts, "W"), si_text(s.wall_watts, "W"),
                                  provenance_of(ledger).assumed)) +
         beyond() + idle;
}

}  // namespace tahoma::runtime
