// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/input/token_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/serving/input/request_trace.h"

namespace tahoma::runtime::serving {

using base::UserError;

void LengthParams::declare(base::ParamTree& t) {
  const base::Range<double> means{1, static_cast<double>(kMostTokens)};
  t.add("distribution", distribution, LengthKind::kConstant, kLengthKinds, "how lengths are distributed",
        base::chosen());
  t.add("value", value, std::uint64_t{256}, {1, kMostTokens}, "tokens of a constant length", base::chosen());
  t.add("min", min, std::uint64_t{1}, {1, kMostTokens},
        "fewest tokens; the lower end of a uniform distribution", base::chosen());
  t.add("max", max, kMostTokens, {1, kMostTokens}, "most tokens; the upper end of a uniform distribution",
        base::chosen());
  t.add("mean", mean, 256.0, means, "mean of a geometric distribution, before min and max", base::chosen());
  t.add("median", median, 256.0, means, "median of a lognormal distribution, before min and max",
        base::chosen());
  t.add("sigma", sigma, 1.0, {0, 10}, "standard deviation of the natural logarithm of a lognormal length",
        base::chosen());
  t.add_files("file", file, "CSV file of an empirical distribution, with the columns tokens and count",
              base::chosen());
}

TokenLengths::TokenLengths(const LengthParams& params, const std::string& path) : params_(params) {
  if (params.min > params.max)
    throw UserError("E-SRV-021", path + ".min",
                    fmt::format("expected at most {}.max = {}, got {}", path, params.max, params.min));
  if (params.distribution != LengthKind::kEmpirical) return;
  if (params.file.empty())
    throw UserError("E-SRV-021", path + ".file", "expected the file of the empirical distribution");
  read_empirical();
}

void TokenLengths::read_empirical() {
  CsvStream rows(params_.file, {{{"tokens"}, true}, {{"count"}, true}}, OtherColumns::kRefused);
  std::uint64_t total = 0;
  while (rows.next()) {
    constexpr std::uint64_t kMostCount = 1'000'000'000'000;
    std::uint64_t count = 0;
    try {
      count = base::parse_count(rows.field(1));
    } catch (const UserError&) {  // reported below, at the place of the field
    }
    if (count < 1 || count > kMostCount)
      throw UserError("E-SRV-003", rows.place(1),
                      fmt::format("column 'count': expected a whole number from 1 to {}, got '{}'",
                                  kMostCount, rows.field(1)));
    values_.push_back(tokens_in(rows, 0));
    up_to_.push_back(total += count);
  }
}

double TokenLengths::unclamped(RandomSource& random) const {
  switch (params_.distribution) {
    case LengthKind::kConstant:
      return static_cast<double>(params_.value);
    case LengthKind::kUniform:
      return static_cast<double>(params_.min) - 1 +
             std::ceil(random.uniform() * static_cast<double>(params_.max - params_.min + 1));
    case LengthKind::kLognormal:
      return std::round(params_.median * std::exp(params_.sigma * random.normal()));
    case LengthKind::kGeometric:  // the number of trials up to the first success of probability 1 / mean
      return params_.mean > 1 ? std::ceil(random.exponential() / -std::log1p(-1 / params_.mean)) : 1;
    case LengthKind::kEmpirical: {
      const auto place = static_cast<std::uint64_t>(random.uniform() * static_cast<double>(up_to_.back()));
      const auto found = std::upper_bound(up_to_.begin(), up_to_.end() - 1, place);
      return values_[static_cast<std::size_t>(found - up_to_.begin())];
    }
  }
  return 1;
}

std::uint32_t TokenLengths::draw(RandomSource& random) const {
  const double length = unclamped(random);
  return static_cast<std::uint32_t>(
      std::clamp(length, static_cast<double>(params_.min), static_cast<double>(params_.max)));
}

}  // namespace tahoma::runtime::serving
