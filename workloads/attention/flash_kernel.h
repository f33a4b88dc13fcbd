// SPDX-License-Identifier: Apache-2.0
// Flash attention forward for the heads of one NeuronCore, as a program for one core.
//
//   o[h] = softmax(q[h] k[g(h)]^T / sqrt(d) + mask) v[g(h)],   g(h) = h / heads_per_kv
//
// In HBM: q [heads d, q_len] and k [kv_heads d, kv_len] are d-major (transposed), because the array contracts
// over partitions; v [kv_heads kv_len, d] and o [heads q_len, d] are row-major. Alternatively `by_rows`,
// token-major: q and o [q_len, heads d], k and v [kv_len, kv_heads d], possibly columns of one wider matrix,
// with elements of 2 or 4 bytes. DMA then transposes queries and keys on their way into SBUF
// (workloads/common/transposed_load.h: rows up to the next multiple of 16 are read). All tensors but o, which
// may be narrower, are in `dtype`, to which the probabilities are also rounded; scores, sums and the
// accumulated output are fp32. With `lse`, lse [heads, q_len] of fp32 receives log(sum over seen j of
// exp(score_j)) of every row. Any lengths are supported, and any d up to 256.
//
// Masks in HBM are added to the scores in PSUM by products with an identity; a tile of them is loaded once
// for all heads that share it. They are not supported for capped scores.
//
// Each group of queries iterates over blocks of the keys with a running maximum and a running sum, which
// rescale the output after every block, so no score is stored in HBM. Capped scores need no maximum, because
// exp of them and sums of it are in the range of fp32; keys that a query does not see are then multiplied by
// 0. Not supported: dropout.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

struct FlashShape {
  std::uint64_t heads = 1;  // query heads of this core
  std::uint64_t q_len = 0, kv_len = 0, d = 0;
  bool causal = false;  // query i sees the keys j <= i + kv_len - q_len; needs q_len <= kv_len
  isa::DType dtype = isa::DType::kBf16;
  std::uint64_t window = 0;           // causal: a query sees only the last `window` of these keys; 0: all
  std::uint64_t heads_per_kv = 1;     // query heads that share keys and values
  std::uint64_t first_head = 0;       // index of the first query head among those that share its keys
  std::uint64_t part = 0, parts = 1;  // of every head's queries, if cores share the heads
  bool lse = false;
  bool by_rows = false;
  // Scores are multiplied by `scale`; 0: 1 / sqrt(d). With `cap`, they become cap tanh(score / cap): at most
  // kMostCap, without lse.
  float scale = 0, cap = 0;
  // By rows: the last so many of the d features have views of their own, and all heads share those of the
  // keys (multi-head latent attention: the rotated features).
  std::uint64_t shared_d = 0;
  std::uint64_t v_d = 0;  // elements of a value and of an output; 0: d
  // Masks in HBM, which are added to scores before these are scaled: the dtype of each, bf16 or fp32.
  std::vector<isa::DType> masks{};

  float score_scale() const;
  std::uint64_t own_d() const { return d - shared_d; }
  std::uint64_t values() const { return v_d == 0 ? d : v_d; }

  std::uint64_t kv_heads() const { return (first_head + heads + heads_per_kv - 1) / heads_per_kv; }
};

inline constexpr float kMostCap = 60;            // exp(60) of 2^20 keys is 1e32
inline constexpr unsigned kLanePartitions = 32;  // small tiles of SBUF begin at multiples of it

// The division of the work on a machine, from its array, banks, partitions and SBUF.
struct FlashTiling {
  unsigned chunk;         // keys of a chunk: partitions of transposed scores, contracted with v by one matmul
  unsigned q_rows;        // queries of a tile: partitions of scores and output
  unsigned group_tiles;   // tiles of queries that iterate over the keys together
  unsigned score_keys;    // keys of one score matmul: moving columns, one PSUM bank of fp32
  unsigned score_banks;   // such banks in flight
  unsigned quad;          // chunks whose transposed scores are in flight, a bank each
  unsigned lanes;         // parts of the array's rows that each process a row of maxima at the same time
  unsigned block_chunks;  // chunks between two rescalings of the output
  unsigned d_rows;        // part of d contracted by one score matmul
  unsigned d_columns;     // part of d that one matmul with v writes
  unsigned value_pitch;   // columns of a chunk of values with its column of ones
  unsigned outputs_per_bank;  // tiles of output that share a PSUM bank; 0: a tile takes several banks

  std::uint64_t block_keys() const { return std::uint64_t{block_chunks} * chunk; }
  unsigned group_rows() const { return group_tiles * q_rows; }
};
FlashTiling tiling_of(const model::MachineParams& machine, const FlashShape& shape);

// By rows: the elements from the beginning of each view to each of its heads. Empty: heads are side by side.
struct FlashHeads {
  std::vector<std::uint64_t> q, k, v, o;
};

// A mask in HBM of some heads of queries: [q_len, kv_len] from `heads[h]` elements on. Rows that are all the
// same have a row stride of 0. Values below -1e30 are not supported.
struct FlashMaskView {
  runtime::HbmView values;
  std::vector<std::uint64_t> heads;
};

struct FlashViews {
  runtime::HbmView q, k, v, o;
  runtime::HbmView lse;                     // if the shape requests it
  runtime::HbmView q_shared{}, k_shared{};  // with shared_d: [q_len, heads shared_d] and [kv_len, shared_d]
  FlashHeads heads{};
  std::vector<FlashMaskView> masks{};  // as many as the shape has
};

// The beginning of a head in a token-major view with `own` columns for each: the view and its first column.
struct FlashHeadView {
  runtime::HbmView view;
  std::uint64_t column;
};
FlashHeadView head_view(runtime::HbmView view, const std::vector<std::uint64_t>& heads, std::uint64_t head,
                        std::uint64_t own);

// A part of the features of a head, which one product of scores contracts: of its own, or of those with
// shared keys.
struct FlashPart {
  Range features;
  bool shared = false;
};
std::vector<FlashPart> flash_parts(const FlashShape& shape, unsigned d_rows);

// Throws UserError E-ATT-006 unless tiles of token-major tensors have multiples of the rows that the DMA
// engines transpose.
void check_transposable(unsigned chunk, unsigned keys);

// Appends it to a kernel, which may contain more than this. Uses up to all of PSUM and, for long sequences,
// of SBUF. Throws UserError E-ATT-006 for `by_rows` on a machine whose tiles are not multiples of 16.
void emit_flash(runtime::Kernel& kernel, const model::MachineParams& machine, const FlashShape& shape,
                const FlashViews& views);

// A separate program, with the views as arguments in their order.
isa::Program build_flash_kernel(const FlashShape& shape, const model::MachineParams& machine);

}  // namespace tahoma::workloads
