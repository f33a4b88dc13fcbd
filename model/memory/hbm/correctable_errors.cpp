// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/correctable_errors.h"

#include <cmath>

namespace tahoma::model {

// FNV-1a gives the same value on every host. Another hash would move injected faults, and the function runs
// only once per stack.
std::uint64_t error_seed(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

CorrectableErrors::CorrectableErrors(double rate, std::uint64_t seed, std::size_t channels)
    : rate_(rate), random_(seed) {
  for (std::size_t c = 0; c < channels; ++c) until_error_.push_back(next());
}

// Draws the number of accesses until the next error from a geometric distribution.
std::uint64_t CorrectableErrors::next() {
  if (rate_ <= 0) return 0;
  const double uniform = (static_cast<double>(random_() >> 11) + 1) * 0x1p-53;  // in (0, 1]
  return 1 + static_cast<std::uint64_t>(std::log(uniform) / std::log1p(-rate_));
}

std::uint32_t CorrectableErrors::in(std::size_t channel, std::uint64_t accesses) {
  std::uint64_t& until_error = until_error_[channel];
  if (until_error == 0) return 0;
  std::uint32_t errors = 0;
  while (until_error <= accesses) {
    accesses -= until_error;
    until_error = next();
    ++errors;
  }
  until_error -= accesses;
  return errors;
}

}  // namespace tahoma::model
