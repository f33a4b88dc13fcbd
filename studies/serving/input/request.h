// SPDX-License-Identifier: Apache-2.0
// One request to the server, and the limits of a list of them.
#pragma once

#include <cstdint>
#include <vector>

#include "studies/serving/input/nanoseconds.h"

namespace tahoma::runtime::serving {

// The limits catch a mistaken column or unit. Published models have contexts of up to 10 million tokens.
inline constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMostRequests = 20'000'000;

struct Request {
  Nanoseconds arrival;
  std::uint32_t prompt = 1;  // tokens, 1 .. kMostTokens
  std::uint32_t output = 1;  // tokens that the server generates, 1 .. kMostTokens
};

// In the order of arrival. A request is known by its position, from 0.
using Requests = std::vector<Request>;
using RequestNumber = std::uint32_t;

// Tokens whose keys and values are in the cache at the end of the request: the last token is never cached.
constexpr std::uint64_t most_cached(const Request& request) {
  return std::uint64_t{request.prompt} + request.output - 1;
}

}  // namespace tahoma::runtime::serving
