// SPDX-License-Identifier: Apache-2.0
// Structured sparsity on the host: A [m, k] of which each group of kept * slices neighbours of a row has at
// most `kept` that are not zero, and the form that the tensor engine takes: K-major, the kept ones of a group
// in ascending order, each with its place in the group as a tag of four bits (isa/table/table_tensor.h).
#pragma once

#include <cstddef>
#include <string>

#include "isa/core/instruction.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

// Zeroes all but the `kept` of largest magnitude of every group; of equal ones the first stay.
void prune(runtime::HostTensor& a, isa::MatmulMode mode);

// Throws UserError E-RUN-090, at `place`, when a group has more than the mode keeps.
void check_pruned(const runtime::HostTensor& a, isa::MatmulMode mode, const std::string& place);

// A window of a pruned A. `weights`: dense [partitions, window.rows] in A's dtype; `tags`: uint16
// [partitions, (window.rows + 3) / 4], with partitions those that GemmShape gives window.columns. Groups with
// fewer weights are filled up with zeros. The window begins with a group.
void compress(const runtime::HostTensor& a, const runtime::Window& window, isa::MatmulMode mode,
              std::byte* weights, std::byte* tags);

}  // namespace tahoma::workloads
