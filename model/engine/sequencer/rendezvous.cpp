// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/rendezvous.h"

#include <algorithm>

#include "isa/core/program_error.h"
#include "model/engine/dma/dma_timing.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Calls f(its bytes) for every element of a tile in SBUF, in the order of iteration.
template <class F>
void for_each_element(const isa::Tile& tile, const isa::Shape& shape, const CoreMemories& m, F&& f) {
  const auto size = static_cast<std::ptrdiff_t>(isa::size_of(tile.dtype));
  const auto& s = tile.stride;
  for (std::size_t p = 0; p < shape.partitions; ++p) {
    std::byte* row = m.sbuf.bytes() + (tile.partition + p) * m.sbuf.stride() + tile.offset;
    for (int a = 0; a < shape.count[0]; ++a)
      for (int b = 0; b < shape.count[1]; ++b)
        for (int c = 0; c < shape.count[2]; ++c)
          for (int d = 0; d < shape.count[3]; ++d)
            f(row + size * (a * s[0] + b * s[1] + c * s[2] + d * s[3]));
  }
}

std::vector<std::byte> read(const isa::Tile& tile, const isa::Shape& shape, const CoreMemories& m) {
  std::vector<std::byte> values;
  const std::size_t size = isa::size_of(tile.dtype);
  values.reserve(shape.partitions * free_elements(shape) * size);
  for_each_element(tile, shape, m, [&](const std::byte* at) { values.insert(values.end(), at, at + size); });
  return values;
}

void write(const isa::Tile& tile, const isa::Shape& shape, const std::vector<std::byte>& values,
           const CoreMemories& m) {
  const std::size_t size = isa::size_of(tile.dtype);
  auto from = values.begin();
  for_each_element(tile, shape, m, [&](std::byte* at) {
    std::copy_n(from, size, at);
    from += static_cast<std::ptrdiff_t>(size);
  });
}

// Both tiles are read before either is written.
void exchange(const isa::Instruction& x, const CoreMemories& a, const isa::Instruction& y,
              const CoreMemories& b) {
  const auto from_a = read(x.src0, x.shape, a), from_b = read(y.src0, y.shape, b);
  write(x.dst, x.shape, from_b, a);
  write(y.dst, y.shape, from_a, b);
}

bool fit(const isa::Instruction& a, const isa::Instruction& b) {
  return a.shape == b.shape && a.dst.dtype == b.src0.dtype && a.src0.dtype == b.dst.dtype &&
         a.gpsimd_dma == b.gpsimd_dma;
}

}  // namespace

Duration swap_time(const isa::Instruction& i, const CoreParams& p) {
  const std::uint64_t row = free_elements(i.shape) * isa::size_of(i.src0.dtype);
  if (i.gpsimd_dma)
    return p.rendezvous.gpsimd_latency + p.rendezvous.gpsimd_bandwidth.time_for({row * i.shape.partitions});
  PacketShape share;
  share.rows = share.starts = (i.shape.partitions + isa::kDmaEngines - 1) / isa::kDmaEngines;
  share.row_bytes = static_cast<std::uint32_t>(row);
  return p.dma.doorbell_sync + p.dma.start_up + skew_of(isa::kDmaEngines - 1, p.dma) +
         packet_time(share, p.dma) + completion(isa::Space::kSbuf, p.dma);
}

std::deque<Rendezvous::Waiting>& Rendezvous::waiting(const isa::Instruction& i) {
  return waiting_[i.op == isa::Opcode::kSendRecv ? 1 : 0].at(i.pipe);
}

// Both cores stand for cores of the same chips, in the same order.
void Rendezvous::swap(const Waiting& a, const Waiting& b) const {
  const isa::Instruction &x = *a.arrival.instruction, &y = *b.arrival.instruction;
  if (!fit(x, y))
    throw isa::ProgramError("E-RUN-046", b.arrival.place,
                            "the other core's sendrecv, " + a.arrival.place +
                                ", differs; expected the same shape, dtypes and path on both cores");
  if (!functional_) {
    forget_written(x, a.memories);
    forget_written(y, b.memories);
    return;
  }
  a.memories.for_each_core(x.shape.partitions * free_elements(x.shape), [&](std::size_t n) {
    if (n == 0) return exchange(x, a.memories, y, b.memories);
    exchange(x, a.memories.of(a.memories.members.cores[n - 1]), y,
             b.memories.of(b.memories.members.cores[n - 1]));
  });
}

void Rendezvous::arrive(const Arrival& arrival, const CoreMemories& memories) {
  std::deque<Waiting>& first = waiting(*arrival.instruction);
  const Waiting second{arrival, memories};
  if (first.empty() || first.front().arrival.core == arrival.core) {
    first.push_back(second);
    return;
  }
  const Waiting other = first.front();
  first.pop_front();
  const Time together = std::max(arrival.when, other.arrival.when);
  const bool swaps = arrival.instruction->op == isa::Opcode::kSendRecv;
  if (swaps) swap(other, second);
  if (checker_ != nullptr)
    checker_->rendezvous({other.arrival.core, other.arrival.queue}, {arrival.core, arrival.queue});
  const Time done =
      together + (swaps ? swap_time(*arrival.instruction, params_) : params_.rendezvous.barrier);
  other.arrival.who->met(together, done);
  arrival.who->met(together, done);
}

}  // namespace tahoma::model
