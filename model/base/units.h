// SPDX-License-Identifier: Apache-2.0
// Quantities with units. A bare number never crosses an interface of the model; conversions are explicit and
// exact where the physics is exact. Decimal prefixes are SI (TB = 1e12 bytes), binary ones IEC (TiB = 2^40
// bytes).
#pragma once

#include <compare>
#include <cstdint>
#include <numeric>

namespace tahoma::base {

__extension__ using Int128 = __int128;  // for products of femtoseconds and hertz
__extension__ using Uint128 = unsigned __int128;

// A point in simulated time or a span of it, in femtoseconds. Range: +-2.5 hours.
struct Duration {
  std::int64_t fs = 0;
  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration d) {
    fs += d.fs;
    return *this;
  }
  constexpr Duration& operator-=(Duration d) {
    fs -= d.fs;
    return *this;
  }
  constexpr double ns() const { return static_cast<double>(fs) * 1e-6; }
  constexpr double seconds() const { return static_cast<double>(fs) * 1e-15; }
};
constexpr Duration operator+(Duration a, Duration b) { return {a.fs + b.fs}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.fs - b.fs}; }
constexpr Duration operator*(Duration a, std::int64_t n) { return {a.fs * n}; }
using Time = Duration;
inline constexpr Time kNever{INT64_MAX};

struct Cycles {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Cycles&) const = default;
};
constexpr Cycles operator+(Cycles a, Cycles b) { return {a.count + b.count}; }
constexpr Cycles operator-(Cycles a, Cycles b) { return {a.count - b.count}; }

struct Bytes {
  std::uint64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
};

struct Frequency {
  std::uint64_t hz = 0;
  constexpr auto operator<=>(const Frequency&) const = default;
};

// The bandwidth is in bytes per second; an `ideal` transfer takes no time.
struct Bandwidth {
  std::uint64_t bytes_per_second = 0;
  bool ideal = false;
  constexpr bool operator==(const Bandwidth&) const = default;
  // Time to move `n` bytes, rounded up to a femtosecond.
  constexpr Duration time_for(Bytes n) const {
    if (ideal) return {0};
    const auto numerator = static_cast<Uint128>(n.count) * 1'000'000'000'000'000ULL;
    return {static_cast<std::int64_t>((numerator + bytes_per_second - 1) / bytes_per_second)};
  }
};

// An energy in attojoules; parameters of a single event. Sums over a run are doubles of joules.
struct Energy {
  std::uint64_t aj = 0;
  constexpr auto operator<=>(const Energy&) const = default;
  constexpr double joules() const { return static_cast<double>(aj) * 1e-18; }
};

// A power in microwatts.
struct Power {
  std::uint64_t uw = 0;
  constexpr auto operator<=>(const Power&) const = default;
  constexpr double watts() const { return static_cast<double>(uw) * 1e-6; }
};

inline namespace literals {
constexpr Duration operator""_ns(long double v) { return {static_cast<std::int64_t>(v * 1e6L + 0.5L)}; }
constexpr Duration operator""_ns(unsigned long long v) { return {static_cast<std::int64_t>(v * 1'000'000)}; }
constexpr Duration operator""_us(long double v) { return {static_cast<std::int64_t>(v * 1e9L + 0.5L)}; }
constexpr Duration operator""_us(unsigned long long v) {
  return {static_cast<std::int64_t>(v * 1'000'000'000)};
}
constexpr Cycles operator""_cyc(unsigned long long v) { return {static_cast<std::int64_t>(v)}; }
constexpr Bytes operator""_B(unsigned long long v) { return {v}; }
constexpr Bytes operator""_KiB(unsigned long long v) { return {v << 10}; }
constexpr Bytes operator""_MiB(unsigned long long v) { return {v << 20}; }
constexpr Bytes operator""_GiB(unsigned long long v) { return {v << 30}; }
constexpr Frequency operator""_MHz(unsigned long long v) { return {v * 1'000'000}; }
constexpr Bandwidth operator""_GBps(unsigned long long v) { return {v * 1'000'000'000, false}; }
constexpr Bandwidth operator""_GBps(long double v) {
  return {static_cast<std::uint64_t>(v * 1e9L + 0.5L), false};
}
constexpr Energy operator""_pJ(long double v) { return {static_cast<std::uint64_t>(v * 1e6L + 0.5L)}; }
constexpr Energy operator""_pJ(unsigned long long v) { return {v * 1'000'000}; }
constexpr Energy operator""_nJ(long double v) { return {static_cast<std::uint64_t>(v * 1e9L + 0.5L)}; }
constexpr Energy operator""_nJ(unsigned long long v) { return {v * 1'000'000'000}; }
constexpr Power operator""_W(unsigned long long v) { return {v * 1'000'000}; }
}  // namespace literals

// A clock counts cycles from time zero; edges are computed from the count, so that rounding never
// accumulates.
class Clock {
 public:
  constexpr explicit Clock(Frequency f)
      : hz_(f.hz),
        fs_(kFsPerSecond / std::gcd(kFsPerSecond, static_cast<std::int64_t>(f.hz))),
        cycles_(static_cast<std::int64_t>(f.hz) / std::gcd(kFsPerSecond, static_cast<std::int64_t>(f.hz))) {}
  // Returns the time of edge number `n`, rounded down to a femtosecond.
  constexpr Time edge(Cycles n) const { return {times_ratio(n.count, fs_, cycles_)}; }
  // Returns the first edge at or after `t`.
  constexpr Cycles at_or_after(Time t) const {
    std::int64_t n = times_ratio(t.fs, cycles_, fs_);
    while (edge({n}).fs < t.fs) ++n;
    return {n};
  }
  // Converts a duration to the nearest whole number of cycles. It turns documented nanoseconds into constants
  // of this clock.
  constexpr Cycles nearest(Duration d) const {
    const auto scaled = static_cast<Int128>(d.fs) * static_cast<Int128>(hz_);
    return {static_cast<std::int64_t>((scaled + kFsPerSecond / 2) / kFsPerSecond)};
  }
  constexpr Duration length(Cycles n) const { return edge(n); }

 private:
  static constexpr std::int64_t kFsPerSecond = 1'000'000'000'000'000LL;
  // Returns value * numerator / denominator, rounded towards zero. A division of 64 bits is several times
  // faster than one of 128.
  static constexpr std::int64_t times_ratio(std::int64_t value, std::int64_t numerator,
                                            std::int64_t denominator) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(value, numerator, &product)) return product / denominator;
    return static_cast<std::int64_t>(static_cast<Int128>(value) * numerator / denominator);
  }
  std::uint64_t hz_;
  std::int64_t fs_, cycles_;  // this many cycles take this many femtoseconds, in lowest terms
};

}  // namespace tahoma::base
