// SPDX-License-Identifier: Apache-2.0
// The places where the golden check spends its time, by Eigen, once for any x86-64 and once for x86-64-v3
// (AVX2 and FMA: three times as fast), chosen at run time.
//
// Eigen is all templates, and templates from two translation units are one function to the linker: a copy
// compiled for AVX2 could end up in code that has to run anywhere. Therefore each variant includes Eigen
// under a namespace of its own, takes raw pointers, uses no other templates, is always optimized, and the
// build fails if a variant's object file defines a shared (weak) symbol outside that namespace
// (workloads/common/host_symbols.cmake).
#pragma once

#include <cstddef>

namespace tahoma::workloads {

struct HostProducts {
  const char* name;
  // c = a b, dense row-major: a [m,k], b [k,n], c [m,n].
  void (*product_f32)(const float* a, const float* b, float* c, std::ptrdiff_t m, std::ptrdiff_t n,
                      std::ptrdiff_t k);
  void (*product_f64)(const double* a, const double* b, double* c, std::ptrdiff_t m, std::ptrdiff_t n,
                      std::ptrdiff_t k);
};

extern const HostProducts kHostProductsBase, kHostProductsV3;
const HostProducts& host_products();  // the fastest that this host can run
bool host_runs_v3();

}  // namespace tahoma::workloads
