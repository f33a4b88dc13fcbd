// SPDX-License-Identifier: Apache-2.0
// Addresses of the on-chip tensors that a kernel does not place by hand.
//
// A tensor lives from its first use to its last use in program order. Policies:
//   rotating   the bytes whose last user is longest ago. A tensor that a loop declares again in every
//              iteration gets other bytes each time, as long as there are any: it is multi-buffered. If a
//              tensor then finds no room, those with long lives get the highest bytes
//   first_fit  the lowest free address: least memory, and a tensor of a loop gets the same bytes every time
// Tensors in PSUM take whole banks; if there are too few, small ones share banks. No tensor crosses the
// border of a bank unless it starts at one. The destination of an elementwise instruction takes the place of
// a source that nothing reads afterwards, if there is no other. Bytes that the kernel places by hand go to
// others only if there is no room elsewhere, and only while the kernel does not use them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

enum class Allocation : std::uint8_t { kRotating, kFirstFit };

// The loops that run on the device, inner ones before those around them.
struct Loop {
  std::uint32_t begin = 0, end = 0;  // entries
};
std::vector<Loop> loops_of(const Trace& trace);

// First and last entry that uses each storage, by id; first > last: none. A tensor that is declared outside
// of a loop and used in it lives as long as the loop.
struct LiveRange {
  std::uint32_t first = 0xffffffff, last = 0;
  bool used() const { return first <= last; }
};
std::vector<LiveRange> live_ranges(const Trace& trace);

// Sizes and addresses are multiples of a unit: 64 bytes of each partition in SBUF, a bank in PSUM.
using Units = std::array<std::int64_t, 2>;  // of SBUF, of PSUM
Units units_of(const Storage& storage, const isa::Limits& limits);
// Returns what a kernel may use.
Units capacity_of(const Trace& trace);

// By storage id; tensors in HBM and tensors that nothing uses stay at zero. Throws UserError E-NKI-020 when
// memory runs out: the text lists what lives at that point, with sizes and lines.
std::vector<Place> allocate(const Trace& trace, const std::vector<LiveRange>& ranges, Allocation policy);

}  // namespace tahoma::runtime::nki
