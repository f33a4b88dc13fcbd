// SPDX-License-Identifier: Apache-2.0
// The two places where the golden check spends its time, by Eigen, once for any x86-64 and once for x86-64-v3
// (AVX2 and FMA: three times as fast), chosen at run time.
//
// Eigen is all templates, and templates from two translation units are one function to the linker: a copy
// compiled for AVX2 could end up in code that has to run anywhere. Therefore each variant includes Eigen
// under a namespace of its own, takes raw pointers, uses no other templates, is always optimized, and the
// build fails if a variant's object file defines a shared (weak) symbol outside that namespace
// (workloads/common/golden_symbols.cmake).
#pragma once

#include <cstddef>

namespace tahoma::runtime {

// One block of query rows of one head. All matrices are dense and row-major.
struct AttentionRows {
  std::ptrdiff_t rows = 0, kv = 0, d = 0;
  // Keys that the first row sees; each further row sees `visible_step` more, up to kv; of these only the last
  // `window`, where it is not 0.
  std::ptrdiff_t visible = 0, visible_step = 0, window = 0;
  double scale = 1;
  const double *q = nullptr, *k = nullptr;                            // [rows,d], [kv,d]
  const double *v = nullptr, *v_abs = nullptr, *v_squared = nullptr;  // [kv,d]
  double* scores = nullptr;                                           // workspace [rows,kv]
  double *want = nullptr, *mass = nullptr, *square = nullptr;         // [rows,d]
  double *max_score = nullptr, *lse = nullptr, *spread = nullptr;     // [rows]
};

struct GoldenKernels {
  const char* name;
  // c = a b, dense row-major: a [m,k], b [k,n], c [m,n].
  void (*product_f32)(const float* a, const float* b, float* c, std::ptrdiff_t m, std::ptrdiff_t n,
                      std::ptrdiff_t k);
  void (*product_f64)(const double* a, const double* b, double* c, std::ptrdiff_t m, std::ptrdiff_t n,
                      std::ptrdiff_t k);
  // want = p v, mass = p |v|, square = p^2 v^2 with p = softmax(scale q k^T) over the visible keys; of each
  // row max_score = the largest |scale q_i k_j|, lse = log sum exp(scale q_i k_j), spread = sum p^2. Leaves p
  // in scores.
  void (*attention)(const AttentionRows& block);
};

extern const GoldenKernels kGoldenKernelsBase, kGoldenKernelsV3;
const GoldenKernels& golden_kernels();  // the fastest that this host can run

}  // namespace tahoma::runtime
