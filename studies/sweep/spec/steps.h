// SPDX-License-Identifier: Apache-2.0
// The values between the two ends of a range, without intermediate rounding. No library knows the units of
// parameters, and std::pow differs between hosts in the last digit.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"
#include "studies/sweep/spec/axis.h"
#include "studies/sweep/spec/exact.h"

namespace tahoma::runtime {

// True if a parameter of this kind has numbers between two others.
bool has_steps(const base::ParamRef& kind);

// A signed number of the kind's own unit in base units: '400 MHz', '-64 cyc'. UserError without a place,
// as in base/quantity.h.
Exact parse_exact(const base::ParamRef& kind, const std::string& text);
// Returns the shortest text of a number in base units; "" if the kind has no such number.
std::string text_of(const base::ParamRef& kind, const Exact& value);

// Returns the texts from `from` to `to`, both included. E-SWP-012 and E-SWP-014 (axis.h) at the place of the
// step or factor.
std::vector<std::string> by_step(const base::ParamRef& kind, const Written& from, const Written& to,
                                 const Written& step);
std::vector<std::string> by_factor(const base::ParamRef& kind, const Written& from, const Written& to,
                                   const Written& factor);

// Returns the value at `position` in [0, 1) of a range, uniform over the base units from `from` to `to`, or
// over their logarithms. The text is the same on every host.
std::string value_at(const base::ParamRef& kind, const Track::Range& range, double position);

}  // namespace tahoma::runtime
