// SPDX-License-Identifier: Apache-2.0
// Finds the bottleneck of a run, and of each of its regions, by repeating it in timing mode: once as it is,
// once with each resource ideal, and once with all of them ideal. The reduction of the time is the cost of
// the idealised resource. Resources overlap, so the reductions need not add up. The bottleneck is the
// resource with the largest reduction. Over the area of the resource, the reduction is an upper bound of what
// a larger one gains. Regions overlap, and a resource may also shorten the time between
// them, so the bottleneck of the run need not be that of any region.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/summary/bottleneck.h"
#include "report/summary/time_band.h"
#include "runtime/config/config.h"
#include "studies/whatif/repetition.h"
#include "studies/whatif/resource.h"

namespace tahoma::runtime {

struct WhatIf {
  Resource resource;
  Repetition run;  // with this resource ideal
  // What twice as much of it would add to the chip by the law of report/area: its present area, and the
  // dollars of that area of the dies; that of HBM also has the stacks.
  std::optional<double> mm2 = std::nullopt, dollars = std::nullopt;
};

struct Explanation {
  std::string name;                             // of the run: its folder or its case
  Repetition run;                               // as it is
  std::vector<WhatIf> rows;                     // largest reduction first; failed repetitions last
  WhatIf everything;                            // all resources ideal at once
  std::optional<TimeBand> band = std::nullopt;  // of the run as it is, over start phases (start_phases.h)

  // The time differs from that of the run by more than start phases explain; without a band, always.
  bool distinguishable(const Repetition& other) const { return !band || !band->holds(other.time.ns()); }

  // Nothing if a repetition failed, because that resource may be the bottleneck. A resource that the
  // configuration refuses to idealise takes no part.
  std::optional<Bottlenecks> bottlenecks() const;
  std::vector<const WhatIf*> failed() const;
  void require_complete() const;  // UserError E-CLI-007 with the failed repetitions
};

// The configuration of the run that `tahoma run` wrote to `folder`; a kernel in NKI as it was traced.
// UserError E-CLI-006: there is none.
ConfigRequest config_of_run(const std::string& folder);

// Also repeats the run as it is with `phases` start phases, for its band; then a reduction inside the band
// names no bottleneck. Every repetition is a separate process, at most `jobs` at a time. UserError E-CLI-006:
// the run cannot be repeated. Throws std::system_error if the host cannot create a process.
Explanation explain(const std::string& name, const ConfigRequest& request, std::size_t phases,
                    std::size_t jobs, const std::function<void(std::size_t done, std::size_t of)>& progress);

std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace tahoma::runtime
