// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/tensor_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "isa/table/table_names.h"
#include "model/base/columns.h"
#include "model/base/error.h"
#include "runtime/host/npy_dtype.h"

namespace tahoma::runtime {

namespace {

template <class Number>
double number_at(const std::byte* at) {
  Number n{};
  std::memcpy(&n, at, sizeof n);
  return static_cast<double>(n);
}

// Returns the exact values of an array of one of the element types that represent `dtype`
// (runtime/host/npy_dtype.h).
std::vector<double> elements_of(const NpyArray& array, isa::DType dtype) {
  // A float32 file is read as float32, so that its values are not rounded to the dtype.
  if (array.descr == "<f4") dtype = isa::DType::kFp32;
  const std::size_t size = isa::size_of(dtype);
  std::vector<double> elements(array.elements());
  for (std::size_t n = 0; n < elements.size(); ++n) {
    const std::byte* at = array.bytes.data() + n * size;
    elements[n] = dtype == isa::DType::kInt32    ? number_at<std::int32_t>(at)
                  : dtype == isa::DType::kUint32 ? number_at<std::uint32_t>(at)
                                                 : double{isa::load_as_fp32(at, dtype)};
  }
  return elements;
}

struct DifferenceLimits {  // |got - want| <= absolute + relative |want|
  double relative = 0, absolute = 0;
};

// Returns the significand bits of a float, including the leading one; 0 for integers, which are never
// rounded.
int precision_of(isa::DType dtype) {
  using enum isa::DType;
  static constexpr std::array<std::pair<isa::DType, int>, 8> kPrecision{{{kFp32, 24},
                                                                         {kTf32, 11},
                                                                         {kBf16, 8},
                                                                         {kFp16, 11},
                                                                         {kFp8E4M3, 4},
                                                                         {kFp8E5M2, 3},
                                                                         {kFp8E3M4, 5},
                                                                         {kFp8E4M3Fn, 4}}};
  for (const auto& [type, bits] : kPrecision)
    if (type == dtype) return bits;
  return 0;
}

// The default limits of a dtype (tensor_comparison.h), for those not given.
DifferenceLimits limits_of(const std::vector<double>& want, isa::DType dtype, std::optional<double> relative,
                           std::optional<double> absolute) {
  const int bits = precision_of(dtype);
  const double twice_roundoff = bits == 0 ? 0 : std::ldexp(2, -bits);
  double squares = 0, finite = 0;
  for (const double w : want) {
    if (!std::isfinite(w)) continue;
    squares += w * w;
    ++finite;
  }
  const double typical = finite == 0 ? 0 : std::sqrt(squares / finite);
  return {relative.value_or(twice_roundoff), absolute.value_or(twice_roundoff * typical)};
}

bool beyond(double got, double want, const DifferenceLimits& limits) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) != std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return got != want;
  return std::abs(got - want) > limits.absolute + limits.relative * std::abs(want);
}

std::string index_text(std::uint64_t element, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) index[d] = element % shape[d];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

// The first element beyond the limits, the number of such elements and their largest error; "" if there are
// none.
std::string difference_text(const std::vector<double>& got, const std::vector<double>& want,
                            const std::vector<std::uint64_t>& shape, const DifferenceLimits& limits) {
  std::uint64_t many = 0, first = 0;
  double largest = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    if (!beyond(got[n], want[n], limits)) continue;
    if (many++ == 0) first = n;
    largest = std::fmax(largest, std::abs(got[n] - want[n]));
  }
  if (many == 0) return "";
  return fmt::format(
      "element {}: got {}, expected {}; {} of {} elements are off by more than {:.3g} + {:.3g} "
      "|expected|, at most by {:.3g}",
      index_text(first, shape), got[first], want[first], many, got.size(), limits.absolute, limits.relative,
      largest);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

// Describes what is wrong with a checkpoint; "" if it matches.
std::string difference(const Checkpoint& got, const NpyArray& reference, const DumpTolerance& tolerance) {
  const NpyArray own = to_npy(got.dtype, got.shape, got.values);
  if (own.shape != reference.shape)
    return fmt::format("shape: got {}, the reference has {}", shape_text(own.shape),
                       shape_text(reference.shape));
  const std::vector<std::string> types = npy_types_of(got.dtype);
  if (std::find(types.begin(), types.end(), reference.descr) == types.end())
    return fmt::format("element type: the reference has {}, expected {} for {}", reference.descr,
                       fmt::join(types, " or "), isa::name_of(got.dtype));
  if (own.descr == reference.descr && own.bytes == reference.bytes) return "";
  const std::vector<double> want = elements_of(reference, got.dtype);
  return difference_text(elements_of(own, got.dtype), want, got.shape,
                         limits_of(want, got.dtype, tolerance.relative, tolerance.absolute));
}

