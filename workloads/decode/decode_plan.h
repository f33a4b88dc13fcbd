// SPDX-License-Identifier: Apache-2.0
// The order in which a decoding step reads a cache of keys and values: pure arithmetic on lengths.
//
// A piece is one load of keys and one of values: `depth` tokens in each of `rows` partitions, so that the
// data of a partition are one run in HBM even if a token has few bytes. A chunk is the part that the array
// contracts at a time: the c-th token of every partition. Softmax and sums do not depend on the order of
// keys.
//
// Contiguous cache: partition p has the tokens first + p * depth ..., and the remaining tokens are
// distributed one per partition. Paged cache: a partition has a page, or, if there are fewer pages than
// partitions, one of its `folds` parts: first the first parts of all pages, then their second ones, and so
// on. A partly filled last page follows, with as many parts as it has tokens for. Chunks beyond the tokens of
// its last part have one partition less.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/dtype.h"
#include "model/system/machine/machine_params.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

struct DecodeShape {
  std::uint64_t kv_heads = 1;          // of this core
  std::vector<std::uint64_t> lengths;  // tokens of each sequence in the cache, 1 .. capacity
  std::uint64_t capacity = 0;          // capacity of the cache of a sequence, in tokens
  std::uint64_t group = 1;             // query heads of a kv head
  std::uint64_t d = 0;
  std::uint64_t page = 0;   // tokens of a page; 0: a contiguous cache
  std::uint64_t pages = 0;  // in the pool
  isa::DType dtype = isa::DType::kBf16;
  bool by_rows = false;      // q and o are token-major: [sequences, kv_heads group d]
  float scale = 0, cap = 0;  // of the scores, 0: 1 / sqrt(d); with cap, scores become cap tanh(score / cap)
  bool lse = false;          // with the log of each query's sum of exponentials, by rows
  // A latent cache, by rows: the first so many elements of a key are the value, too (multi-head latent
  // attention). 0: keys and values are separate.
  std::uint64_t latent = 0;

  std::uint64_t values() const { return latent == 0 ? d : latent; }  // elements of a value and of an output

  std::uint64_t pages_per_sequence() const { return page == 0 ? 0 : (capacity + page - 1) / page; }
};

// The division of the work on a machine.
struct DecodeTiling {
  unsigned chunk;         // keys contracted at a time: partitions, rows and columns of the array
  unsigned depth;         // most tokens of a partition in a piece: 4 KiB
  unsigned block_chunks;  // most chunks of a block, whose scores share a PSUM bank
  unsigned block_pieces;  // most pieces of a block, limited by SBUF
  unsigned bank_chunks;   // chunks of transposed keys that a PSUM bank holds
  // The elements of a key in parts of at most `chunk`, which the array contracts at a time. The first of them
  // are those of a value, whose outputs it makes at a time.
  std::vector<Range> parts;
  unsigned value_parts;
};
DecodeTiling decode_tiling(const model::MachineParams& machine, const DecodeShape& shape);

// Query heads that can share keys and values: they are columns of the array, a PSUM bank has the outputs of
// all parts of d beside the sums, and another one an output of all d.
std::uint64_t most_decode_group(const model::MachineParams& machine, std::uint64_t values, isa::DType dtype);

struct DecodePiece {
  std::uint64_t first = 0;  // token; of a paged cache the first page's number within the sequence
  std::uint64_t token = 0;  // paged: the first of every part of a page
  unsigned rows = 0, depth = 0;
  unsigned whole = 0;                       // chunks of all rows; those behind them have one row less
  unsigned pages = 0, folds = 1, tail = 0;  // paged: full ones, their parts, parts of one that is not full
  unsigned keys(unsigned chunk) const { return chunk < whole ? rows : rows - 1; }
};

// The pieces of a sequence, and the block of each.
struct DecodeBlock {
  std::vector<DecodePiece> pieces;
  unsigned chunks() const;
};
std::vector<DecodeBlock> decode_blocks(const DecodeShape& shape, const DecodeTiling& tiling,
                                       std::uint64_t length);

}  // namespace tahoma::workloads
