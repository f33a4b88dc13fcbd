// SPDX-License-Identifier: Apache-2.0
// Loads the keys and values of a decoding step from the cache in HBM into the layout that the array needs.
//
// The array contracts scores over d and outputs over keys, so it needs keys as [d, keys] and values as [keys,
// d]. A contiguous cache stores keys d-major, [d, capacity] for each sequence: appending a token costs the
// same (d elements either way), and no step has to transpose them. Pages are [tokens, d] for both: then a
// page is one run in HBM that one descriptor moves to one partition, and the array transposes the keys. A
// d-major page would be d runs of as many elements as a page has tokens, with d descriptors. A latent cache
// is token-major, too, and loaded once: its rows are the values, and the array transposes them to keys.
#pragma once

#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/decode/decode_kernel.h"
#include "workloads/decode/decode_plan.h"

namespace tahoma::workloads {

class DecodeCache {
 public:
  DecodeCache(runtime::Kernel& kernel, const DecodeShape& shape, const DecodeTiling& tiling,
              const DecodeViews& views);
  // Call before the first load; `identity` is [chunk, chunk] in the dtype.
  void make_pools(const runtime::TileView& identity);

  struct Loaded {
    DecodePiece piece;
    std::vector<runtime::TileView> k;  // of each part of d; pages are one tile until transpose_keys()
    runtime::TileView v;
  };
  Loaded load(std::uint64_t head, std::uint64_t sequence, const DecodePiece& piece);
  void transpose_keys(Loaded& loaded);  // of pages; k is [part of d, keys] chunk by chunk afterwards

  // [part of d, keys] and [keys, part of d] of a part of the tiling's.
  runtime::TileView keys(const Loaded& loaded, unsigned chunk, std::size_t part) const;
  runtime::TileView values(const Loaded& loaded, unsigned chunk, std::size_t part) const;

  // The queue for doorbells that wait for results. GpSimd rings gathers and sync rings contiguous loads; this
  // is the other one, so that loads do not wait behind such doorbells.
  isa::Queue other_queue() const { return paged() ? isa::Queue::kSync : isa::Queue::kGpSimd; }

 private:
  bool paged() const { return shape_.page != 0; }
  bool latent() const { return shape_.latent != 0; }
  bool by_tokens() const { return paged() || latent(); }  // keys need a transposition
  void load_table();
  // Loads pages [first, first + count) of a piece.
  runtime::TileView row_numbers(std::uint64_t sequence, const DecodePiece& piece, unsigned first,
                                unsigned count) const;
  runtime::TileView transposed_keys(const Loaded& loaded, const Range& part);
  runtime::TileView gather(runtime::Pool pool, const runtime::HbmView& pages, std::uint64_t head,
                           std::uint64_t sequence, const DecodePiece& piece);

  runtime::Kernel& kernel_;
  DecodeShape shape_;
  DecodeTiling tiling_;
  unsigned d_;
  DecodeViews views_;
  runtime::Pool keys_, values_, transposed_, transposed_psum_;
  runtime::TileView identity_;
  std::vector<runtime::TileView> numbers_;  // [pages of a piece, sequences] of row numbers
};

}  // namespace tahoma::workloads
