// SPDX-License-Identifier: Apache-2.0
// Arrays as the bytes of tensors in HBM, and back.
#pragma once

#include <cstddef>
#include <span>

#include "frontend/graph/model/array.h"

namespace tahoma::workloads::graph {

// Floats are rounded once, integers truncated; both saturate. `bytes` holds at least all elements.
void store_array(const Array& array, isa::DType dtype, std::byte* bytes);
Array load_array(const TensorType& type, isa::DType dtype, const std::byte* bytes);

}  // namespace tahoma::workloads::graph
