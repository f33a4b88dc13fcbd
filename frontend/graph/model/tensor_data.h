// SPDX-License-Identifier: Apache-2.0
// The values of a tensor of an ONNX file, in any of its encodings.
#pragma once

#include <memory>
#include <string>

#include "frontend/graph/model/array.h"
#include "onnx_model.pb.h"

namespace tahoma::workloads::graph {

// The type of the tensor; throws E-ONX-001 for negative sizes, E-ONX-009 for its element type.
TensorType type_of(const wire::Tensor& tensor, const std::string& file);

// The values when they are asked for; `owner` keeps the tensor alive. Throws then E-ONX-001 if they are
// fewer or more than the shape says, E-ONX-006 for external data.
LazyArray values_of(const wire::Tensor& tensor, const std::string& file, std::shared_ptr<const void> owner);

}  // namespace tahoma::workloads::graph
