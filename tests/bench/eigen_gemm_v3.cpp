// SPDX-License-Identifier: Apache-2.0
// Compiled with -march=x86-64-v3 where that exists. Eigen's templates are renamed here, so that the linker
// cannot share these copies with other code: older processors cannot run them, and they align memory
// differently.
#define Eigen EigenForX8664v3
#include "tests/bench/eigen_gemm_v3.h"

#include <Eigen/Core>

namespace tahoma::bench {

bool host_runs_eigen_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

void eigen_gemm_v3(int rows, int columns, int moving, const float* w, const float* x, float* c) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> weights(w, rows, columns), moved(x, rows, moving);
  Eigen::Map<Matrix> result(c, columns, moving);
  result.noalias() += weights.transpose() * moved;
}

}  // namespace tahoma::bench
