// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_timing.h"

#include <algorithm>

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

std::uint64_t beats(std::uint64_t bytes, base::Bytes width) {
  return (bytes + width.count - 1) / width.count;
}

std::uint64_t count(Cycles cycles) { return static_cast<std::uint64_t>(cycles.count); }

// Cycles in which the rows of a packet pass, element by element. A semaphore behind a single element is part
// of it; behind several it is its own element.
std::uint64_t data_cycles(const PacketShape& p, const DmaParams& params) {
  const std::uint64_t whole = p.rows / p.joined, rest = p.rows % p.joined;
  const bool merged = p.semaphore && whole + (rest > 0 ? 1 : 0) == 1;
  const std::uint64_t more = merged ? params.semaphore_value.count : 0;
  const std::uint64_t row = p.row_bytes;
  std::uint64_t cycles = whole * beats(row * p.joined + more, params.bytes_per_cycle);
  if (rest > 0) cycles += beats(row * rest + more, params.bytes_per_cycle);
  return cycles;
}

bool written_separately(const PacketShape& p) { return p.semaphore && p.rows > p.joined; }

}  // namespace

DoorbellTime doorbell_time(isa::Queue queue, bool first, const DmaParams& p) {
  const Duration fetch = first ? p.first_doorbell : Duration{0};
  switch (queue) {
    case isa::Queue::kGpSimd:
      return {p.doorbell_gpsimd + fetch, p.pitch_gpsimd + fetch};
    case isa::Queue::kTensor:
    case isa::Queue::kVector:
    case isa::Queue::kScalar:
      return {p.doorbell_scalar + fetch, p.pitch_scalar + fetch};
    default:
      return {p.doorbell_sync + fetch, p.pitch_sync + fetch};
  }
}

Duration skew_of(unsigned engine, const DmaParams& p) {
  constexpr unsigned kHalf = isa::kDmaEngines / 2;
  const auto step = static_cast<std::int64_t>(engine % kHalf);
  return engine < kHalf ? p.skew_near * step : p.skew_half + p.skew_far * step;
}

bool small_elements(const PacketShape& p, const DmaParams& params) {
  return p.dram_to_dram && p.row_bytes < params.small_element_bytes.count;
}

Duration spread_over_engines(Duration cost, unsigned engine, const DmaParams& p) {
  constexpr std::int64_t kLast = isa::kDmaEngines - 1;
  const std::int64_t place = 2 * static_cast<std::int64_t>(engine) - kLast;  // -15, -13, ... 15
  const auto percent = static_cast<std::int64_t>(p.small_element_spread);
  return cost + Duration{cost.fs / (100 * kLast) * percent * place};
}

Duration packet_time(const PacketShape& packet, const DmaParams& params) {
  if (packet.rows > 0 && small_elements(packet, params))
    return params.small_element * static_cast<std::int64_t>(packet.rows);
  return base::Clock(params.clock).length(packet_cycles(packet, params));
}

Cycles packet_cycles(const PacketShape& packet, const DmaParams& params) {
  if (packet.rows == 0) return params.semaphore_element;
  const std::uint64_t data = data_cycles(packet, params) * (packet.accumulate ? 2 : 1);
  std::uint64_t cycles = (data + packet.starts * count(params.element_overhead)) * packet.sources;
  if (packet.starts > 0) cycles += count(params.packet_overhead);
  if (written_separately(packet)) cycles += count(params.semaphore_element);
  if (packet.read_semaphore) cycles += count(params.semaphore_element);
  const std::uint64_t percent = packet.throughput_percent;
  return {static_cast<std::int64_t>((cycles * 100 + percent - 1) / percent)};
}

Duration drain_time(base::Bytes bytes, const DmaParams& p) {
  return base::Clock(p.clock).length({static_cast<std::int64_t>(beats(bytes.count, p.write_drain))});
}

Time written_at(Time start, Duration held, Time written_before, Duration drain, isa::Space dst,
                const DmaParams& p) {
  const Duration latency = dst == isa::Space::kHbm ? p.write_hbm : p.write_sbuf;
  return std::max(start + held + latency, written_before + drain);
}

Time semaphore_written(Time written, const DmaParams& p) { return written + p.semaphore_write; }

Time semaphore_visible(Time written, const DmaParams& p) {
  return written + std::max(Duration{0}, p.semaphore_write - p.semaphore_return);
}

Duration completion(isa::Space dst, const DmaParams& p) {
  const Time read{0};
  return semaphore_visible(written_at(read, Duration{0}, read, Duration{0}, dst, p), p) - read;
}

Duration generation_time(std::uint64_t elements, const DmaParams& p) {
  return p.software_descriptor * static_cast<std::int64_t>(elements);
}

}  // namespace tahoma::model
