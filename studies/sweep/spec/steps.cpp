// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::runtime {
namespace {

using base::Int128, base::Uint128, base::ParamRef, base::UserError;

// A kind of number, with conversions between text and base units.
template <class T>
struct Kind;
#define TAHOMA_KIND(T, PARSE, MEMBER)                                               \
  template <>                                                                       \
  struct Kind<T> {                                                                  \
    using Base = decltype(T{}.MEMBER);                                              \
    static Base parse(const std::string& text) { return base::PARSE(text).MEMBER; } \
    static T make(Base value) {                                                     \
      T made;                                                                       \
      made.MEMBER = value;                                                          \
      return made;                                                                  \
    }                                                                               \
  };
TAHOMA_KIND(base::Duration, parse_duration, fs)
TAHOMA_KIND(base::Cycles, parse_cycles, count)
TAHOMA_KIND(base::Bytes, parse_bytes, count)
TAHOMA_KIND(base::Frequency, parse_frequency, hz)
TAHOMA_KIND(base::Bandwidth, parse_bandwidth, bytes_per_second)
TAHOMA_KIND(base::Energy, parse_energy, aj)
TAHOMA_KIND(base::Power, parse_power, uw)
#undef TAHOMA_KIND
template <>
struct Kind<std::uint64_t> {
  using Base = std::uint64_t;
  static Base parse(const std::string& text) { return base::parse_count(text); }
  static std::uint64_t make(Base value) { return value; }
};

template <class T>
constexpr bool kWhole =
    !std::is_same_v<T, double> && !std::is_same_v<T, bool> && !std::is_same_v<T, std::string>;

template <class Action>
auto for_kind(const ParamRef& kind, Action&& action) {
  return std::visit(
      [&](const auto& ref) {
        if constexpr (std::is_same_v<decltype(ref), const base::ChoiceRef&>) {
          return action(std::string());  // a choice has no steps, like a text
        } else {
          return action(std::remove_cvref_t<decltype(*ref)>{});
        }
      },
      kind);
}

// value * 10^zeros, or nothing if it is not a whole number of base units in the range of T.
template <class T>
std::optional<typename Kind<T>::Base> whole(const Exact& value) {
  const auto unit = aligned(value, exact(1));
  if (!unit || unit->exponent < 0) return std::nullopt;
  using Base = typename Kind<T>::Base;
  if (unit->a < 0 || unit->a > static_cast<Int128>(std::numeric_limits<Base>::max())) return std::nullopt;
  return static_cast<Base>(unit->a);
}

[[noreturn]] void refuse_steps(const Written& what, const std::string& why) {
  throw UserError("E-SWP-012", what.place, why);
}

Exact parse_at(const ParamRef& kind, const Written& written) {
  try {
    return parse_exact(kind, written.text);
  } catch (const UserError& e) {
    throw UserError(e.code, written.place, e.message);
  }
}

[[noreturn]] void refuse_many_steps(const Written& what, const std::string& count) {
  throw UserError("E-SWP-014", what.place,
                  fmt::format("{} values on one axis, at most {}: use a larger step, or omit '{}' and draw "
                              "a sample",
                              count, kMostValues, what.text));
}

// `at` and `next` are on both sides of `to`.
[[noreturn]] void refuse_miss(const Written& what, const std::string& at, const std::string& next,
                              const Written& to) {
  refuse_steps(what, fmt::format("never reaches {}: {} is followed by {}; end at one of these", to.text, at,
                                 next.empty() ? "nothing" : next));
}

// Computes e.g. 10^(log10(ratio) * position) with square roots alone, which, unlike pow(), give the same
// result everywhere.
double power(double ratio, double position) {
  double result = 1, root = ratio;
  for (int bit = 0; bit < std::numeric_limits<double>::digits && position > 0; ++bit) {
    root = std::sqrt(root);
    position *= 2;
    if (position < 1) continue;
    result *= root;
    position -= 1;
  }
  return result;
}

template <class T>
std::string whole_at(const Track::Range& range, double position) {
  const auto low = static_cast<Uint128>(Kind<T>::parse(range.from));
  const auto high = static_cast<Uint128>(Kind<T>::parse(range.to));
  constexpr int kBits = std::numeric_limits<double>::digits;
  Uint128 value = 0;
  if (range.log) {
    const double first = static_cast<double>(low);
    value = static_cast<Uint128>(first * power(static_cast<double>(high + 1) / first, position));
  } else {
    value = low + ((static_cast<Uint128>(std::ldexp(position, kBits)) * (high - low + 1)) >> kBits);
  }
  return base::to_text(Kind<T>::make(static_cast<typename Kind<T>::Base>(std::clamp(value, low, high))));
}

}  // namespace

