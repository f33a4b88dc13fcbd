// SPDX-License-Identifier: Apache-2.0
// The changes that explain the others. One cause changes many statistics: a slower vector engine changes its
// busy time in every table, the waits for it, the time of the run, and each share of that time. The rules:
//
// - A changed input of the run (workload, machine, mode, seed) leads.
// - A statistic follows from the time of the run if it is that time, is an idle time, changes in the ratio of
//   the times, or is a share of time or a rate whose product with the time does not change.
// - A statistic explains another if both change in the same ratio: that of their values, or of the products
//   with the time for shares of time and rates. A time or an amount of work in a resource also explains the
//   waits for that resource that change in the same direction. Waits, words, identifiers and outputs explain
//   nothing but their equals.
// - A change weighs as much as the part of the run's time that it explains (difference.h), and at least
//   kLeastPart. Leads are chosen one by one. Each is the change that explains the largest weight of what is
//   not yet explained, itself included; among equals, amounts of work precede times, times precede the rest,
//   and then the order of the report decides.
#pragma once

#include <string>
#include <vector>

#include "studies/validation/regression/differences/difference.h"

namespace tahoma::runtime {

struct LeadingChange {
  Difference difference;
  std::size_t explained = 0;  // of the other changes, and by no earlier lead
};

struct LeadingChanges {
  std::vector<LeadingChange> leads;
  std::size_t all = 0;  // changes of statistics other than outputs
  std::size_t follow_time = 0;
  std::size_t explained() const;  // by all leads
};
inline constexpr std::size_t kMostLeads = 3;

// The times are those of the runs.
LeadingChanges leading_changes(const std::vector<DifferenceGroup>& groups, double before_ns, double after_ns);

// Lines of a report, each prefixed with `indent`; "" for so few changes that all are read at once.
std::string leads_text(const LeadingChanges& changes, const std::string& indent);
// "engines.vector.time_percent.busy 12 -> 22 (+83.0 %)"
std::string lead_cell(const Difference& difference);

}  // namespace tahoma::runtime
