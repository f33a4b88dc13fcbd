// SPDX-License-Identifier: Apache-2.0
// Finds what the time of a run depends on: repeats it with one parameter of the machine at a time at the ends
// of its range of uncertainty (uncertain.h, which also says how the interval of the time combines them).
//
// Skipped in addition, with the reason: values for which a workload makes another program, such as the LNC.
// Parameters of the workload are not varied.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "report/summary/time_band.h"
#include "studies/whatif/repetition.h"

namespace tahoma::runtime {

// One end of a parameter's range.
struct SensitivityEnd {
  std::string value;    // as --set
  std::string skipped;  // why there is no time; "" if there is one
  Repetition run;
  double percent = 0;           // by which the time grows
  bool distinguishable = true;  // by more than start phases explain
  // The region whose time changes most, if that is more than 1 %.
  std::string region;
  double region_percent = 0;
};

struct SensitivityRow {
  std::string path, value, doc, note;
  base::Provenance provenance = base::Provenance::kAssumed;
  SensitivityEnd low, high;
  // The larger change of the two, as an absolute value.
  double largest() const;
};

struct Sensitivity {
  std::string name;
  Repetition run;                               // as it is
  std::vector<SensitivityRow> rows;             // largest change first
  std::optional<TimeBand> band = std::nullopt;  // of the run as it is, over start phases (start_phases.h)
  std::size_t felt() const;                     // rows that change the time by more than kFeltPercent
  std::size_t run_rows() const;                 // rows with a time
  // The interval is in seconds.
  double interval_low() const, interval_high() const;
};

inline constexpr double kFeltPercent = 1;

// `provenances`: which parameters. `phases`: also repeats the run as it is with so many start phases, for its
// band; changes inside it are marked. UserError E-CLI-006: the run cannot be repeated. Throws
// std::system_error if the host cannot create a process.
Sensitivity sensitivity(const std::string& name, const ConfigRequest& request,
                        const std::vector<base::Provenance>& provenances, std::size_t phases,
                        std::size_t jobs,
                        const std::function<void(std::size_t done, std::size_t of)>& progress);

std::string sensitivity_text(const Sensitivity& sensitivity);
std::string sensitivity_json(const Sensitivity& sensitivity);
std::string sensitivity_csv(const Sensitivity& sensitivity);

}  // namespace tahoma::runtime
