// SPDX-License-Identifier: Apache-2.0
// The Pareto front of expressions over metrics and parameters. Smaller is better for each; negate an
// expression to maximise it.
#pragma once

#include <string>
#include <vector>

#include "runtime/sweep/results/store.h"
#include "runtime/sweep/spec/expression.h"

namespace tahoma::runtime {

// Splits at commas outside parentheses.
std::vector<std::string> split_expressions(const std::string& text);

struct ParetoPoint {
  const Store::Row* row = nullptr;
  std::vector<double> values;  // of the expressions
};

// Considers the finished points, ordered by the first value, then by number. A point is on the front if no
// other is at most as large in every value and smaller in one; equal points are all on the front. UserError
// E-SWP-021 as Expression::value().
std::vector<ParetoPoint> pareto_front(const std::vector<Store::Row>& rows,
                                      const std::vector<Expression>& expressions);

// A table of the front: number, varying parameters, values.
std::string front_text(const std::vector<ParetoPoint>& front, const std::vector<Expression>& expressions);

}  // namespace tahoma::runtime
