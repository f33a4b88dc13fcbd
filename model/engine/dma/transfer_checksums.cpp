// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/transfer_checksums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isa/core/program.h"
#include "model/base/error.h"
#include "model/engine/dma/dma_share.h"
#include "model/engine/dma/transfer/transfer_side.h"

namespace tahoma::model {
namespace {

std::uint64_t first_element(const Runs& runs, const DmaPacket& p) {
  return p.unit / runs.pieces * runs.run_elements + p.unit % runs.pieces * runs.piece_elements +
         p.from_element;
}

// Returns whether no two elements overlap: each dimension steps over the full extent of all dimensions with
// smaller steps.
bool distinct(const isa::Descriptor& d, const isa::DmaSide& side) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // step and count
  for (std::size_t i = 0; i < isa::kFreeDims; ++i)
    if (d.count[i] > 1) dims.emplace_back(std::abs(std::int64_t{side.stride[i]}), d.count[i] - 1);
  std::sort(dims.begin(), dims.end());
  std::int64_t reach = 0;
  return std::all_of(dims.begin(), dims.end(), [&](const auto& dim) {
    const bool over = dim.first > reach;
    reach += dim.first * dim.second;
    return over;
  });
}

// Returns whether the arriving bytes equal those of the source, which is still unchanged.
bool only_moves(const TransferRequest& request) {
  const isa::Descriptor& d = request.descriptor();
  const auto stack = [](std::uint64_t address) {
    const auto at = isa::GlobalAddress::from(address);
    return std::pair(at.chip, at.stack);
  };
  const bool apart = d.src.space != isa::Space::kHbm || stack(request.src) != stack(request.dst);
  return apart && request.sources.size() == 1 && !d.accumulate && d.src.dtype == d.dst.dtype &&
         request.indirect == isa::Indirection::kNone && distinct(d, d.dst);
}

// An operand whose packets cross the fabric.
struct Crossing {
  std::size_t operand;
  TransferSide there;  // as the descriptor enumerates it
  TransferSide bytes;  // the bytes that it sends, or that it requests when none have crossed yet
};

std::vector<Crossing> crossings(const TransferRequest& request, std::uint32_t chip, const CoreMemories& m) {
  std::vector<Crossing> all;
  for (std::size_t n = 0; n <= request.destination(); ++n) {
    const bool crosses = request.side(n).space == isa::Space::kHbm &&
                         isa::GlobalAddress::from(request.address(n)).chip != chip;
    if (!crosses) continue;
    const std::size_t bytes = n == request.destination() && only_moves(request) ? 0 : n;
    all.push_back({n, side_of(request, n, m), side_of(request, bytes, m)});
  }
  return all;
}

std::uint64_t walked(const Crossing& c, std::uint64_t first, std::uint64_t elements) {
  std::uint64_t address = 0;
  c.there.each_piece(first, 1, [&](std::uint64_t place, std::uint64_t) {
    address = place;
    return true;
  });
  std::vector<std::span<const std::byte>> pieces;
  c.bytes.each_piece(first, elements, [&](std::uint64_t place, std::uint64_t bytes) {
    pieces.emplace_back(c.bytes.bytes(place, bytes), bytes);
    return true;
  });
  return sim::checksum_of(address, pieces);
}

// Visits the packets as the DMA engines will divide them.
template <class F>
void each_packet(Transfer& transfer, const DmaParams& params, F&& f) {
  for (unsigned n = 0; n < transfer.runs.engines; ++n) {
    const UnitRange range = share_of(transfer.runs, n);
    Share share{&transfer, base::Time{0}, range.first, range.last};
    for (DmaPacket p = share.next_packet(params); p.elements > 0; p = share.next_packet(params)) {
      f(p);
      share.advance(p);
    }
  }
}

}  // namespace

void take_checksums(Transfer& transfer, std::uint32_t chip, const DmaParams& params, const CoreMemories& m) {
  const TransferRequest& request = transfer.request;
  const std::vector<Crossing> crossing = crossings(request, chip, m);
  if (crossing.empty()) return;
  sim::RowPattern rows;
  each_packet(transfer, params, [&](const DmaPacket& p) {
    const std::uint64_t first = first_element(transfer.runs, p);
    for (const Crossing& c : crossing) {
      const isa::DmaSide& side = request.side(c.operand);
      const std::uint64_t address = address_of(transfer, side, request.address(c.operand), p);
      describe_rows(rows, transfer, side, p);
      const sim::Checksum sum = sim::checksum_at(m.hbm, address, rows);
      TAHOMA_INVARIANT(
          sum.data == walked(c, first, p.elements),
          fmt::format("a packet of {} elements from {} on names bytes of operand {} at {:#x} that "
                      "its transfer does not move",
                      p.elements, first, c.operand, address));
      transfer.checksums.entries_.push_back({{first, c.operand}, sum});
    }
  });
}

sim::Checksum TransferChecksums::of(const Runs& runs, const DmaPacket& packet, std::size_t operand) const {
  if (entries_.empty() || packet.elements == 0) return {};
  const Key key{first_element(runs, packet), operand};
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), key,
                                      [](const Entry& e, const Key& k) { return e.key < k; });
  TAHOMA_INVARIANT(found != entries_.end() && found->key == key,
                   fmt::format("no checksum was taken of operand {} from element {} on", operand, key.first));
  return found->sum;
}

void check_answer(const sim::Payload& answer, const sim::Checksum& taken) {
  const sim::PacketInfo& info = sim::info_of(answer);
  if (info.checksum == taken) return;
  const auto at = isa::GlobalAddress::from(sim::home_of(answer).address);
  const std::string place = fmt::format("chip {}, stack {}, offset {:#x}", at.chip, at.stack, at.offset);
  TAHOMA_INVARIANT(info.checksum.rows == taken.rows, place + ": an answer has rows that were not requested");
  throw base::UserError(
      "E-RUN-069", place,
      fmt::format("{} bytes in {} rows at this address were overwritten while core {} of chip {} read "
                  "them (DMA engine {}); expected no write to them before the semaphore of that transfer, "
                  "or its update on read, has been raised (tahoma run --mode timing --check races names "
                  "both instructions)",
                  answer.get_data_length(), info.rows.rows(), info.source_core, info.to_chip, info.engine),
      base::ExitStatus::kProgram);
}

}  // namespace tahoma::model