std::string place_text(const Checkpoint& c) {
  std::string text = fmt::format("first difference: {} at {:.3f} ns\n", c.name, c.time.ns());
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12}{}\n", what, value);
  };
  line("instance", c.instance);
  if (c.instruction)
    line("instruction", fmt::format("{}[{}], execution {}: {}", isa::name_of(c.instruction->queue),
                                    c.instruction->index, c.instruction->occurrence, c.instruction->text));
  line("region", c.region);
  line("tile", c.tile.empty() ? c.memory : fmt::format("{} in {}", c.memory, c.tile));
  return text;
}

nlohmann::ordered_json place_json(const Checkpoint& c) {
  nlohmann::ordered_json json{{"name", c.name}, {"time_ns", base::clean_nanoseconds(c.time - base::Time{})}};
  json["instance"] = c.instance;
  if (c.instruction)
    json["instruction"] = {{"queue", isa::name_of(c.instruction->queue)},
                           {"index", c.instruction->index},
                           {"execution", c.instruction->occurrence},
                           {"text", c.instruction->text}};
  json["region"] = c.region;
  json["tile"] = c.tile;
  json["memory"] = c.memory;
  return json;
}

}  // namespace

void check_tolerance(const DumpTolerance& tolerance, bool compares, const char* needs) {
  for (const std::optional<double>& value : {tolerance.relative, tolerance.absolute}) {
    if (!value) continue;
    if (!compares)
      throw base::UserError("E-CKP-008", "--rtol, --atol", fmt::format("a tolerance needs {}", needs));
    if (!(*value >= 0) || !std::isfinite(*value))
      throw base::UserError("E-CKP-008", "--rtol, --atol",
                            fmt::format("{} is not a valid tolerance; expected a number from 0 on", *value));
  }
}

DumpComparison::DumpComparison(Dumps reference, const DumpTolerance& tolerance)
    : reference_(std::move(reference)), tolerance_(tolerance) {
  for (const Checkpoint& c : reference_.checkpoints) seen_[c.name] = false;
}

void DumpComparison::differ(const Checkpoint& where, const std::string& what) {
  ++different_;
  if (first_ && first_->where.order() <= where.order()) return;
  first_ = Difference{where, what};
  first_->where.values = {};
}

void DumpComparison::add(const Checkpoint& got, bool expected) {
  const auto found = seen_.find(got.name);
  if (found == seen_.end()) {
    if (expected) return differ(got, "the reference does not have it");
    ++beside_;
    return;
  }
  found->second = true;
  ++compared_;
  const std::string what = difference(got, reference_.values(got.name), tolerance_);
  if (!what.empty()) differ(got, what);
}

void DumpComparison::finish() {
  for (const Checkpoint& c : reference_.checkpoints)
    if (!seen_.at(c.name)) missing_.push_back(c.name);
  different_ += missing_.size();
}

std::string DumpComparison::text() const {
  std::string text = fmt::format("{} checkpoints compared with {}: ", compared_, reference_.folder);
  if (equal()) {
    text += "all equal within the tolerance";
    return text + (beside_ == 0 ? "\n" : fmt::format("; {} are not in the reference\n", beside_));
  }
  text += fmt::format("{} differ\n", different_);
  if (first_) text += place_text(first_->where) + fmt::format("  {:<12}{}\n", "difference", first_->what);
  if (!missing_.empty())
    text += fmt::format("{} checkpoints of the reference do not occur in this run; the first is {}\n",
                        missing_.size(), missing_.front());
  return text;
}

std::string DumpComparison::json() const {
  nlohmann::ordered_json json{{"schema_version", 1},     {"reference", reference_.folder},
                              {"equal", equal()},        {"compared", compared_},
                              {"different", different_}, {"not_in_reference", beside_}};
  json["first_difference"] = nullptr;
  if (first_) {
    json["first_difference"] = place_json(first_->where);
    json["first_difference"]["difference"] = first_->what;
  }
  json["missing"] = missing_;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

DumpComparison compare_dumps(const std::string& reference, const std::string& got,
                             const DumpTolerance& tolerance) {
  check_tolerance(tolerance, true, "");
  DumpComparison comparison(read_dumps(reference), tolerance);
  const Dumps dumps = read_dumps(got);
  if (!dumps.indexed)
    throw base::UserError("E-CKP-006", got,
                          "has no index.json: expected a folder written by tahoma run --dump");
  for (Checkpoint c : dumps.checkpoints) {
    NpyArray array = dumps.values(c.name);
    c.shape = array.shape;
    c.values = from_npy(std::move(array), c.dtype);
    comparison.add(c, true);
  }
  comparison.finish();
  return comparison;
}

}  // namespace tahoma::runtime
