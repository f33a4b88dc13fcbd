// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/backward/flash_backward_exchange.h"

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::TileView;

namespace {

constexpr isa::DType kSumDType = isa::DType::kFp32;
constexpr std::uint32_t kIncrements = 16;  // of a transfer's semaphore, one per DMA engine

}  // namespace

BackwardExchange::BackwardExchange(runtime::Kernel& kernel, const FlashShape& shape)
    : kernel_(kernel),
      shape_(shape),
      landed_(kernel.signal()),
      core_(kernel.own_core("core")),
      out_(kernel.argument("dq_out", kSumDType, shape.heads * shape.q_len, shape.d)),
      there_(kernel.argument("dq_there", kSumDType, shape.heads * shape.q_len, shape.d)),
      in_(kernel.argument("dq_in", kSumDType, shape.heads * shape.q_len, shape.d)) {}

std::pair<std::size_t, std::size_t> BackwardExchange::tiles_of(const BackwardSegment& segment,
                                                               std::uint64_t part) const {
  const std::size_t half = (segment.tiles.size() + 1) / 2;
  return part == 0 ? std::pair{std::size_t{0}, half} : std::pair{half, segment.tiles.size()};
}

std::pair<std::size_t, std::size_t> BackwardExchange::own_tiles(const BackwardSegment& segment) const {
  return tiles_of(segment, shape_.part);
}

bool BackwardExchange::owns(const BackwardSegment& segment, std::size_t tile) const {
  const auto [first, end] = own_tiles(segment);
  return tile >= first && tile < end;
}

HbmView BackwardExchange::rows(const HbmView& all, const BackwardTile& first,
                               const BackwardTile& last) const {
  const std::uint64_t begin = first.head * shape_.q_len + first.query,
                      end = last.head * shape_.q_len + last.query + last.rows;
  return all.window(begin, 0, end - begin, shape_.d);
}

void BackwardExchange::store(const BackwardTile& tile, const TileView& sum) {
  kernel_.store(rows(out_, tile, tile), sum, Queue::kGpSimd);
}

// One count for all arrivals: nothing is read before all have arrived.
void BackwardExchange::swap(const std::vector<BackwardSegment>& segments) {
  std::uint32_t coming = 0;
  const int peer = shape_.part == 0 ? 1 : -1;
  for (const BackwardSegment& segment : segments) {
    const auto [first, end] = tiles_of(segment, 1 - shape_.part);
    if (first < end)
      kernel_.send(rows(there_, segment.tiles[first], segment.tiles[end - 1]),
                   rows(out_, segment.tiles[first], segment.tiles[end - 1]), Queue::kGpSimd,
                   {core_, landed_, peer});
    const auto [own, own_end] = own_tiles(segment);
    if (own < own_end) coming += kIncrements;
  }
  if (coming > 0) kernel_.wait(Queue::kSync, landed_, coming);
}

void BackwardExchange::load_own(const TileView& sum, const BackwardTile& tile) {
  kernel_.load(sum, rows(out_, tile, tile));
}

void BackwardExchange::load_other(const TileView& sum, const BackwardTile& tile) {
  kernel_.load(sum, rows(in_, tile, tile));
}

}  // namespace tahoma::workloads
