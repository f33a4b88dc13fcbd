// SPDX-License-Identifier: Apache-2.0
// The workload `graph`: an ONNX model on the cores of a machine. Each of the first `cores` cores runs the
// whole graph on its part of dimension 0 of the inputs, with a copy of the constants in its own HBM. Every
// node's name is a region of the program.
//
// Golden: every node is compared with its operator's definition in double (frontend/graph/operators/),
// computed from the values of its inputs that the machine itself has. So the first node that differs is the
// one that is wrong, and an error does not hide behind those of later nodes. Nodes that share a kernel
// (frontend/graph/fuse/) are one node here: values between them are known to within their errors, whose
// effect on the last one the definitions give; attention has a rule of its own
// (frontend/graph/fuse/attention_slack.h). Constants are those of the file. Every intermediate tensor has
// memory of its own, unless `reuse` is on; then nodes whose tensors are overwritten are not compared.
#pragma once

#include <memory>
#include <string>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_graph();

// The plan of such a workload for a machine: a row for each step of each node. Reads the model; nothing runs.
std::string graph_plan(const runtime::Workload& workload, const model::MachineParams& machine);

}  // namespace tahoma::workloads
