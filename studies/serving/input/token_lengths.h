// SPDX-License-Identifier: Apache-2.0
// A distribution of numbers of tokens. Values beyond `min` and `max` become the limit.
//
// UserError E-SRV-021: `min` exceeds `max`, or an empirical distribution has no file. Of the file: those of
// csv_stream.h, E-SRV-005, and E-SRV-003 for a count that is not a whole number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "studies/serving/input/random_source.h"

namespace tahoma::runtime::serving {

enum class LengthKind : std::uint8_t { kConstant, kUniform, kLognormal, kGeometric, kEmpirical };
inline constexpr base::Named<LengthKind> kLengthKinds[] = {{LengthKind::kConstant, "constant"},
                                                           {LengthKind::kUniform, "uniform"},
                                                           {LengthKind::kLognormal, "lognormal"},
                                                           {LengthKind::kGeometric, "geometric"},
                                                           {LengthKind::kEmpirical, "empirical"}};

struct LengthParams {
  LengthKind distribution = LengthKind::kConstant;
  std::uint64_t value = 0, min = 1, max = 0;
  double mean = 0, median = 0, sigma = 0;
  std::string file;
  void declare(base::ParamTree& tree);
};

class TokenLengths {
 public:
  // Reads the file of an empirical distribution: columns `tokens` and `count`. `path` is that of the
  // parameters.
  TokenLengths(const LengthParams& params, const std::string& path);
  std::uint32_t draw(RandomSource& random) const;

 private:
  double unclamped(RandomSource& random) const;
  void read_empirical();

  LengthParams params_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint64_t> up_to_;  // of an empirical distribution: the counts of the values up to each
};

}  // namespace tahoma::runtime::serving
