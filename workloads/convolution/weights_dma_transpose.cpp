// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/weights_dma_transpose.h"

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

DmaTransposedWeights::DmaTransposedWeights(const ConvolutionParts& parts)
    : parts_(parts),
      kernel_(parts.kernel),
      w_(kernel_.argument("w", parts.shape.dtype, parts.shape.out, parts.shape.in * parts.shape.taps())),
      scratch_(kernel_.argument("scratch", parts.shape.dtype,
                                parts.shape.in * parts.shape.out * parts.shape.taps() / parts.side,
                                parts.side)),
      taps_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
      interleaved_(
          kernel_.sbuf("weights", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())) {}

HbmView DmaTransposedWeights::transposed_in_hbm(unsigned out, unsigned in, unsigned tap) const {
  const std::uint64_t block = std::uint64_t{out} * parts_.in_tiles() + in;
  return scratch_.window((block * parts_.taps() + tap) * parts_.side, 0, parts_.side, parts_.side);
}

void DmaTransposedWeights::transpose_all() {
  for (unsigned out = 0; out < parts_.out_tiles(); ++out)
    for (unsigned in = 0; in < parts_.in_tiles(); ++in)
      for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
        // One tap of a block, a row per input channel.
        HbmView from = w_.window(std::uint64_t{out} * parts_.side,
                                 std::uint64_t{in} * parts_.side * parts_.taps() + tap, 1, 1);
        from.rows = from.columns = parts_.side;
        from.row_stride = parts_.taps();
        from.column_stride = w_.row_stride;
        kernel_.move(transposed_in_hbm(out, in, tap), from, Queue::kSync);
      }
}

void DmaTransposedWeights::load(unsigned out) {
  if (out == 0) transpose_all();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in)
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
      loaded_.push_back(kernel_.take(taps_, parts_.side, parts_.side));
      kernel_.load(loaded_.back(), transposed_in_hbm(out, in, tap));
    }
}

void DmaTransposedWeights::stage(unsigned) {}

void DmaTransposedWeights::transpose(unsigned) {
  // The scalar engine takes twice as long as the vector engine over narrow elements.
  const unsigned turns = isa::size_of(parts_.shape.dtype) < isa::size_of(isa::DType::kFp32) ? 3 : 2;
  weights_.clear();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
    weights_.push_back(kernel_.take(interleaved_, parts_.side, parts_.side * parts_.taps()));
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
      kernel_.copy(weights_.back().every(tap, parts_.taps()), loaded_.front(),
                   scattered_++ % turns == 0 ? Queue::kScalar : Queue::kVector);
      loaded_.pop_front();
    }
  }
}

TileView DmaTransposedWeights::tap(unsigned in, unsigned tap) const {
  return weights_[in].every(tap, parts_.taps());
}

}  // namespace tahoma::workloads
