// SPDX-License-Identifier: Apache-2.0
// The accounting of a golden check against definitions that sort and count.
#include "runtime/golden/golden_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "isa/core/dtype.h"
#include "runtime/golden/golden.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using isa::DType;

constexpr std::size_t kKept = 32;  // candidates for the largest error

struct Error {
  double error;
  std::uint64_t row, column;
  bool operator==(const Error&) const = default;
};

// Errors of elements in row-major order, many of them equal.
std::vector<Error> errors_of(std::uint64_t seed, std::uint64_t count) {
  std::mt19937_64 random(seed);
  std::vector<Error> errors;
  for (std::uint64_t n = 0; n < count; ++n)
    errors.push_back({static_cast<double>(random() % 40), n / 10, n % 10});
  return errors;
}

std::vector<Error> kept(const LargestErrors& largest) {
  std::vector<Error> places;
  for (const LargestErrors::Entry& e : largest.places()) places.push_back({e.error, e.row, e.column});
  return places;
}

std::vector<Error> largest_by_sorting(std::vector<Error> errors) {
  std::erase_if(errors, [](const Error& e) { return e.error == 0; });
  std::stable_sort(errors.begin(), errors.end(),
                   [](const Error& a, const Error& b) { return a.error > b.error; });
  errors.resize(std::min(errors.size(), kKept));
  return errors;
}

// 0, 1, 2, ... as fp32.
HostTensor counted(std::uint64_t rows, std::uint64_t columns) {
  HostTensor t = make_tensor("t", DType::kFp32, {rows, columns});
  for (std::uint64_t n = 0; n < t.elements(); ++n)
    isa::store_from_fp32(t.values.data() + 4 * n, t.dtype, static_cast<float>(n));
  return t;
}

// The numbers of the printed lines "row R: a b c" below a title.
std::vector<std::vector<double>> printed_rows(const std::string& text, const std::string& title) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text.substr(text.find(title)));
  std::string line, word;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    if (!(words >> word) || word != "row") break;
    for (rows.emplace_back(); words >> word;) rows.back().push_back(std::stod(word));
  }
  return rows;
}

GoldenResult result_of(std::uint64_t elements, std::uint64_t mismatches, double error, const char* first) {
  GoldenResult r;
  r.elements = elements;
  r.mismatches = mismatches;
  r.max_abs_error = error;
  r.max_rel_error = error / 2;
  r.tolerance = error / 4;
  r.first_mismatch = first;
  return r;
}

}  // namespace

TEST_CASE("golden tally: the largest errors are those that a stable sort puts first", "[golden]") {
  for (const std::uint64_t count : {1U, 31U, 32U, 33U, 300U}) {
    const std::vector<Error> errors = errors_of(count, count);
    LargestErrors all;
    for (const Error& e : errors) all.add(e.error, e.row, e.column);
    CHECK(kept(all) == largest_by_sorting(errors));
  }
}

TEST_CASE("golden tally: blocks merged in their order are the whole", "[golden]") {
  for (const std::uint64_t cut : {0U, 1U, 40U, 150U, 300U}) {
    const std::vector<Error> errors = errors_of(7, 300);
    GoldenTally first, later;
    for (std::uint64_t n = 0; n < errors.size(); ++n) {
      GoldenTally& block = n < cut ? first : later;
      block.error(100 + errors[n].error, 100, 0, errors[n].row, errors[n].column);
      if (errors[n].error > 35) block.mismatch(n);
    }
    first.merge(later);
    const auto wrong = [](const Error& e) { return e.error > 35; };
    const auto at = std::find_if(errors.begin(), errors.end(), wrong);
    CHECK(first.elements == errors.size());
    CHECK(first.mismatches == static_cast<std::uint64_t>(std::count_if(errors.begin(), errors.end(), wrong)));
    CHECK(first.first == static_cast<std::uint64_t>(at - errors.begin()));
    CHECK(kept(first.absolute) == largest_by_sorting(errors));
  }
}

TEST_CASE("golden tally: relative errors are those of |want| and the scale", "[golden]") {
  const HostTensor got = counted(1, 4);  // 0, 1, 2, 3
  const auto definition = [](std::uint64_t) { return WantedRow{{0, -1, 4, 3}, {9, 9, 9, 9}, {1, 1, 4, 1}}; };
  const GoldenResult result = check_rows(got, definition, 0.25, "rule", {});
  CHECK(result.passed());
  CHECK(result.elements == 4);
  CHECK(result.tolerance == 0.25);
  CHECK(result.rule == "rule");
  CHECK(result.max_abs_error == 2);  // 1 and -1, 2 and 4
  CHECK(result.max_rel_error == 2.0 / (1 + 1));
}

