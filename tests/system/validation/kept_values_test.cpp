// SPDX-License-Identifier: Apache-2.0
// The values kept beside a golden, and the errors of changed outputs against them.
#include "studies/validation/regression/values/kept_values.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "studies/validation/regression/values/value_changes.h"
#include "tests/support/program/refusal_of.h"

using namespace tahoma;
using namespace tahoma::runtime;
using Catch::Contains;
using tests::refusal_of;

namespace {

NamedValues output_of(const std::vector<float>& values, std::vector<std::uint64_t> shape) {
  NamedValues output{"y", isa::DType::kFp32, std::move(shape), {}};
  output.values.resize(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(output.values.data(), values.data(), output.values.size());
  return output;
}

std::vector<float> random_values(std::mt19937_64& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<double>(random() % 20001) / 1000 - 10);
  return values;
}

std::vector<OutputChange> changes_between(const NamedValues& before, const NamedValues& after,
                                          std::uint64_t most) {
  return output_changes({keep(before, most)}, {keep(after, most)});
}

// By the definition, over all elements.
struct Truth {
  std::uint64_t first = UINT64_MAX, changed = 0;
  double absolute = 0, relative = 0;
};
Truth truth_of(const std::vector<float>& before, const std::vector<float>& after) {
  Truth truth;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    truth.first = std::min<std::uint64_t>(truth.first, i);
    ++truth.changed;
    const double error = std::fabs(static_cast<double>(after[i]) - before[i]);
    truth.absolute = std::max(truth.absolute, error);
    if (before[i] != 0)
      truth.relative = std::max(truth.relative, error / std::fabs(static_cast<double>(before[i])));
  }
  return truth;
}

}  // namespace

TEST_CASE("kept values: an output that is kept whole has the exact errors and the first index",
          "[regression]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::size_t rows = 1 + random() % 12, columns = 1 + random() % 12;
    const std::vector<float> before = random_values(random, rows * columns);
    std::vector<float> after = before;
    for (std::uint64_t n = random() % 6; n > 0; --n)
      after[random() % after.size()] += static_cast<float>(random() % 5);
    const auto changes =
        changes_between(output_of(before, {rows, columns}), output_of(after, {rows, columns}), 144);
    const Truth truth = truth_of(before, after);
    REQUIRE(changes.size() == (truth.changed > 0 ? 1 : 0));
    if (changes.empty()) continue;
    CHECK(changes[0].block_length == 1);
    CHECK(changes[0].first.begin == truth.first);
    CHECK(changes[0].blocks_changed == truth.changed);
    CHECK(changes[0].absolute->error == truth.absolute);
    CHECK((changes[0].relative ? changes[0].relative->error : 0) == truth.relative);
  }
}

TEST_CASE("kept values: of a larger output every changed block is known, and errors are lower bounds",
          "[regression]") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 50; ++round) {
    const std::size_t rows = 1 + random() % 40, columns = 1 + random() % 40, most = 1 + random() % 30;
    const std::vector<float> before = random_values(random, rows * columns);
    std::vector<float> after = before;
    for (std::uint64_t n = 1 + random() % 300; n > 0; --n) after[random() % after.size()] += 1;
    const auto changes =
        changes_between(output_of(before, {rows, columns}), output_of(after, {rows, columns}), most);
    const Truth truth = truth_of(before, after);
    REQUIRE(changes.size() == 1);
    const OutputChange& change = changes[0];
    std::set<std::uint64_t> blocks;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != after[i]) blocks.insert(i / change.block_length);
    CHECK(change.blocks <= most);
    CHECK(change.blocks_changed == blocks.size());
    CHECK(change.first.begin <= truth.first);
    CHECK(truth.first < change.first.end);
    for (const auto& [largest, bound] :
         {std::pair(change.absolute, truth.absolute), {change.relative, truth.relative}})
      if (largest) {
        CHECK(largest->error <= bound);
        CHECK(largest->before == before[largest->index]);
        CHECK(largest->after == after[largest->index]);
      }
  }
}

