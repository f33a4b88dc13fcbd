// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/weights.h"

#include <deque>
#include <vector>

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

// Blocks of rows as they are in HBM, [side output channels, side input channels with their taps], and the
// identity by which the tensor engine transposes.
class LoadedBlocks {
 public:
  explicit LoadedBlocks(const ConvolutionParts& parts)
      : parts_(parts),
        kernel_(parts.kernel),
        w_(kernel_.argument("w", parts.shape.dtype, parts.shape.out, parts.shape.in * parts.shape.taps())),
        identity_from_(kernel_.argument("identity", parts.shape.dtype, parts.side, parts.side)),
        identities_(kernel_.sbuf("identity", parts.shape.dtype, parts.side)),
        rows_(kernel_.sbuf("w", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())),
        identity_(kernel_.take(identities_, parts.side, parts.side)) {}

  void load(unsigned out) {
    const std::uint64_t columns = std::uint64_t{parts_.side} * parts_.taps();
    for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
      blocks_.push_back(kernel_.take(rows_, parts_.side, static_cast<unsigned>(columns)));
      kernel_.load(blocks_.back(),
                   w_.window(std::uint64_t{out} * parts_.side, in * columns, parts_.side, columns));
      if (out == 0 && in == 0) kernel_.load(identity_, identity_from_);
    }
  }

  const TileView& identity() const { return identity_; }
  const TileView& first() const { return blocks_.front(); }
  void drop_first() { blocks_.pop_front(); }

 private:
  const ConvolutionParts& parts_;
  Kernel& kernel_;
  HbmView w_, identity_from_;
  Pool identities_, rows_;
  TileView identity_;
  std::deque<TileView> blocks_;
};

// Weights that are loaded once and transposed on chip. In SBUF the taps of a channel are side by side, so the
// copies and the tensor engine's weight loads have a stride of a whole filter.
class ResidentWeights final : public Weights {
 public:
  explicit ResidentWeights(const ConvolutionParts& parts)
      : parts_(parts),
        kernel_(parts.kernel),
        loaded_(parts),
        gathered_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
        transposed_(
            kernel_.sbuf("transposed", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())) {}

  void load(unsigned out) override { loaded_.load(out); }

  void stage(unsigned) override {
    for (unsigned in = 0; in < parts_.in_tiles(); ++in) gather();
  }

  void transpose(unsigned) override {
    weights_.clear();
    for (unsigned in = 0; in < parts_.in_tiles(); ++in) {
      if (staged_.empty()) gather();
      transpose_block();
    }
  }

  TileView tap(unsigned in, unsigned tap) const override { return weights_[in].every(tap, parts_.taps()); }

 private:
  // The taps of the next loaded block. The scalar engine copies the two ends of a filter, because it is
  // slower at it; the vector engine copies the rest.
  void gather() {
    const bool narrow = isa::size_of(parts_.shape.dtype) < isa::size_of(isa::DType::kFp32);
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
      const bool by_scalar = tap == 0 || (tap + 1 == parts_.taps() && !narrow);
      staged_.push_back(kernel_.take(gathered_, parts_.side, parts_.side));
      kernel_.copy(staged_.back(), loaded_.first().every(tap, parts_.taps()),
                   by_scalar ? Queue::kScalar : Queue::kVector);
    }
    loaded_.drop_first();
  }

  void transpose_block() {
    weights_.push_back(kernel_.take(transposed_, parts_.side, parts_.side * parts_.taps()));
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
      const TileView bank =
          kernel_.take(parts_.banks, parts_.side, parts_.side).as(parts_.shape.dtype).columns(0, parts_.side);
      kernel_.transpose(bank, staged_.front(), loaded_.identity());
      staged_.pop_front();
      // Banks alternate, so that one is evacuated while the next one fills.
      kernel_.copy(weights_.back().every(tap, parts_.taps()), bank,
                   scattered_++ % 2 == 0 ? Queue::kScalar : Queue::kVector);
    }
  }

  const ConvolutionParts& parts_;
  Kernel& kernel_;
  LoadedBlocks loaded_;
  Pool gathered_, transposed_;
  std::deque<TileView> staged_;
  std::vector<TileView> weights_;  // per tile of input channels
  unsigned scattered_ = 0;
};

