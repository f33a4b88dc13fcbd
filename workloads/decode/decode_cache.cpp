// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_cache.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

DecodeCache::DecodeCache(Kernel& kernel, const DecodeShape& shape, const DecodeTiling& tiling,
                         const DecodeViews& views)
    : kernel_(kernel), shape_(shape), tiling_(tiling), d_(static_cast<unsigned>(shape.d)), views_(views) {}

// Copies: keys of the current block and of the next one in transit; values are needed one block longer.
void DecodeCache::make_pools(const TileView& identity) {
  identity_ = identity;
  const unsigned transposed = tiling_.chunk * tiling_.depth, run = tiling_.depth * d_,
                 key_copies = 2 * tiling_.block_pieces + 2,
                 parts = static_cast<unsigned>(tiling_.parts.size());
  if (!latent())
    keys_ = paged() ? kernel_.sbuf("keys", shape_.dtype, run, key_copies)
                    : kernel_.sbuf("keys", shape_.dtype, transposed, key_copies * parts);
  values_ = kernel_.sbuf("values", shape_.dtype, run, 3 * tiling_.block_pieces + 2);
  if (!by_tokens()) return;
  transposed_ = kernel_.sbuf("transposed keys", shape_.dtype, transposed, 3 * parts);
  transposed_psum_ = kernel_.psum("transposed keys", shape_.dtype, tiling_.chunk * tiling_.bank_chunks, 2);
  if (paged()) load_table();
}

// Page numbers run down the partitions, with a column for each sequence.
void DecodeCache::load_table() {
  const std::uint64_t pages = shape_.pages_per_sequence();
  const auto sequences = static_cast<unsigned>(shape_.lengths.size());
  const auto copies = static_cast<unsigned>((pages + tiling_.chunk - 1) / tiling_.chunk);
  const Pool pool = kernel_.sbuf("page numbers", DType::kInt32, sequences, copies);
  for (std::uint64_t first = 0; first < pages; first += tiling_.chunk) {
    HbmView transposed = views_.table;
    transposed.rows = std::min<std::uint64_t>(tiling_.chunk, pages - first);
    transposed.columns = sequences;
    transposed.row_stride = 1;
    transposed.column_stride = views_.table.row_stride;
    transposed.offset += first * isa::size_of(DType::kInt32);
    numbers_.push_back(kernel_.take(pool, static_cast<unsigned>(transposed.rows), sequences));
    kernel_.load(numbers_.back(), transposed, other_queue());
  }
}

TileView DecodeCache::row_numbers(std::uint64_t sequence, const DecodePiece& piece, unsigned first,
                                  unsigned count) const {
  return numbers_[piece.first / tiling_.chunk]
      .partitions(first, count)
      .columns(static_cast<unsigned>(sequence), 1);
}

TileView DecodeCache::gather(Pool pool, const HbmView& pages, std::uint64_t head, std::uint64_t sequence,
                             const DecodePiece& piece) {
  const TileView tile = kernel_.take(pool, piece.rows, piece.depth * d_);
  const std::uint64_t span = shape_.page / piece.folds;
  const auto part = [&](unsigned at, unsigned first, unsigned count, unsigned fold) {
    if (count == 0) return;
    const std::uint64_t token = fold * span + piece.token;
    kernel_.gather(
        tile.partitions(at, count),
        pages.window(head * shape_.pages, token * d_, shape_.pages, std::uint64_t{piece.depth} * d_),
        row_numbers(sequence, piece, first, count));
  };
  if (piece.folds == 1) {
    part(0, 0, piece.rows, 0);
    return tile;
  }
  for (unsigned fold = 0; fold < piece.folds; ++fold) part(fold * piece.pages, 0, piece.pages, fold);
  for (unsigned fold = 0; fold < piece.tail; ++fold)
    part(piece.folds * piece.pages + fold, piece.pages, 1, fold);
  return tile;
}

DecodeCache::Loaded DecodeCache::load(std::uint64_t head, std::uint64_t sequence, const DecodePiece& piece) {
  if (paged()) {
    const TileView k = gather(latent() ? values_ : keys_, views_.k, head, sequence, piece);
    return {piece, {k}, latent() ? k : gather(values_, views_.v, head, sequence, piece)};
  }
  const std::uint64_t cache = head * shape_.lengths.size() + sequence,
                      tokens = std::uint64_t{piece.rows} * piece.depth;
  Loaded loaded{piece, {}, {}};
  for (const Range& part : latent() ? std::vector<Range>{} : tiling_.parts)
    loaded.k.push_back(kernel_.take(keys_, part.count, static_cast<unsigned>(tokens)));
  loaded.v = kernel_.take(values_, piece.rows, piece.depth * d_);
  for (std::size_t part = 0; part < loaded.k.size(); ++part)
    kernel_.load(loaded.k[part], views_.k.window(cache * shape_.d + tiling_.parts[part].first, piece.first,
                                                 tiling_.parts[part].count, tokens));
  HbmView runs =
      (latent() ? views_.k : views_.v).window(cache * shape_.capacity + piece.first, 0, piece.rows, shape_.d);
  runs.columns = runs.columns * piece.depth;
  runs.row_stride = static_cast<std::int64_t>(runs.columns);
  kernel_.load(loaded.v, runs);
  if (latent()) loaded.k = {loaded.v};
  return loaded;
}

void DecodeCache::transpose_keys(Loaded& loaded) {
  if (!by_tokens()) return;
  std::vector<TileView> transposed;
  for (const Range& part : tiling_.parts) transposed.push_back(transposed_keys(loaded, part));
  loaded.k = std::move(transposed);
}

// Transposes as many chunks as a PSUM bank holds and then copies them together.
TileView DecodeCache::transposed_keys(const Loaded& loaded, const Range& part) {
  const DecodePiece& piece = loaded.piece;
  const TileView all = kernel_.take(transposed_, part.count, tiling_.chunk * piece.depth);
  for (unsigned first = 0; first < piece.depth; first += tiling_.bank_chunks) {
    const unsigned chunks = std::min(tiling_.bank_chunks, piece.depth - first);
    const TileView transposed = kernel_.take(transposed_psum_, part.count, chunks * tiling_.chunk);
    for (unsigned c = 0; c < chunks; ++c)
      kernel_.transpose(
          transposed.columns(c * tiling_.chunk, piece.rows),
          loaded.k.front().columns((first + c) * d_ + static_cast<unsigned>(part.first), part.count),
          identity_.partitions(0, piece.rows).columns(0, piece.rows));
    const auto boxes = [&](const TileView& of, unsigned from) {
      return of.grid(from, chunks, tiling_.chunk, piece.rows);
    };
    kernel_.copy(boxes(all, first * tiling_.chunk), boxes(transposed, 0));
  }
  return all;
}

TileView DecodeCache::keys(const Loaded& loaded, unsigned chunk, std::size_t part) const {
  const unsigned count = loaded.piece.keys(chunk);
  if (by_tokens()) return loaded.k[part].columns(chunk * tiling_.chunk, count);
  return loaded.k[part].every(chunk, loaded.piece.depth);
}

TileView DecodeCache::values(const Loaded& loaded, unsigned chunk, std::size_t part) const {
  const Range& of_d = tiling_.parts[part];
  return loaded.v.partitions(0, loaded.piece.keys(chunk))
      .columns(chunk * d_ + static_cast<unsigned>(of_d.first), of_d.count);
}

}  // namespace tahoma::workloads
