// SPDX-License-Identifier: Apache-2.0
// The products for hosts with AVX-512; workloads/CMakeLists.txt compiles this file with -march=x86-64-v4.
#define TAHOMA_HOST_EIGEN EigenHostV4
#define TAHOMA_HOST_PRODUCTS kHostProductsV4
#define TAHOMA_HOST_NAME "x86-64-v4"
#include "workloads/common/host_products.inc"
