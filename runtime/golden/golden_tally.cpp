// SPDX-License-Identifier: Apache-2.0
#include "runtime/golden/golden_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tahoma::runtime {

namespace {

constexpr std::size_t kKept = 32;  // candidates for the largest error

// Rounds to six digits: enough to judge by, and few enough to be independent of the host's libm.
double six_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.5e}", value).c_str(), nullptr) : value;
}

// Returns the largest of the candidates after exact evaluation.
double largest(const LargestErrors& worst, const HostTensor& got, const Examine& examine, bool relative) {
  double result = 0;
  for (const auto& place : worst.places()) {
    const ExaminedElement element = examine(place.row, place.column);
    const double error = error_between(got.at(place.row, place.column), element.want);
    const double size = relative ? std::fabs(element.want) + element.scale : 1;
    result = std::max(result, error == 0 ? 0 : error / size);
  }
  return six_digits(result);
}

// Prints the existing rows of the 3x3 neighbourhood; `value(row, column)` returns each element.
template <class Value>
std::string neighbourhood(const HostTensor& got, std::uint64_t row, std::uint64_t column,
                          const Value& value) {
  std::string text;
  for (std::uint64_t r = row == 0 ? 0 : row - 1; r <= row + 1 && r < got.rows(); ++r) {
    text += fmt::format("    row {:<8}", r);
    for (std::uint64_t c = column == 0 ? 0 : column - 1; c <= column + 1 && c < got.columns(); ++c)
      text += fmt::format(" {:>16.9g}", value(r, c));
    text += '\n';
  }
  return text;
}

std::string describe(const HostTensor& got, std::uint64_t index, const Examine& examine,
                     const MadeBy& made_by) {
  const std::uint64_t row = index / got.columns(), column = index % got.columns();
  const ExaminedElement element = examine(row, column);
  std::string text = fmt::format("{}[{}, {}] = {:.9g}, expected {:.9g}", got.name, row, column,
                                 got.at(row, column), element.want);
  // The allowed values are those of the dtype, between which the expected one may lie.
  if (isa::is_float(got.dtype))
    if (const double rounded = round_to(element.want, got.dtype); rounded != element.want)
      text += fmt::format(" (as {} {:.9g})", isa::name_of(got.dtype), rounded);
  text += fmt::format(", allowed {:.9g} .. {:.9g}", element.bounds.low, element.bounds.high);
  if (made_by) text += fmt::format(", made by {}", made_by(row, column));
  const std::uint64_t first = column == 0 ? 0 : column - 1, last = std::min(column + 1, got.columns() - 1);
  text += fmt::format("\n  got, columns {} to {}:\n", first, last);
  text += neighbourhood(got, row, column, [&](auto r, auto c) { return static_cast<double>(got.at(r, c)); });
  text += "  expected:\n";
  text += neighbourhood(got, row, column, [&](auto r, auto c) { return examine(r, c).want; });
  return text;
}

}  // namespace

void LargestErrors::insert(const Entry& place) {
  const auto after =
      std::find_if(places_.begin(), places_.end(), [&](const Entry& p) { return p.error < place.error; });
  places_.insert(after, place);
  if (places_.size() > kKept) places_.pop_back();
  if (places_.size() == kKept) floor_ = places_.back().error;
}

void LargestErrors::merge(const LargestErrors& later) {
  for (const Entry& place : later.places_) add(place.error, place.row, place.column);
}

void GoldenTally::mismatch(std::uint64_t index) {
  ++mismatches;
  first = std::min(first, index);
}

void GoldenTally::error(double got, double want, double scale, std::uint64_t row, std::uint64_t column) {
  ++elements;
  if (!std::isfinite(got)) {
    ++not_finite;
    first_not_finite = std::min(first_not_finite, {row, column});
  }
  const double difference = error_between(got, want);
  if (difference == 0) return;
  absolute.add(difference, row, column);
  relative.add(difference / (std::fabs(want) + scale), row, column);
}

void GoldenTally::merge(const GoldenTally& later) {
  elements += later.elements;
  mismatches += later.mismatches;
  first = std::min(first, later.first);
  not_finite += later.not_finite;
  first_not_finite = std::min(first_not_finite, later.first_not_finite);
  absolute.merge(later.absolute);
  relative.merge(later.relative);
}

void GoldenResult::add(const GoldenResult& other) {
  results += other.results;
  not_finite += other.not_finite;
  if (first_not_finite.empty()) first_not_finite = other.first_not_finite;
  if (elements == 0) rule = other.rule;
  if (mismatches == 0) first_mismatch = other.first_mismatch;
  elements += other.elements;
  mismatches += other.mismatches;
  max_abs_error = std::max(max_abs_error, other.max_abs_error);
  max_rel_error = std::max(max_rel_error, other.max_rel_error);
  tolerance = std::max(tolerance, other.tolerance);
}

void GoldenResult::count_not_finite(const NamedValues& output) {
  if (!isa::is_float(output.dtype)) return;
  const std::size_t size = isa::size_of(output.dtype), count = output.values.size() / size;
  results += count;
  for (std::size_t n = 0; n < count; ++n) {
    const float value = isa::load_as_fp32(output.values.data() + n * size, output.dtype);
    if (std::isfinite(value)) continue;
    if (not_finite++ == 0) first_not_finite = fmt::format("element {} of {} = {}", n, output.name, value);
  }
}

GoldenResult conclude(const GoldenTally& tally, const HostTensor& got, const Examine& examine,
                      double tolerance, const std::string& rule, const MadeBy& made_by) {
  GoldenResult result;
  result.elements = tally.elements;
  result.mismatches = tally.mismatches;
  result.tolerance = six_digits(tolerance);
  result.rule = rule;
  result.max_abs_error = largest(tally.absolute, got, examine, false);
  result.max_rel_error = largest(tally.relative, got, examine, true);
  if (result.failed()) result.first_mismatch = describe(got, tally.first, examine, made_by);
  if (isa::is_float(got.dtype)) result.results = tally.elements;
  result.not_finite = tally.not_finite;
  if (tally.not_finite > 0) {
    const auto [row, column] = tally.first_not_finite;
    result.first_not_finite = fmt::format("{}[{}, {}] = {}", got.name, row, column, got.at(row, column));
    if (made_by) result.first_not_finite += ", made by " + made_by(row, column);
  }
  return result;
}

}  // namespace tahoma::runtime
