// SPDX-License-Identifier: Apache-2.0
// Views of the columns that an index lists (NkiTensor.indirect, Trainium3). An instruction reads such an
// operand through a copy of these columns, and writes it through a copy that is then scattered: two
// instructions where silicon has one. A tensor_copy from or to such a view is one.
#pragma once

#include <optional>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// The free elements of `view` at the offsets of `index`, [P, K]: offset i is index[i % G, i / G] of each G
// partitions, 32 for operands of the tensor engine and 16 for others. `count`: the number of offsets, by
// default as many as the index has elements. Errors: E-NKI-003.
View listed_columns(const View& view, const View& index, std::optional<std::int64_t> count);
bool lists_columns(const View& view);

// Trace::compute() where an operand lists columns.
Recorded& compute_on_columns(Trace& trace, const isa::Instruction& fields,
                             const std::vector<Trace::Given>& given, std::optional<isa::Queue> engine,
                             const Axes& pattern);
// A tile that takes the place of the columns that `listed` lists, and the copy of the tile to them.
View tile_for(Trace& trace, const View& listed);
Recorded& scatter(Trace& trace, const View& listed, const View& tile);
// An operand of the tensor engine: `view`, or a copy of the columns that it lists.
View array_operand(Trace& trace, const View& view);

}  // namespace tahoma::runtime::nki
