// SPDX-License-Identifier: Apache-2.0
// The uncertain parameters of a machine and the ends of their ranges. A parameter may declare a range of its
// own beside its value (base::Source::within). Otherwise the range follows from the provenance:
//
//   assumed     half to double     nothing is known that would narrow it
//   derived     -5 % to +5 %       about the largest residual of the laws that values are derived from
//   measured    -2 % to +2 %       the mean error that the silicon page allows its families
//   documented, chosen             none
//
// Skipped, with the reason: switches, choices and texts; values that rounding does not change; values that
// the range of the parameter or another parameter refuses. Excluded: energies, powers and prices, which
// change no time, and values that the user has set.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/params.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

// The range that a source declares, or that of its provenance; unset if it has none.
std::optional<base::Uncertainty> uncertainty_of(const base::Source& source);

// Groups of provenances, by the names that commands take: assumed, derived, measured, all.
struct ProvenanceGroup {
  const char* name;
  std::vector<base::Provenance> provenances;
};
const std::vector<ProvenanceGroup>& provenance_groups();
const ProvenanceGroup& provenance_group(const std::string& name);

struct UncertainEnd {
  std::string value;    // as --set
  std::string skipped;  // why it cannot be set; "" if it can
};

struct UncertainParameter {
  std::string path, value, doc, note;
  base::Provenance provenance = base::Provenance::kAssumed;
  UncertainEnd low, high;
};

// Returns those of the machine of a run.
std::vector<UncertainParameter> uncertain_parameters(const ConfigRequest& request,
                                                     const std::vector<base::Provenance>& provenances);

// The lower and the upper distance of the interval from the value, both at least zero. `moves` are the
// changes of the value at the two ends of each range; the value is taken as linear in each parameter, and the
// parameters as independent: each distance is the root of the sum of the squares of the moves in its
// direction. It is a 95 % interval if the ranges are; where parameters act together, it may be too narrow.
struct IntervalDistance {
  double down = 0, up = 0;
};
IntervalDistance combined_moves(std::span<const std::pair<double, double>> moves);

}  // namespace tahoma::runtime
