// SPDX-License-Identifier: Apache-2.0
// Divisions that round up: the number of tiles that cover a size, and the size of a buffer.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tahoma::workloads {

template <std::unsigned_integral A, std::unsigned_integral B>
constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

// A buffer of that many bytes takes these bytes of a partition: buffers begin at multiples of 64 bytes.
constexpr std::uint64_t aligned(std::uint64_t bytes) { return ceil_div(bytes, std::uint64_t{64}) * 64; }

}  // namespace tahoma::workloads
