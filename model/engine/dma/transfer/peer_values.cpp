// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/transfer/peer_values.h"

#include "model/engine/dma/transfer/transfer_side.h"

namespace tahoma::model {
namespace {

using Ranges = std::vector<sim::MemoryRange>;

// Appends the bytes of an operand in HBM; adjacent ones become one range.
void add_ranges(const TransferRequest& request, std::size_t operand, const CoreMemories& memories,
                Ranges& to) {
  if (request.side(operand).space != isa::Space::kHbm) return;
  side_of(request, operand, memories).every_piece([&to](std::uint64_t address, std::uint64_t bytes) {
    if (!to.empty() && to.back().address + to.back().bytes == address)
      to.back().bytes += bytes;
    else
      to.push_back({address, bytes});
    return true;
  });
}

Ranges elsewhere(const Ranges& all, const sim::PeerMemoryIf& peers) {
  Ranges some;
  for (const sim::MemoryRange& range : all)
    if (!peers.is_here(range.address)) some.push_back(range);
  return some;
}

Ranges read_by(const TransferRequest& request, const CoreMemories& memories) {
  Ranges all;
  for (std::size_t s = 0; s < request.sources.size(); ++s) add_ranges(request, s, memories, all);
  if (request.descriptor().accumulate) add_ranges(request, request.destination(), memories, all);
  return all;
}

void tell_written(const TransferRequest& request, const CoreMemories& memories, sim::PeerMemoryIf& peers) {
  Ranges all;
  add_ranges(request, request.destination(), memories, all);
  for (const sim::MemoryRange& range : all)
    if (peers.is_here(range.address)) memories.hbm.wrote(range.address, range.bytes);
  if (const Ranges far = elsewhere(all, peers); !far.empty()) peers.send(far);
}

}  // namespace

void move_with_peers(const TransferRequest& request, const CoreMemories& memories, sim::PeerMemoryIf& peers,
                     const std::function<void()>& move) {
  const auto finish = [&request, memories, &peers, move] {
    move();
    tell_written(request, memories, peers);
  };
  if (const Ranges missing = elsewhere(read_by(request, memories), peers); !missing.empty())
    peers.fetch(missing, finish);
  else
    finish();
}

}  // namespace tahoma::model
