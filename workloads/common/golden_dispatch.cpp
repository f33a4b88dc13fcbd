// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/golden_kernels.h"

namespace tahoma::workloads {

const GoldenKernels& golden_kernels() {
#if defined(__x86_64__)
  // Everything that x86-64-v3 adds and Eigen's code uses. The compiler may use any of it, so all of it is
  // checked.
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (v3) return kGoldenKernelsV3;
#endif
  return kGoldenKernelsBase;
}

}  // namespace tahoma::workloads
