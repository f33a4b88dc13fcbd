// SPDX-License-Identifier: Apache-2.0
// Correctable errors at random accesses of the channels of a stack, identical in every run.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tahoma::model {

// The seed of a stack's errors, from its name.
std::uint64_t error_seed(const std::string& name);

class CorrectableErrors {
 public:
  // `rate` is the probability of an error in one access. `seed` selects the accesses.
  CorrectableErrors(double rate, std::uint64_t seed, std::size_t channels);

  // Returns the errors in a channel's next accesses.
  std::uint32_t in(std::size_t channel, std::uint64_t accesses);

 private:
  std::uint64_t next();

  double rate_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> until_error_;  // accesses, by channel; 0: no errors
};

}  // namespace tahoma::model
