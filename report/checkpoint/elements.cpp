// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstring>

#include "runtime/host/npy_dtype.h"

namespace tahoma::runtime {

namespace {

template <class Number>
double number_at(const std::byte* at) {
  Number n{};
  std::memcpy(&n, at, sizeof n);
  return static_cast<double>(n);
}

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

}  // namespace

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

}  // namespace tahoma::runtime
