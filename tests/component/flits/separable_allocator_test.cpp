// SPDX-License-Identifier: Apache-2.0
// The matching of requests to outputs.
#include "model/link/flits/separable_allocator.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

using tahoma::model::SeparableAllocator;

namespace {

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

void request_every_pair(SeparableAllocator& allocator, std::uint32_t n) {
  for (std::uint32_t input = 0; input < n; ++input)
    for (std::uint32_t output = 0; output < n; ++output) allocator.request(input, output);
}

}  // namespace

TEST_CASE("separable allocator: a matching has only requested pairs, and each input and output once",
          "[link]") {
  std::mt19937 random(3);
  SeparableAllocator allocator(5, 7);
  for (int round = 0; round < 2000; ++round) {
    Pairs requested;
    for (auto n = random() % 12; n > 0; --n)
      requested.emplace(static_cast<std::uint32_t>(random() % 5), static_cast<std::uint32_t>(random() % 7));
    for (const auto& [input, output] : requested) allocator.request(input, output);
    std::set<std::uint32_t> inputs, outputs;
    for (const SeparableAllocator::Match& match : allocator.allocate()) {
      REQUIRE(requested.count({match.input, match.output}) == 1);
      REQUIRE(inputs.insert(match.input).second);
      REQUIRE(outputs.insert(match.output).second);
    }
    REQUIRE(inputs.empty() == requested.empty());  // something is matched whenever something is requested
  }
}

TEST_CASE("separable allocator: requests are forgotten after a matching", "[link]") {
  SeparableAllocator allocator(2, 2);
  allocator.request(0, 1);
  CHECK(allocator.allocate().size() == 1);
  CHECK(allocator.allocate().empty());
}

// The property for which iSLIP is known: the turns of the outputs spread out until they never collide.
TEST_CASE(
    "separable allocator: if all request everything, each matching is complete after n, and serves each pair "
    "alike",
    "[link]") {
  constexpr std::uint32_t kSize = 6, kRounds = 10;
  SeparableAllocator allocator(kSize, kSize);
  for (std::uint32_t round = 0; round < kSize; ++round) {
    request_every_pair(allocator, kSize);
    allocator.allocate();
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> served;
  for (std::uint32_t round = 0; round < kRounds * kSize; ++round) {
    request_every_pair(allocator, kSize);
    const auto& matches = allocator.allocate();
    REQUIRE(matches.size() == kSize);
    for (const SeparableAllocator::Match& match : matches) ++served[{match.input, match.output}];
  }
  CHECK(served.size() == kSize * kSize);
  for (const auto& [pair, times] : served) CHECK(times == kRounds);
}

TEST_CASE("separable allocator: requests for one output are served in turn", "[link]") {
  SeparableAllocator allocator(4, 1);
  std::vector<std::uint32_t> order;
  for (int round = 0; round < 8; ++round) {
    for (const std::uint32_t input : {0U, 1U, 3U}) allocator.request(input, 0);
    order.push_back(allocator.allocate().at(0).input);
  }
  CHECK(order == std::vector<std::uint32_t>{0, 1, 3, 0, 1, 3, 0, 1});
}

// An output that has granted in vain grants the same input again, which accepts it after its other grants at
// the latest.
TEST_CASE("separable allocator: a lasting request is granted within inputs times outputs rounds", "[link]") {
  constexpr std::uint32_t kSize = 5;
  std::mt19937 random(11);
  SeparableAllocator allocator(kSize, kSize);
  std::uint32_t waited = 0;
  for (int round = 0; round < 20'000; ++round) {
    allocator.request(2, 3);
    for (std::uint32_t input = 0; input < kSize; ++input)
      for (std::uint32_t output = 0; output < kSize; ++output)
        if (random() % 2 == 0 && !(input == 2 && output == 3)) allocator.request(input, output);
    const auto& matches = allocator.allocate();
    const bool served =
        std::find(matches.begin(), matches.end(), SeparableAllocator::Match{2, 3}) != matches.end();
    waited = served ? 0 : waited + 1;
    REQUIRE(waited <= kSize * kSize);
  }
}
