// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/rendezvous.h"

#include <algorithm>

#include "isa/core/program_error.h"

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

base::Bytes tile_bytes(const isa::Instruction& i) {
  return {i.shape.partitions * free_elements(i.shape) * isa::size_of(i.src0.dtype)};
}

// Returns a tile on its way to the other core. Partitions and the outermost free dimension are one dimension
// here, because only the times follow from it.
isa::Descriptor moving(const isa::Instruction& from, const isa::Instruction& to) {
  const auto side = [](const isa::Tile& tile) {
    isa::DmaSide s;
    s.space = isa::Space::kSbuf;
    s.dtype = tile.dtype;
    s.across = 0;
    s.stride = {0, tile.stride[1], tile.stride[2], tile.stride[3]};
    return s;
  };
  const isa::Shape& shape = from.shape;
  isa::Descriptor d;
  d.count = {static_cast<std::uint32_t>(shape.partitions) * static_cast<std::uint32_t>(shape.count[0]),
             static_cast<std::uint32_t>(shape.count[1]), static_cast<std::uint32_t>(shape.count[2]),
             static_cast<std::uint32_t>(shape.count[3])};
  d.src = side(from.src0);
  d.dst = side(to.dst);
  return d;
}

bool fit(const isa::Instruction& a, const isa::Instruction& b) {
  return a.shape == b.shape && a.dst.dtype == b.src0.dtype && a.src0.dtype == b.dst.dtype &&
         a.gpsimd_dma == b.gpsimd_dma;
}

}  // namespace

Duration gpsimd_swap_time(const isa::Instruction& i, const CoreParams& p) {
  return p.rendezvous.gpsimd_latency + p.rendezvous.gpsimd_bandwidth.time_for(tile_bytes(i));
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
  if (swaps && !arrival.instruction->gpsimd_dma) return start_transfers(other.arrival, arrival, together);
  const isa::Instruction& i = *arrival.instruction;
  const Time done = swaps ? std::max(together + gpsimd_swap_time(i, params_),
                                     crossed(other.arrival, arrival,
                                             together + params_.rendezvous.gpsimd_latency, tile_bytes(i)))
                          : crossed(other.arrival, arrival, together + params_.rendezvous.barrier, {0});
  other.arrival.who->met(together, done);
  arrival.who->met(together, done);
}

Time Rendezvous::crossed(const Arrival& a, const Arrival& b, Time departure, base::Bytes data) {
  return std::max(dies->cross(a.core, b.core, departure, data), dies->cross(b.core, a.core, departure, data));
}

void Rendezvous::start_transfers(const Arrival& a, const Arrival& b, Time together) {
  Swap& swap = swaps_.emplace_back();
  swap.all = &swaps_;
  swap.own = std::prev(swaps_.end());
  swap.sides = {a, b};
  swap.tiles = {moving(*a.instruction, *b.instruction), moving(*b.instruction, *a.instruction)};
  swap.together = together;
  const Time rung = together + params_.dma.doorbell_sync;
  swap.done = crossed(a, b, rung + params_.dma.start_up, tile_bytes(*a.instruction));
  for (std::size_t n = 0; n < swap.sides.size(); ++n) {
    TransferRequest request;
    request.sources = {&swap.tiles[n], 1};
    request.ring = static_cast<unsigned>(params_.dma.rings) - 1;
    request.queue = swap.sides[n].queue;
    request.index = swap.sides[n].index;
    request.notify = sim::Notify{sim::kNoCore};
    request.rung = rung;
    request.end = &swap;
    doorbells[swap.sides[n].core % 2]->ring(request);
  }
}

void Rendezvous::Swap::ended(Time visible) {
  done = std::max(done, visible);
  if (--running > 0) return;
  for (const Arrival& side : sides) side.who->met(together, done);
  all->erase(own);
}

}  // namespace tahoma::model
