// SPDX-License-Identifier: Apache-2.0
// Error statistics of a set of figures, as pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tahoma::runtime {

// Model against silicon, in percent of silicon; positive when the model is larger.
double error_percent(double model, double silicon);

double mean_absolute(std::span<const double> errors);  // of at least one error

// Spearman's rank correlation: Pearson's correlation of the ranks, where equal values share their mean rank.
// Unset if all values on one side are equal, or if there are fewer than two.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

// The smallest value has rank 1; equal values share their mean rank.
std::vector<double> ranks(std::span<const double> values);

}  // namespace tahoma::runtime