TEST_CASE("kept values: the number of blocks determines their length, and they cover the output once",
          "[regression]") {
  for (std::uint64_t elements = 0; elements < 120; ++elements)
    for (std::uint64_t most = 0; most < 40; ++most) {
      const KeptOutput kept = keep(output_of(std::vector<float>(elements), {elements}), most);
      CHECK(kept.values.size() <= most);
      CHECK((elements == 0 || most == 0 || kept.block_length() == (elements + most - 1) / most));
      std::uint64_t covered = 0;
      for (std::uint64_t block = 0; block < kept.values.size(); ++block) {
        CHECK(kept.block(block).begin == covered);
        covered = kept.block(block).end;
        CHECK(kept.kept_at(block) >= kept.block(block).begin);
        CHECK(kept.kept_at(block) < covered);
      }
      CHECK(covered == (most == 0 ? 0 : elements));
    }
}

TEST_CASE("kept values: their columns spread over a matrix whose rows are blocks", "[regression]") {
  const KeptOutput kept = keep(output_of(std::vector<float>(128 * 512), {128, 512}), 128);
  std::set<std::uint64_t> columns;
  for (std::uint64_t block = 0; block < kept.values.size(); ++block)
    columns.insert(kept.kept_at(block) % 512);
  // 128 draws from 512 columns have 113 distinct ones on average, with a standard deviation below 4.
  CHECK(columns.size() > 113 - 5 * 4);
}

TEST_CASE("kept values: NaN, infinities and zeros", "[regression]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const auto changes =
      changes_between(output_of({nan, infinity, 0, 1, -0.F}, {5}), output_of({nan, 3, 2, 1, 0}, {5}), 5);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].blocks_changed == 3);  // the sign of a zero is a change of its bits, without an error
  CHECK(std::isinf(changes[0].absolute->error));
  CHECK(changes[0].absolute->index == 1);
  CHECK_FALSE(changes[0].relative);
  CHECK(changes_json(changes)[0]["largest_absolute_error"]["before"] == "inf");
}

TEST_CASE("kept values: the text has sizes, indices and both values", "[regression]") {
  std::vector<float> before(12, 1), after = before;
  after[7] = 1.5;
  CHECK(change_text(changes_between(output_of(before, {3, 4}), output_of(after, {3, 4}), 12)[0]) ==
        "y: 1 of 12 elements differ, the first is [1, 3], largest absolute error 0.5 at [1, 3] (1 -> 1.5), "
        "largest relative error 50 % at [1, 3] (1 -> 1.5)");
  CHECK_THAT(change_text(changes_between(output_of(before, {3, 4}), output_of(after, {3, 4}), 3)[0]),
             Contains("1 of 3 blocks of 4 elements differ, the first is [1, 0] to [1, 3]; "));
}

TEST_CASE("kept values: other shapes, numbers of values and names are said to be incomparable",
          "[regression]") {
  const KeptOutput a = keep(output_of({1, 2, 3, 4}, {2, 2}), 4), b = keep(output_of({1, 2, 3, 4}, {4}), 4),
                   c = keep(output_of({1, 2, 3, 4}, {2, 2}), 2);
  CHECK(output_changes({a}, {b})[0].incomparable == "was fp32 2x2, is fp32 4");
  CHECK_THAT(output_changes({a}, {c})[0].incomparable, Contains("its golden has 4 kept values"));
  CHECK(output_changes({a}, {})[0].incomparable == "is gone");
  CHECK(output_changes({}, {a})[0].incomparable == "is new");
  CHECK(output_changes({a}, {a}).empty());
}

TEST_CASE("kept values: a file of them is read as it was written, and a damaged one is refused",
          "[regression][must-fail]") {
  std::mt19937_64 random(9);
  const std::vector<float> values = random_values(random, 1000);
  for (const std::uint64_t most : {0, 7, 1000}) {
    const std::vector<KeptOutput> kept{keep(output_of(values, {10, 100}), most)};
    const std::string text = kept_values_text(kept);
    CHECK(kept_values_text(parse_kept_values(text, "f")) == text);
    CHECK(output_changes(kept, parse_kept_values(text, "f")).empty());
  }
  const std::string text = kept_values_text({keep(output_of({1, 2, 3, 4}, {4}), 2)});
  for (const std::string& bad : {std::string("{"), std::string("[1]"), text.substr(0, text.rfind('"')),
                                 std::string(text).replace(text.find("4"), 1, "1")})
    CHECK_THAT(refusal_of([&] { static_cast<void>(parse_kept_values(bad, "f")); }), Contains("E-REG-017"));
}
