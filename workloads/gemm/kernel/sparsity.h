// SPDX-License-Identifier: Apache-2.0
// Structured sparsity on the host. In each row of A [m, k] every group of kept * slices neighbours has at
// most `kept` nonzero elements. The tensor engine takes a compressed form: K-major, the kept elements of a
// group in ascending order, each with its position in the group as a tag of four bits
// (isa/table/table_tensor.h).
#pragma once

#include <cstddef>
#include <string>

#include "isa/core/instruction.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

// Zeroes all but the `kept` elements of largest magnitude of every group; among equals the first stay.
void prune(runtime::HostTensor& a, isa::MatmulMode mode);

// Throws UserError E-RUN-090, at `place`, when a group has more than the mode keeps.
void check_pruned(const runtime::HostTensor& a, isa::MatmulMode mode, const std::string& place);

// A window of a pruned A. `weights`: dense [partitions, window.rows] in A's dtype; `tags`: uint16
// [partitions, (window.rows + 3) / 4], where GemmShape defines the partitions for window.columns. Groups with
// fewer weights are padded with zeros. The window begins at a group boundary.
void compress(const runtime::HostTensor& a, const runtime::Window& window, isa::MatmulMode mode,
              std::byte* weights, std::byte* tags);

}  // namespace tahoma::workloads
