// SPDX-License-Identifier: Apache-2.0
// The operators that Tahoma has, of ONNX's default domain and of com.microsoft: one row each, with its shape
// rule, its definition and its lowering; or, of an operator that others express, its expansion.
#pragma once

#include <span>
#include <string_view>

#include "frontend/graph/expand/expansion.h"
#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

struct OperatorRow {
  std::string_view name;
  Inference infer;
  Definition define;
  NodeLowering lower;                  // null: only where it is known before the run
  bool of_shapes = false;              // its value follows from the shapes of its inputs
  OperatorExpansion expand = nullptr;  // of operators, or of some of their nodes, that others express
};

std::span<const OperatorRow> operator_table();      // of the default domain, by name
const OperatorRow* operator_row(const Node& node);  // null: none, or another domain

}  // namespace tahoma::workloads::graph
