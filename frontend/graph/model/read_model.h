// SPDX-License-Identifier: Apache-2.0
// Reads an ONNX file: protobuf by the published schema, opsets 1 to 24 of the default domain. Nothing outside
// the model's folder is read: external data are files below it.
//
// Throws UserError with the file as place:
//   E-ONX-001  unreadable, truncated, or no ONNX model; an opset that is not supported
//   E-ONX-002  a cycle, a value that nothing computes or that two nodes compute, no outputs
//   E-ONX-006  external data outside the folder, missing or shorter than the tensor; thrown when the values
//              are needed
//   E-ONX-007  more than a million nodes
//   E-ONX-009  an element type that is not supported
#pragma once

#include <string>

#include "frontend/graph/model/graph.h"

namespace tahoma::workloads::graph {

inline constexpr std::size_t kMostNodes = 1'000'000;
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 36;  // of a tensor

Graph read_model(const std::string& path);

}  // namespace tahoma::workloads::graph