TEST_CASE("golden tally: an element passes at both ends of its interval and fails beyond", "[golden]") {
  const HostTensor got = counted(1, 9);
  for (const double slack : {0.0, 1.0, 2.5}) {
    const auto definition = [&](std::uint64_t) {
      return WantedRow{std::vector<double>(9, 4), std::vector<double>(9, slack), {}};
    };
    std::uint64_t beyond = 0;
    for (int n = 0; n < 9; ++n) beyond += std::abs(n - 4) > slack ? 1 : 0;
    const GoldenResult result = check_rows(got, definition, 0, "rule", {});
    CHECK(result.mismatches == beyond);
    CHECK_THAT(result.first_mismatch, Catch::StartsWith("t[0, 0] = 0, expected 4"));
  }
}

TEST_CASE("golden tally: a failure shows the neighbours that exist, got and expected", "[golden]") {
  constexpr std::uint64_t kRows = 4, kColumns = 5;
  const HostTensor want = counted(kRows, kColumns);
  for (std::uint64_t row = 0; row < kRows; ++row)
    for (std::uint64_t column = 0; column < kColumns; ++column) {
      HostTensor got = want;
      isa::store_from_fp32(got.values.data() + 4 * (row * kColumns + column), got.dtype, 77);
      std::vector<std::vector<double>> shown, expected;
      for (std::uint64_t r = row - std::min<std::uint64_t>(row, 1); r <= std::min(row + 1, kRows - 1); ++r) {
        shown.emplace_back(), expected.emplace_back();
        for (std::uint64_t c = column - std::min<std::uint64_t>(column, 1);
             c <= std::min(column + 1, kColumns - 1); ++c) {
          shown.back().push_back(got.at(r, c));
          expected.back().push_back(want.at(r, c));
        }
      }
      const GoldenResult result = check_moved(want, got, {});
      INFO(result.first_mismatch);
      CHECK_THAT(result.first_mismatch, Catch::StartsWith(fmt::format("t[{}, {}] = 77, expected {}", row,
                                                                      column, row * kColumns + column)));
      CHECK_THAT(result.first_mismatch,
                 Catch::Contains(fmt::format("columns {} to {}:", column - std::min<std::uint64_t>(column, 1),
                                             std::min(column + 1, kColumns - 1))));
      // The number of the row is the first word.
      auto got_rows = printed_rows(result.first_mismatch, "  got"),
           want_rows = printed_rows(result.first_mismatch, "  expected:");
      for (auto* rows : {&got_rows, &want_rows})
        for (std::size_t n = 0; n < rows->size(); ++n) {
          CHECK(rows->at(n).front() == static_cast<double>(row - std::min<std::uint64_t>(row, 1) + n));
          rows->at(n).erase(rows->at(n).begin());
        }
      CHECK(got_rows == shown);
      CHECK(want_rows == expected);
    }
}

TEST_CASE("golden tally: moved data are compared bit by bit", "[golden]") {
  const HostTensor want = counted(3, 3);
  CHECK(check_moved(want, want, {}).passed());
  for (std::size_t bit = 0; bit < 8 * want.values.size(); ++bit) {
    HostTensor got = want;
    got.values[bit / 8] ^= std::byte{1} << bit % 8;
    const GoldenResult result = check_moved(want, got, {});
    CHECK(result.elements == 9);
    CHECK(result.mismatches == 1);
    CHECK_THAT(result.first_mismatch,
               Catch::StartsWith(fmt::format("t[{}, {}] = ", bit / 32 / 3, bit / 32 % 3)));
  }
}

TEST_CASE("golden tally: results add up, and the first mismatch is that of the first that fails",
          "[golden]") {
  GoldenResult sum;
  CHECK_FALSE(sum.checked());
  sum.add(result_of(10, 0, 1, ""));
  CHECK((sum.passed() && sum.elements == 10));
  sum.add(result_of(20, 3, 4, "second"));
  sum.add(result_of(30, 2, 2, "third"));
  CHECK(sum.elements == 60);
  CHECK(sum.mismatches == 5);
  CHECK(sum.max_abs_error == 4);
  CHECK(sum.max_rel_error == 2);
  CHECK(sum.tolerance == 1);
  CHECK(sum.first_mismatch == "second");
}
