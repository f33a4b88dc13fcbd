// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/transfer_law.h"

#include <algorithm>

#include "model/engine/dma/dma_timing.h"
#include "model/engine/dma/dma_window.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

constexpr std::uint64_t kShareUnit = 64;  // bytes; engines' shares start at multiples

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

struct EngineWindows::Windows {
  DmaWindow read, write;
};

EngineWindows::EngineWindows(const DmaParams& params)
    : windows_(std::make_unique<Windows>(
          Windows{{params.read_window, params.read_packets}, {params.write_window, params.write_packets}})) {}

EngineWindows::~EngineWindows() = default;

EngineWindows::EngineWindows(EngineWindows&& other) noexcept = default;

Time EngineWindows::may_read() { return windows_->read.open(); }

Time EngineWindows::may_write() { return windows_->write.open(); }

void EngineWindows::reads(Time from, Time until, std::uint64_t bytes) {
  windows_->read.enter(from, bytes);
  windows_->read.leave(until);
}

void EngineWindows::writes(Time from, Time until, std::uint64_t bytes) {
  windows_->write.enter(from, bytes);
  windows_->write.leave(until);
}

TransferLaw::TransferLaw(const DmaParams& params) : params_(params), engines_(params.collective_engines) {}

// Engines get whole rows; if there are fewer rows than engines, rows are cut.
std::uint64_t TransferLaw::share(const Move& move) const {
  const std::uint64_t rows = move.bytes / move.row;
  if (rows >= engines_) return divided_up(rows, engines_) * move.row;
  return divided_up(divided_up(move.row, engines_ / rows), kShareUnit) * kShareUnit;
}

PacketBatch TransferLaw::batch(const Move& move, std::uint64_t done) const {
  const std::uint64_t each = share(move), part = params_.packet.count;
  const std::uint64_t packet =
      part * std::max<std::uint64_t>(1, params_.collective_packet.count / (part * move.sources));
  PacketBatch batch;
  batch.most = std::min(packet, each - done);
  batch.engines = static_cast<std::uint32_t>(std::min(engines_, divided_up(move.bytes, each)));
  const std::uint64_t before = std::min(move.bytes, done * batch.engines);
  batch.last = done + batch.most >= each;
  batch.bytes = {batch.last ? move.bytes - before
                            : std::min(move.bytes - before, batch.most * batch.engines)};
  return batch;
}

Duration TransferLaw::cost(const Move& move, const PacketBatch& batch) const {
  const std::uint64_t part = params_.packet.count, row = std::min({move.row, part, batch.most});
  const std::uint64_t rows = divided_up(batch.most, row), in_part = std::max<std::uint64_t>(1, part / row),
                      parts = divided_up(rows, in_part);
  PacketShape shape;
  shape.rows = shape.starts = static_cast<std::uint32_t>(std::min(in_part, rows));
  shape.row_bytes = static_cast<std::uint32_t>(row);
  shape.sources = static_cast<std::uint8_t>(move.sources);
  shape.dram_to_dram = true;
  Duration cost = packet_time(shape, params_) * static_cast<std::int64_t>(parts - 1);
  shape.rows = shape.starts = static_cast<std::uint32_t>(rows - (parts - 1) * in_part);
  shape.semaphore = batch.last;
  shape.read_semaphore = batch.last && move.gives_back;
  cost += packet_time(shape, params_);
  return cost;
}

TransferLaw::Doorbell TransferLaw::doorbell(bool first) const {
  const DoorbellTime time = doorbell_time(isa::Queue::kCc0, first, params_);
  return {time.instruction, time.pitch};
}

Time TransferLaw::written(Time read, Duration held, Time before, const PacketBatch& batch) const {
  return written_at(read, held, before, drain_time({batch.most}, params_), isa::Space::kHbm, params_);
}

Time TransferLaw::lets_go(std::uint64_t bytes, Duration cost, Time last, Time handed_on) const {
  const std::uint64_t window = params_.read_window.count;
  if (bytes <= window) return handed_on;
  return std::max(last, handed_on - Duration{cost.fs / static_cast<std::int64_t>(bytes) *
                                             static_cast<std::int64_t>(window)});
}

Time TransferLaw::visible(Time written) const { return semaphore_visible(written, params_); }

Time TransferLaw::settled(Time written) const { return semaphore_written(written, params_); }

Duration TransferLaw::first_skew(bool second_queue) const {
  return skew_of(static_cast<unsigned>(second_queue ? engines_ : 0), params_);
}

Duration TransferLaw::spread(bool second_queue, std::uint32_t engines) const {
  const auto first = static_cast<unsigned>(second_queue ? engines_ : 0);
  return skew_of(first + engines - 1, params_) - skew_of(first, params_);
}

}  // namespace tahoma::model
