// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "frontend/nki/record/overlap.h"
#include "frontend/nki/record/trace.h"

using namespace tahoma::runtime::nki;

namespace {

constexpr std::int64_t kTensorRows = 8, kColumns = 12;

// The elements of a part of a [kTensorRows, kColumns] tensor, in order.
struct Box {
  std::int64_t row, rows, column, columns, step;
  std::vector<std::int64_t> elements() const {
    std::vector<std::int64_t> found;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) found.push_back((row + r) * kColumns + column + c * step);
    return found;
  }
  View of(const View& all) const {
    return slice(slice(all, 0, row, row + rows, 1), 1, column, column + (columns - 1) * step + 1, step);
  }
};

Box random_part(std::mt19937& random) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  Box p{below(kTensorRows), 0, below(kColumns), 0, 1 + below(2)};
  p.rows = 1 + below(kTensorRows - p.row);
  p.columns = 1 + below((kColumns - 1 - p.column) / p.step + 1);
  return p;
}

View tensor(Trace& trace, std::optional<Place> place = {}) {
  Storage storage;
  storage.element = element_by_name("float32");
  storage.shape = {kTensorRows, kColumns};
  storage.place = place;
  return whole(trace.declare(std::move(storage)));
}

}  // namespace

TEST_CASE("nki overlap: parts of a tensor overlap if they share elements and are not the same elements",
          "[nki]") {
  Trace trace({}, 4096, "parts");
  const View all = tensor(trace);
  unsigned same = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    const Box p = random_part(random), q = random_part(random);
    const std::vector<std::int64_t> a = p.elements(), b = q.elements();
    const bool share = std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
    const bool got = overlap(p.of(all), q.of(all)), equal = same_elements(p.of(all), p.of(all));
    INFO("seed " << seed);
    CHECK(equal);
    if (a == b) {
      ++same;
      CHECK_FALSE(got);
      continue;
    }
    CHECK_FALSE(same_elements(p.of(all), q.of(all)));
    if (share) CHECK(got);
    if (p.step == 1 && q.step == 1) CHECK(got == share);  // the gaps of strides count as bytes
  }
  CHECK(same > 0);
}

TEST_CASE("nki overlap: two tensors share bytes only if both have hand-given addresses", "[nki]") {
  Trace trace({}, 4096, "placed");
  const View free = tensor(trace), low = tensor(trace, Place{0, 0}), next = tensor(trace, Place{0, 48}),
             across = tensor(trace, Place{0, 44}), below = tensor(trace, Place{8, 0});
  CHECK_FALSE(overlap(free, low));
  CHECK_FALSE(overlap(low, next));
  CHECK(overlap(low, across));
  CHECK(overlap(next, across));
  CHECK_FALSE(overlap(low, below));
}
