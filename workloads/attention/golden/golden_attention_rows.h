// SPDX-License-Identifier: Apache-2.0
// The inner loop of attention's golden definition, compiled once for any x86-64 and once for x86-64-v3.
// workloads/common/host_products.h says why it takes raw pointers.
#pragma once

#include <cstddef>

namespace tahoma::workloads {

// One block of query rows of one head. All matrices are dense and row-major.
//
// want = p v, mass = p |v|, square = p^2 v^2 with p = softmax(scale q k^T) over the visible keys; of each row
// max_score = the largest |scale q_i k_j|, lse = log sum exp(scale q_i k_j), spread = sum p^2. Leaves p in
// scores.
struct AttentionRows {
  std::ptrdiff_t rows = 0, kv = 0, d = 0;
  // Keys that the first row sees. Each further row sees `visible_step` more, up to kv; only the last `window`
  // of these count if it is not 0.
  std::ptrdiff_t visible = 0, visible_step = 0, window = 0;
  double scale = 1;
  const double *q = nullptr, *k = nullptr;                            // [rows,d], [kv,d]
  const double *v = nullptr, *v_abs = nullptr, *v_squared = nullptr;  // [kv,d]
  double* scores = nullptr;                                           // workspace [rows,kv]
  double *want = nullptr, *mass = nullptr, *square = nullptr;         // [rows,d]
  double *max_score = nullptr, *lse = nullptr, *spread = nullptr;     // [rows]
};

void attention_rows(const AttentionRows& block);  // the fastest variant that this host can run
void attention_rows_base(const AttentionRows& block);
void attention_rows_v3(const AttentionRows& block);

}  // namespace tahoma::workloads
