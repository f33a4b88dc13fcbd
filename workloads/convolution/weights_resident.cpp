// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/weights_resident.h"

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

ResidentWeights::ResidentWeights(const ConvolutionParts& parts)
    : parts_(parts),
      kernel_(parts.kernel),
      w_(kernel_.argument("w", parts.shape.dtype, parts.shape.out, parts.shape.in * parts.shape.taps())),
      identity_from_(kernel_.argument("identity", parts.shape.dtype, parts.side, parts.side)),
      identities_(kernel_.sbuf("identity", parts.shape.dtype, parts.side)),
      rows_(kernel_.sbuf("w", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())),
      gathered_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
      transposed_(
          kernel_.sbuf("transposed", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())),
      identity_(kernel_.take(identities_, parts.side, parts.side)) {}

void ResidentWeights::load(unsigned out) {
  const std::uint64_t columns = std::uint64_t{parts_.side} * parts_.taps();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
    loaded_.push_back(kernel_.take(rows_, parts_.side, static_cast<unsigned>(columns)));
    kernel_.load(loaded_.back(),
                 w_.window(std::uint64_t{out} * parts_.side, in * columns, parts_.side, columns));
    if (out == 0 && in == 0) kernel_.load(identity_, identity_from_);
  }
}

void ResidentWeights::stage(unsigned) {
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) gather();
}

// The scalar engine copies the two ends of a filter, because it is slower at it; the vector engine copies the
// rest.
void ResidentWeights::gather() {
  const bool narrow = isa::size_of(parts_.shape.dtype) < isa::size_of(isa::DType::kFp32);
  for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
    const bool by_scalar = tap == 0 || (tap + 1 == parts_.taps() && !narrow);
    staged_.push_back(kernel_.take(gathered_, parts_.side, parts_.side));
    kernel_.copy(staged_.back(), loaded_.front().every(tap, parts_.taps()),
                 by_scalar ? Queue::kScalar : Queue::kVector);
  }
  loaded_.pop_front();
}

void ResidentWeights::transpose(unsigned) {
  weights_.clear();
  for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
    if (staged_.empty()) gather();
    transpose_block();
  }
}

void ResidentWeights::transpose_block() {
  weights_.push_back(kernel_.take(transposed_, parts_.side, parts_.side * parts_.taps()));
  for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
    const TileView bank =
        kernel_.take(parts_.banks, parts_.side, parts_.side).as(parts_.shape.dtype).columns(0, parts_.side);
    kernel_.transpose(bank, staged_.front(), identity_);
    staged_.pop_front();
    // Banks alternate, so that one is evacuated while the next one fills.
    kernel_.copy(weights_.back().every(tap, parts_.taps()), bank,
                 scattered_++ % 2 == 0 ? Queue::kScalar : Queue::kVector);
  }
}

TileView ResidentWeights::tap(unsigned in, unsigned tap) const {
  return weights_[in].every(tap, parts_.taps());
}

}  // namespace tahoma::workloads
