// SPDX-License-Identifier: Apache-2.0
// What a set of figures says about a model, as pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tahoma::runtime {

// Model against silicon, in percent of silicon; positive when the model is larger.
double error_percent(double model, double silicon);

double mean_absolute(std::span<const double> errors);  // of at least one

// Spearman's rank correlation: Pearson's of the ranks, equal values sharing the mean of theirs. Nothing when
// all values of a side are equal, or there are fewer than two.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

// 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

}  // namespace tahoma::runtime
