// SPDX-License-Identifier: Apache-2.0
// The Pareto front of objectives over metrics and parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "studies/sweep/results/objective.h"
#include "studies/sweep/results/store.h"

namespace tahoma::runtime {

// A value of an objective with its band over the start phases of the run; without repetitions the band is the
// value.
struct BandedValue {
  double value = 0, low = 0, high = 0;
  bool holds(double other) const { return low <= other && other <= high; }
};

struct ParetoPoint {
  const Store::Row* row = nullptr;
  std::vector<BandedValue> values;  // of the objectives
};

// By path, of those that have one.
std::map<std::string, double> values_of(const std::vector<SweepPoint::Parameter>& parameters);

// Returns the value of an expression at a finished point. UserError E-SWP-021 as Expression::value().
double value_at(const Store::Row& row, const Expression& expression);

// The value of an expression with its band: at the ends of the band of the time, what follows from the time
// alone (achieved rate, MFU, MBU) changes with it. UserError as value_at().
BandedValue banded_value_at(const Store::Row& row, const Expression& expression);

// Considers the finished points, ordered from the best first value, then by number. A point is on the front
// if no other is at least as good in every value and better in one; equal points are all on the front. Two
// values are equal if one of them is inside the band of the other. UserError as value_at().
std::vector<ParetoPoint> pareto_front(const std::vector<Store::Row>& rows,
                                      const std::vector<Objective>& objectives);

// Writes a table of the front: number, varying parameters, values.
std::string front_text(const std::vector<ParetoPoint>& front, const std::vector<Objective>& objectives);

}  // namespace tahoma::runtime