bool has_steps(const ParamRef& kind) {
  return !std::holds_alternative<bool*>(kind) && !base::takes_words(kind);
}

Exact parse_exact(const ParamRef& kind, const std::string& text) {
  return for_kind(kind, [&](auto zero) -> Exact {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double>) {
      base::parse_number(text);  // for its errors
      return exact(*base::scan_decimal(text));
    } else if constexpr (kWhole<T>) {
      const bool negative = text.starts_with('-');
      const auto value = static_cast<Int128>(Kind<T>::parse(negative ? text.substr(1) : text));
      return exact(negative ? -value : value);
    } else {
      TAHOMA_INVARIANT(false, "a range needs numbers: '" + text + "'");
    }
  });
}

std::string text_of(const ParamRef& kind, const Exact& value) {
  return for_kind(kind, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double>) {
      return base::to_text(base::parse_number(text_of(value)));
    } else if constexpr (kWhole<T>) {
      const auto count = whole<T>(value);
      return count ? base::to_text(Kind<T>::make(*count)) : "";
    } else {
      TAHOMA_INVARIANT(false, "a range needs numbers");
    }
  });
}

std::vector<std::string> by_step(const ParamRef& kind, const Written& from, const Written& to,
                                 const Written& step) {
  const Exact first = parse_at(kind, from), last = parse_at(kind, to), width = parse_at(kind, step);
  if (first == last) return {text_of(kind, first)};
  if (width.digits == 0) refuse_steps(step, fmt::format("a step of {} never reaches {}", step.text, to.text));
  if ((compare(first, last) < 0) != (width.digits > 0))
    refuse_steps(step, fmt::format("leads away from {}: write '{}', or exchange from and to", to.text,
                                   width.digits > 0 ? "-" + step.text : step.text.substr(1)));
  const auto distance = sum(last, {-first.digits, first.exponent});
  const auto in_steps = distance ? aligned(*distance, width) : std::nullopt;
  if (!in_steps) refuse_steps(step, fmt::format("from {} to {} takes too many steps", from.text, to.text));
  const Int128 steps = in_steps->a / in_steps->b;
  const auto at = [&](Int128 n) {
    const auto way = product(width, exact(n));
    const auto value = way ? sum(first, *way) : std::nullopt;
    return value ? text_of(kind, *value) : std::string();
  };
  if (steps >= static_cast<Int128>(kMostValues)) refuse_many_steps(step, text_of(exact(steps + 1)));
  if (in_steps->a % in_steps->b != 0) refuse_miss(step, at(steps), at(steps + 1), to);
  std::vector<std::string> texts;
  for (Int128 n = 0; n <= steps; ++n) texts.push_back(at(n));
  return texts;
}

std::vector<std::string> by_factor(const ParamRef& kind, const Written& from, const Written& to,
                                   const Written& factor) {
  double number = 0;
  const Exact first = parse_at(kind, from), last = parse_at(kind, to);
  const Exact scale = parse_at(ParamRef{&number}, factor);
  if (first.digits <= 0 || last.digits <= 0)
    refuse_steps(factor, "a factor needs from and to above zero: use a step, or list the values");
  if (first == last) return {text_of(kind, first)};
  const int growth = compare(scale, exact(1));
  if (scale.digits <= 0 || growth == 0)
    refuse_steps(factor, fmt::format("a factor of {} never reaches {}", factor.text, to.text));
  if ((compare(first, last) < 0) != (growth > 0))
    refuse_steps(factor, fmt::format("leads away from {}: exchange from and to", to.text));
  std::vector<std::string> texts{text_of(kind, first)};
  for (Exact value = first; value != last;) {  // at most about 100 iterations: 38 digits hold no more powers
    const auto next = product(value, scale);
    const std::string text = next ? text_of(kind, *next) : "";
    if (text.empty() || compare(*next, last) == growth) refuse_miss(factor, texts.back(), text, to);
    texts.push_back(text);
    value = *next;
  }
  return texts;
}

std::string value_at(const ParamRef& kind, const Track::Range& range, double position) {
  return for_kind(kind, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double>) {
      const double low = base::parse_number(range.from), high = base::parse_number(range.to);
      const double value = range.log ? low * power(high / low, position) : low + position * (high - low);
      return base::to_text(std::clamp(value, low, high));
    } else if constexpr (kWhole<T>) {
      return whole_at<T>(range, position);
    } else {
      TAHOMA_INVARIANT(false, "a range needs numbers");
    }
  });
}

}  // namespace tahoma::runtime
