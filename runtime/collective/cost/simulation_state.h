// SPDX-License-Identifier: Apache-2.0
// The state of a simulation of transfers: channels, queues with their DMA engines, transfers and packets.
// Private to transfer_simulation.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "runtime/collective/cost/transfer_simulation.h"

namespace tahoma::runtime::collective {

inline base::Duration cycles_of(base::Cycles count, base::Frequency clock) {
  return base::Clock(clock).length(count);
}

struct TransferSimulation::ChannelState {
  explicit ChannelState(const SimulatedChannel& of)
      : pipeline(of.channel), cores(of.cores), second(of.second_queue) {
    pieces = pipeline.pieces();
    arrived.resize(pipeline.schedule().transfers.size() * pieces);
    for (const Box& box : pipeline.boxes())
      returned.emplace_back(box.credited ? box.hops.size() * pieces : 0);
    settled.resize(arrived.size() / pieces, kNone);
    for (const auto& run : hops()) {
      std::uint32_t last = kNone;
      for (const std::uint32_t hop : run) {
        settled[hop] = last;
        if (pipeline.transfer(hop).kind == TransferKind::kSettle) last = hop;
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> hops() const {
    std::vector<std::vector<std::uint32_t>> all;
    for (std::uint32_t r = 0; r < pipeline.problem().ranks; ++r) all.push_back(pipeline.hops_of(r));
    return all;
  }
  Completion& done(std::uint32_t hop, std::uint32_t piece) {
    return arrived[std::size_t{hop} * pieces + piece];
  }

  Pipeline pipeline;
  std::vector<std::uint32_t> cores;
  std::uint32_t pieces = 1;
  bool second;
  std::vector<Completion> arrived;                // by transfer and piece: visible to the receiver
  std::vector<std::vector<Completion>> returned;  // by box and number: the slot is free again
  std::vector<std::uint32_t> settled;             // by transfer: the rank's settle before it
};

struct TransferSimulation::PendingTransfer {
  model::Move move;
  std::uint32_t hop = 0, piece = 0;
  base::Time available;
  std::uint64_t done = 0;  // bytes of the busiest engine
};

struct TransferSimulation::QueueState {
  explicit QueueState(const model::DmaParams& params) : windows(params) {}

  ChannelState* channel = nullptr;
  std::uint32_t rank = 0;
  std::vector<Pipeline::Turn> turns;
  std::size_t turn = 0;
  std::uint32_t waited = 0, folded = 0;  // waits, and sources settled, of this turn
  bool rang = false;
  base::Time free{0};  // of the sequencer
  // The first engine may issue, has read and has written at these times; the last one is behind by `lag`.
  std::deque<PendingTransfer> pending;
  base::Time may_issue{0}, passed{0}, written{0}, ended{0};
  model::EngineWindows windows;
  base::Duration lag{0};
  bool moving = false, has_read = false;
};

struct TransferSimulation::PacketTrain {
  std::uint32_t queue = 0, hop = 0, piece = 0;
  base::Bytes bytes{0};
  bool last = false;
  std::vector<std::uint32_t> route;  // empty: to a memory of the same chip
  std::size_t at = 0;                // in the route
  base::Time tail;
};

}  // namespace tahoma::runtime::collective