// Weights that are stored to HBM after they are transposed and loaded again, tap by tap without gaps. In HBM
// they are ordered by output channel, tile of input channels, tap and input channel, so that a tap is a run
// of a row.
class ReloadedWeights final : public Weights {
 public:
  explicit ReloadedWeights(const ConvolutionParts& parts)
      : parts_(parts),
        kernel_(parts.kernel),
        loaded_(parts),
        scratch_(kernel_.argument("scratch", parts.shape.dtype,
                                  std::uint64_t{parts.in_tiles()} * parts.out_tiles() * parts.side,
                                  std::uint64_t{parts.side} * parts.taps())),
        staging_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
        transposing_(
            kernel_.sbuf("transposed", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
        reloaded_(
            kernel_.sbuf("weights", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())) {}

  void load(unsigned out) override { loaded_.load(out); }

  void stage(unsigned) override {
    for (unsigned in = 0; in < parts_.in_tiles(); ++in) stage_block();
  }

  void transpose(unsigned out) override {
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

  TileView tap(unsigned in, unsigned tap) const override {
    return weights_[in].columns(tap * parts_.side, parts_.side);
  }

 private:
  // The scalar engine rings the doorbell of a store after it has evacuated that many further banks. By then
  // the tile is in SBUF and the doorbell does not block the engine.
  static constexpr std::size_t kStoresBehind = 4;

  struct Transposed {
    TileView tile;
    std::uint64_t block;  // of the scratch tensor
    unsigned tap;
  };

  // The taps of the next loaded block.
  void stage_block() {
    for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
      staged_.push_back(kernel_.take(staging_, parts_.side, parts_.side));
      kernel_.move(staged_.back(), loaded_.first().columns(tap * parts_.side, parts_.side), Queue::kGpSimd);
    }
    loaded_.drop_first();
  }

  void transpose_tap(std::uint64_t block, unsigned tap) {
    const TileView bank =
        kernel_.take(parts_.banks, parts_.side, parts_.side).as(parts_.shape.dtype).columns(0, parts_.side);
    kernel_.transpose(bank, staged_.front(), loaded_.identity());
    staged_.pop_front();
    transposed_.push_back({kernel_.take(transposing_, parts_.side, parts_.side), block, tap});
    // Pairs of narrow elements are copied as words, which halves the number of elements.
    kernel_.copy(transposed_.back().tile.as(isa::DType::kInt32), bank.as(isa::DType::kInt32), Queue::kScalar);
    if (transposed_.size() > kStoresBehind) store_oldest();
  }

  void store_oldest() {
    const Transposed& t = transposed_.front();
    kernel_.store(
        scratch_.window(t.block * parts_.side, std::uint64_t{t.tap} * parts_.side, parts_.side, parts_.side),
        t.tile, Queue::kScalar);
    transposed_.pop_front();
  }

  const ConvolutionParts& parts_;
  Kernel& kernel_;
  LoadedBlocks loaded_;
  HbmView scratch_;
  Pool staging_, transposing_, reloaded_;
  std::deque<TileView> staged_;
  std::deque<Transposed> transposed_;
  std::vector<TileView> weights_;  // per tile of input channels
};

// Weights that the DMA engines transpose inside HBM, one element at a time, before all other work.
class DmaTransposedWeights final : public Weights {
 public:
  explicit DmaTransposedWeights(const ConvolutionParts& parts)
      : parts_(parts),
        kernel_(parts.kernel),
        w_(kernel_.argument("w", parts.shape.dtype, parts.shape.out, parts.shape.in * parts.shape.taps())),
        scratch_(kernel_.argument("scratch", parts.shape.dtype,
                                  parts.shape.in * parts.shape.out * parts.shape.taps() / parts.side,
                                  parts.side)),
        taps_(kernel_.sbuf("taps", parts.shape.dtype, parts.side, 2 * parts.in_tiles() * parts.taps())),
        interleaved_(
            kernel_.sbuf("weights", parts.shape.dtype, parts.side * parts.taps(), 2 * parts.in_tiles())) {}

  void load(unsigned out) override {
    if (out == 0) transpose_all();
    for (unsigned in = 0; in < parts_.in_tiles(); ++in)
      for (unsigned tap = 0; tap < parts_.taps(); ++tap) {
        loaded_.push_back(kernel_.take(taps_, parts_.side, parts_.side));
        kernel_.load(loaded_.back(), transposed_in_hbm(out, in, tap));
      }
  }

  void stage(unsigned) override {}

  void transpose(unsigned) override {
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

  TileView tap(unsigned in, unsigned tap) const override { return weights_[in].every(tap, parts_.taps()); }

 private:
  HbmView transposed_in_hbm(unsigned out, unsigned in, unsigned tap) const {
    const std::uint64_t block = std::uint64_t{out} * parts_.in_tiles() + in;
    return scratch_.window((block * parts_.taps() + tap) * parts_.side, 0, parts_.side, parts_.side);
  }

  void transpose_all() {
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

  const ConvolutionParts& parts_;
  Kernel& kernel_;
  HbmView w_, scratch_;
  Pool taps_, interleaved_;
  std::deque<TileView> loaded_;
  std::vector<TileView> weights_;  // per tile of input channels
  unsigned scattered_ = 0;
};

}  // namespace

std::unique_ptr<Weights> make_weights(WeightPath path, const ConvolutionParts& parts) {
  if (path == WeightPath::kReload) return std::make_unique<ReloadedWeights>(parts);
  if (path == WeightPath::kDmaTranspose) return std::make_unique<DmaTransposedWeights>(parts);
  return std::make_unique<ResidentWeights>(parts);
}

}  // namespace tahoma::workloads
