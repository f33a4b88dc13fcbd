// SPDX-License-Identifier: Apache-2.0
// The reference for speed: Eigen's float GEMM, compiled for x86-64-v3 in its own translation unit.
#pragma once

namespace tahoma::bench {

bool host_runs_eigen_v3();

// c[m][n] += sum over k of w[k][m] * x[k][n]; all dense, row-major. Call it only if host_runs_eigen_v3().
void eigen_gemm_v3(int rows, int columns, int moving, const float* w, const float* x, float* c);

}  // namespace tahoma::bench
