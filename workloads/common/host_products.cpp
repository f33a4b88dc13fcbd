// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/host_products.h"

namespace tahoma::workloads {

bool host_runs_v3() {
#if defined(__x86_64__)
  // Everything that x86-64-v3 adds and Eigen's code uses. The compiler may use any of it, so all of it is
  // checked.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

bool host_runs_v4() {
#if defined(__x86_64__)
  return host_runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

const HostProducts& host_products() {
  if (host_runs_v4()) return kHostProductsV4;
  return host_runs_v3() ? kHostProductsV3 : kHostProductsBase;
}

}  // namespace tahoma::workloads
