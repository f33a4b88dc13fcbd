// SPDX-License-Identifier: Apache-2.0
// A packet on its way through the fabric as bytes (model/base/byte_stream.h), for the process that simulates
// the next router. Fields of requests to memories of the same chip are not part of it.
#pragma once

#include <concepts>
#include <type_traits>

#include "model/base/byte_stream.h"
#include "model/sim/packet.h"

namespace tahoma::sim {

inline void fields(base::ByteWriter& stream, const RowPattern& rows) {
  std::uint32_t steps = 0;
  rows.each_steps([&](const RowPattern::Steps&) { ++steps; });
  stream(rows.row_bytes(), steps);
  rows.each_steps([&](const RowPattern::Steps& s) { stream(s.rows, s.stride); });
}
inline void fields(base::ByteReader& stream, RowPattern& rows) {
  std::uint32_t row_bytes = 0, steps = 0;
  stream(row_bytes, steps);
  rows.start(row_bytes);
  for (RowPattern::Steps s; steps > 0; --steps) {
    stream(s.rows, s.stride);
    rows.add(s.rows, s.stride);
  }
}

template <class Stream, class T>
requires std::same_as<std::remove_const_t<T>, PacketInfo>
void fields(Stream& stream, T& p) {
  stream(p.source_core, p.injector, p.engine, p.tag, p.operand, p.rows, p.first, p.last, p.from_chip,
         p.to_chip, p.carried, p.sequence, p.checksum, p.vc, p.answer, p.notify, p.notify_delay,
         p.acknowledgement, p.head, p.tail, p.awaited);
}

}  // namespace tahoma::sim
