// SPDX-License-Identifier: Apache-2.0
// The points that no other point beats in everything: of expressions over metrics and parameters, each the
// smaller the better (a minus in front turns that round).
#pragma once

#include <string>
#include <vector>

#include "runtime/sweep/results/store.h"
#include "runtime/sweep/spec/expression.h"

namespace tahoma::runtime {

// Texts between commas that are in no parentheses.
std::vector<std::string> split_expressions(const std::string& text);

struct FrontPoint {
  const Store::Row* row = nullptr;
  std::vector<double> values;  // of the expressions
};

// Of the points that are done, by the first value, then by number. A point is on the front if no other is at
// least as small in every value and smaller in one; of equal ones all are. UserError E-SWP-021 as
// Expression::value().
std::vector<FrontPoint> pareto_front(const std::vector<Store::Row>& rows,
                                     const std::vector<Expression>& expressions);

// A table of it: number, what varies, the values.
std::string front_text(const std::vector<FrontPoint>& front, const std::vector<Expression>& expressions);

}  // namespace tahoma::runtime
