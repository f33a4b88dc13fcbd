// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "studies/sweep/spec/sampling.h"
#include "tests/support/program/refusal_of.h"

namespace {

using namespace tahoma;
using runtime::Coordinates, runtime::SweepSample;
using SampledPoints = std::vector<Coordinates>;
using Key = std::vector<double>;

SampledPoints drawn(const std::string& method, std::uint64_t points, const std::vector<std::size_t>& sizes,
                    std::uint64_t seed = 1) {
  return runtime::draw({method, points, seed, "f:1:1"}, sizes);
}

Key key_of(const Coordinates& point) {
  Key key;
  for (const auto& coordinate : point) {
    key.push_back(static_cast<double>(coordinate.index));
    key.push_back(coordinate.position);
  }
  return key;
}

std::vector<Key> keys_of(const SampledPoints& points) {
  std::vector<Key> keys;
  for (const Coordinates& point : points) keys.push_back(key_of(point));
  return keys;
}

std::size_t different(const SampledPoints& points) {
  const auto keys = keys_of(points);
  return std::set<Key>(keys.begin(), keys.end()).size();
}

// Counts how often each value of an axis occurs.
std::map<std::size_t, std::size_t> taken(const SampledPoints& points, std::size_t axis) {
  std::map<std::size_t, std::size_t> times;
  for (const Coordinates& point : points) ++times[point[axis].index];
  return times;
}

// Returns the stratum of each point, of `points.size()` strata, sorted.
std::vector<std::size_t> strata(const SampledPoints& points, std::size_t axis) {
  std::vector<std::size_t> result;
  for (const Coordinates& point : points)
    result.push_back(
        static_cast<std::size_t>(std::floor(point[axis].position * static_cast<double>(points.size()))));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::size_t> counting(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

}  // namespace

TEST_CASE("sweep sampling: a Latin hypercube has one point in each stratum of each axis", "[sweep]") {
  for (const std::uint64_t points : {1, 2, 7, 64, 1000})
    for (const std::uint64_t seed : {1, 2, 99}) {
      const SampledPoints sample = drawn("latin_hypercube", points, {0, 0, 0}, seed);
      REQUIRE(sample.size() == points);
      for (std::size_t axis = 0; axis < 3; ++axis) CHECK(strata(sample, axis) == counting(points));
    }
}

TEST_CASE("sweep sampling: a Latin hypercube takes the values of an axis evenly", "[sweep]") {
  const SampledPoints sample = drawn("latin_hypercube", 10, {3, 5, 20, 0});
  for (const auto& [value, times] : taken(sample, 0)) CHECK((times == 3 || times == 4));
  CHECK(taken(sample, 0).size() == 3);
  for (const auto& [value, times] : taken(sample, 1)) CHECK(times == 2);
  CHECK(taken(sample, 1).size() == 5);
  std::set<std::size_t> pairs;  // of 20 values, one of each two
  for (const auto& [value, times] : taken(sample, 2)) {
    CHECK(times == 1);
    pairs.insert(value / 2);
  }
  CHECK(pairs.size() == 10);
}

TEST_CASE("sweep sampling: points of a grid are all different, up to the whole grid", "[sweep]") {
  for (const std::string& method : runtime::sampling_methods())
    for (const std::uint64_t points : {1, 6, 15, 29, 30})
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        INFO(method << ", " << points << " points, seed " << seed);
        const SampledPoints sample = drawn(method, points, {2, 3, 5}, seed);
        CHECK(sample.size() == points);
        CHECK(different(sample) == points);
        for (std::size_t axis = 0; axis < 3; ++axis)
          for (const auto& [value, times] : taken(sample, axis))
            CHECK(value < (std::vector<std::size_t>{2, 3, 5})[axis]);
      }
}

TEST_CASE("sweep sampling: a Latin hypercube of a grid stays one when equal points are separated",
          "[sweep]") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const SampledPoints sample = drawn("latin_hypercube", 12, {4, 4}, seed);
    CHECK(different(sample) == 12);
    for (const std::size_t axis : {0, 1})
      for (const auto& [value, times] : taken(sample, axis)) CHECK(times == 3);
  }
}

TEST_CASE("sweep sampling: the same seed gives the same points, another seed others", "[sweep]") {
  for (const std::string& method : runtime::sampling_methods()) {
    CHECK(keys_of(drawn(method, 20, {0, 7}, 5)) == keys_of(drawn(method, 20, {0, 7}, 5)));
    CHECK(keys_of(drawn(method, 20, {0, 7}, 5)) != keys_of(drawn(method, 20, {0, 7}, 6)));
    CHECK(keys_of(drawn(method, 20, {50, 7}, 5)) != keys_of(drawn(method, 20, {50, 7}, 6)));
  }
}

TEST_CASE("sweep sampling: random positions are the top bits of the standard's Mersenne twister", "[sweep]") {
  // The first output of std::mt19937_64 with its default seed; its 10000th is fixed by the standard.
  const SampledPoints sample = drawn("random", 10'000, {0}, 5489);
  CHECK(sample[0][0].position == std::ldexp(static_cast<double>(14514284786278117030ULL >> 11), -53));
  CHECK(sample[9999][0].position == std::ldexp(static_cast<double>(9981545732273789042ULL >> 11), -53));
}

TEST_CASE("sweep sampling: random points are uniform", "[sweep]") {
  const SampledPoints sample = drawn("random", 20'000, {5, 0});
  for (const auto& [value, times] : taken(sample, 0))
    CHECK(std::abs(static_cast<double>(times) - 4000) < 300);
  double sum = 0;
  for (const Coordinates& point : sample) sum += point[1].position;
  CHECK(sum / 20'000 == Approx(0.5).margin(0.01));
}

TEST_CASE("sweep sampling: a beginning of a random sample of a grid is the smaller sample", "[sweep]") {
  const auto more = keys_of(drawn("random", 40, {10, 10})), fewer = keys_of(drawn("random", 15, {10, 10}));
  CHECK(std::equal(fewer.begin(), fewer.end(), more.begin()));
}

TEST_CASE("sweep sampling: more points than the grid has are refused", "[sweep]") {
  for (const std::string& method : runtime::sampling_methods())
    CHECK_THAT(
        tests::refusal_of([&] {
          drawn(method, 31, {2, 3, 5});
        }),
        Catch::StartsWith("f:1:1: error[E-SWP-032]: a sample of 31 points") && Catch::Contains("only 30"));
}
