// SPDX-License-Identifier: Apache-2.0
#include "model/system/transfer_law.h"

#include <algorithm>

#include "model/engine/dma/dma_timing.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

constexpr std::uint64_t kShareUnit = 64;  // bytes; engines' shares start at multiples

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

TransferLaw::TransferLaw(const DmaParams& params) : params_(params), engines_(params.collective_engines) {}

// Rows are dealt to the engines whole; fewer rows than engines are cut.
std::uint64_t TransferLaw::share(const Move& move) const {
  const std::uint64_t rows = move.bytes / move.row;
  if (rows >= engines_) return divided_up(rows, engines_) * move.row;
  return divided_up(divided_up(move.row, engines_ / rows), kShareUnit) * kShareUnit;
}

Wave TransferLaw::wave(const Move& move, std::uint64_t done) const {
  const std::uint64_t each = share(move), packet = params_.collective_packet.count;
  Wave wave;
  wave.most = std::min(packet, each - done);
  wave.engines = static_cast<std::uint32_t>(std::min(engines_, divided_up(move.bytes, each)));
  const std::uint64_t before = std::min(move.bytes, done * wave.engines);
  wave.last = done + wave.most >= each;
  wave.bytes = wave.last ? move.bytes - before : std::min(move.bytes - before, wave.most * wave.engines);
  return wave;
}

Duration TransferLaw::cost(const Move& move, const Wave& wave) const {
  const std::uint64_t part = std::max<std::uint64_t>(1, params_.packet.count / move.sources),
                      row = std::min({move.row, part, wave.most});
  const std::uint64_t rows = divided_up(wave.most, row), in_part = std::max<std::uint64_t>(1, part / row),
                      parts = divided_up(rows, in_part);
  PacketShape shape;
  shape.rows = shape.starts = static_cast<std::uint32_t>(std::min(in_part, rows));
  shape.row_bytes = static_cast<std::uint32_t>(row);
  shape.sources = static_cast<std::uint8_t>(move.sources);
  shape.dram_to_dram = true;
  Duration cost = packet_time(shape, params_) * static_cast<std::int64_t>(parts - 1);
  shape.rows = shape.starts = static_cast<std::uint32_t>(rows - (parts - 1) * in_part);
  shape.semaphore = wave.last;
  shape.read_semaphore = wave.last && move.gives_back;
  cost += packet_time(shape, params_);
  return cost;
}

TransferLaw::Doorbell TransferLaw::doorbell(bool first) const {
  const DoorbellTime time = doorbell_time(isa::Queue::kCc0, first, params_);
  return {time.instruction, time.pitch};
}

Time TransferLaw::written(Time read, Duration held, Time before, const Wave& wave) const {
  return written_at(read, held, before, drain_time({wave.most}, params_), isa::Space::kHbm, params_);
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
