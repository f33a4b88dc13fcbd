// SPDX-License-Identifier: Apache-2.0
// What the time of a run rests on: repeats it with one parameter of the machine at a time at the ends of its range of uncertainty. The
// ranges follow from the provenance of a value:
//
//   assumed     half to double     nothing is known that would narrow it
//   derived     -5 % to +5 %       about the largest residual of the laws that values are derived from
//   measured    -2 % to +2 %       the mean error that the silicon page allows its families
//   documented, chosen             none
//
// The interval of a time combines the moves m of all parameters as if they were independent and the time were linear in each:
// T (1 - sqrt(sum of the squares of the downward moves)) to T (1 + sqrt(sum of the squares of the upward ones)). It is a 95 %
// interval if the ranges are; where parameters act together, it may be too narrow.
//
// Skipped, with the reason: switches, choices and texts; values that rounding does not change; values that the range of the parameter
// or another parameter refuses; values for which a workload makes another program, such as the LNC. Left out: energies and powers, which change no time, and parameters of the workload.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/whatif/repetition.h"

namespace tahoma::runtime {

// A range around a value, as factors.
struct UncertaintyRange {
  base::Provenance of;
  double low, high;
};
std::optional<UncertaintyRange> uncertainty_of(base::Provenance provenance);

// One end of a parameter's range.
struct SensitivityEnd {
  std::string value;    // as --set
  std::string skipped;  // why there is no time; "" if there is one
  Repetition run;
  double percent = 0;  // by which the time grows
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
  Repetition run;                    // as it is
  std::vector<SensitivityRow> rows;  // largest change first
  std::size_t felt() const;          // rows that change the time by more than kFeltPercent
  std::size_t run_rows() const;      // rows with a time
  // Seconds.
  double interval_low() const, interval_high() const;
};

inline constexpr double kFeltPercent = 1;

// `provenances`: which parameters. UserError E-CLI-006: the run cannot be repeated. Throws std::system_error if the host cannot create a
// process.
Sensitivity sensitivity(const std::string& name, const ConfigRequest& request,
                        const std::vector<base::Provenance>& provenances, std::size_t jobs,
                        const std::function<void(std::size_t done, std::size_t of)>& progress);

std::string sensitivity_text(const Sensitivity& sensitivity);
std::string sensitivity_json(const Sensitivity& sensitivity);
std::string sensitivity_csv(const Sensitivity& sensitivity);

}  // namespace tahoma::runtime
