// SPDX-License-Identifier: Apache-2.0
// The check of every option that takes a whole number. The library would take -1 as 2^64 - 1, cut a longer
// number down to that, and print its own ranges with 300 digits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tahoma::runtime {

// Counts of what a run may have: tokens, sequences, replicas, stages. Three of them have a product below
// 2^64.
inline constexpr std::uint64_t kMostOfOption = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMostJobs = 4096;
inline constexpr std::uint64_t kMostRepetitions = 10000;  // of a run

// For CLI::Option::check(): "" or what was expected. Decimal digits without leading zeros only.
std::function<std::string(const std::string&)> whole_numbers(std::uint64_t least,
                                                             std::uint64_t most = kMostOfOption);

}  // namespace tahoma::runtime
