// SPDX-License-Identifier: Apache-2.0
// The products for hosts with AVX2 and FMA; workloads/CMakeLists.txt compiles this file with
// -march=x86-64-v3.
#define TAHOMA_HOST_EIGEN EigenHostV3
#define TAHOMA_HOST_PRODUCTS kHostProductsV3
#define TAHOMA_HOST_NAME "x86-64-v3"
#include "workloads/common/host_products.inc"
