// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/weights_reload.h"

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

// The scalar engine rings the doorbell of a store after it has evacuated that many further banks. By then the
// tile is in SBUF and the doorbell does not block the engine.
constexpr std::size_t kStoresBehind = 4;

}  // namespace

ReloadedWeights::ReloadedWeights(const ConvolutionParts& parts)
    : parts_(parts),
      kernel_(parts.kernel),
      w_(kernel_.argument("w", parts.shape.dtype, parts.shape.out, parts.shape.in * parts.shape.taps())),
      identity_from_(kernel_.argument("identity", parts.shape.dtype, parts.side, parts.side)),
      scratch_(kernel_.argument("scratch", parts.shape.dtype,
                                std::uint64_t{parts.in_tiles()} * parts.out_tiles() * parts.side,
                                std::uint64_t{parts.side} * parts.taps())),
      identities_(kernel_.sbuf("identity", parts.shape.dtype, parts.side)),
      rows_(kernel_.sbuf("w", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())),
      staging_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
      transposing_(
          kernel_.sbuf("transposed", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
      reloaded_(kernel_.sbuf("weights", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())),
      identity_(kernel_.take(identities_, parts.side, parts.side)) {}

void ReloadedWeights::load(unsigned out) {
  const std::uint64_t columns = std::uint64_t{parts_.side} * parts_.taps();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
    loaded_.push_back(kernel_.take(rows_, parts_.side, static_cast<unsigned>(columns)));
    kernel_.load(loaded_.back(),
                 w_.window(std::uint64_t{out} * parts_.side, in * columns, parts_.side, columns));
    if (out == 0 && in == 0) kernel_.load(identity_, identity_from_);
  }
}

void ReloadedWeights::stage(unsigned) {
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) stage_block();
}

void ReloadedWeights::stage_block() {
  for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
    staged_.push_back(kernel_.take(staging_, parts_.side, parts_.side));
    kernel_.move(staged_.back(), loaded_.front().columns(tap * parts_.side, parts_.side), Queue::kGpSimd);
  }
  loaded_.pop_front();
}

void ReloadedWeights::transpose(unsigned out) {
  if (staged_.empty()) stage(out);
  const std::uint64_t first = std::uint64_t{out} * parts_.in_tiles();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in)
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) transpose_tap(first + in, tap);
  while (!transposed_.empty()) store_oldest();
  weights_.clear();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
    weights_.push_back(kernel_.take(reloaded_, parts_.side, parts_.side * parts_.taps()));
    kernel_.load(weights_.back(),
                 scratch_.window((first + in) * parts_.side, 0, parts_.side, scratch_.columns));
  }
}

void ReloadedWeights::transpose_tap(std::uint64_t block, unsigned tap) {
  const TileView bank =
      kernel_.take(parts_.banks, parts_.side, parts_.side).as(parts_.shape.dtype).columns(0, parts_.side);
  kernel_.transpose(bank, staged_.front(), identity_);
  staged_.pop_front();
  transposed_.push_back({kernel_.take(transposing_, parts_.side, parts_.side), block, tap});
  // Pairs of narrow elements are copied as words, which halves the number of elements.
  kernel_.copy(transposed_.back().tile.as(isa::DType::kInt32), bank.as(isa::DType::kInt32), Queue::kScalar);
  if (transposed_.size() > kStoresBehind) store_oldest();
}

void ReloadedWeights::store_oldest() {
  const Transposed& t = transposed_.front();
  kernel_.store(
      scratch_.window(t.block * parts_.side, std::uint64_t{t.tap} * parts_.side, parts_.side, parts_.side),
      t.tile, Queue::kScalar);
  transposed_.pop_front();
}

TileView ReloadedWeights::tap(unsigned in, unsigned tap) const {
  return weights_[in].columns(tap * parts_.side, parts_.side);
}

}  // namespace tahoma::workloads
