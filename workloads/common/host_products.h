// SPDX-License-Identifier: Apache-2.0
// The hot loops of the golden check, by Eigen, once for any x86-64, once for x86-64-v3 (AVX2 and FMA:
// three times as fast) and once for x86-64-v4 (AVX-512), chosen at run time.
//
// Eigen consists of templates, and the linker merges equal templates of two translation units: a copy
// compiled for AVX2 could end up in code that must run anywhere. Therefore each variant includes Eigen in its
// own namespace, takes raw pointers, uses no other templates and is always optimized. The build fails if a
// variant's object file defines a shared (weak) symbol outside that namespace
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

extern const HostProducts kHostProductsBase, kHostProductsV3, kHostProductsV4;
const HostProducts& host_products();  // the fastest that this host can run
bool host_runs_v3();
bool host_runs_v4();

}  // namespace tahoma::workloads
