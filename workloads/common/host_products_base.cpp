// SPDX-License-Identifier: Apache-2.0
// The products for any x86-64 processor.
#define TAHOMA_HOST_EIGEN EigenHostBase
#define TAHOMA_HOST_PRODUCTS kHostProductsBase
#define TAHOMA_HOST_NAME "x86-64"
#include "workloads/common/host_products.inc"
