// SPDX-License-Identifier: Apache-2.0
// Writes a Perfetto trace as a stream: tracks, slices, instants and counter values become packets of
// trace.proto, written through a buffer of fixed size. Memory use does not grow with the events: strings are
// interned in tables that are cleared when they are full, and the trace records that. Only the reader keeps
// data for each track.
//
// Times: a packet's timestamp is in nanoseconds, rounded down, so that order and nesting are preserved.
// Slices carry their exact start and length in femtoseconds as arguments.
//
// UserError E-OUT-003: the file cannot be written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/base/units.h"
#include "report/trace/kind.h"

namespace tahoma::runtime {

// Arguments of events beside their name.
enum class TraceArgument : std::uint8_t {
  kStart,        // fs
  kLength,       // fs
  kInstruction,  // as assembler text
  kNkiIsa,       // the functions of nki.isa that it implements
  kIndex,        // in the queue's stream
  kQueue,        // the queue that rang the doorbell
  kRegion,
  kSource,     // "kernel.py:12"
  kComplete,   // ns: the result is visible
  kFirstData,  // ns
  kPackets,
  kBytes,
  kWireBytes,
  kWritten,
  kOtherKinds,
  kOtherCores,
  kOutsideWindow,
  kBeyondLimit,
};

struct TraceValue {
  TraceArgument argument;
  std::variant<std::uint64_t, std::string_view> value;
};

class PacketWriter {
 public:
  explicit PacketWriter(const std::string& path);
  ~PacketWriter();

  using Track = std::uint64_t;
  static constexpr Track kRoot = 0;
  Track add_track(Track parent, std::string_view name);
  // Adds a track of values; `unit` is shown behind them.
  Track add_counter(Track parent, std::string_view name, std::string_view unit);

  // Events of one track must be in the order of time; the slice that began last ends first.
  void begin(Track track, TraceKind kind, std::string_view name, base::Time when,
             std::span<const TraceValue> values, std::span<const std::uint64_t> flows = {});
  void end(Track track, base::Time when);
  void instant(Track track, std::string_view name, base::Time when, std::span<const TraceValue> values);
  void count(Track track, base::Time when, double value);

  // Writes the rest of the buffer and completes the file.
  void close();

  std::uint64_t bytes_written() const;
  std::size_t bytes_held() const;  // by the tables of strings and the buffer

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tahoma::runtime
