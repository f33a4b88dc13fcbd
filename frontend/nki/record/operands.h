// SPDX-License-Identifier: Apache-2.0
// From views to the operands of an instruction: common counts, tiles and columns, and the rules of the
// instruction table. Offsets count from the start of each operand's tensor.
#pragma once

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// `pattern`: of iota and affine_select, the coefficient of each dimension as a stride.
Recorded compute_entry(const isa::Instruction& fields, const std::vector<Trace::Given>& given,
                       const Axes& pattern, const isa::Limits& limits);
Recorded matmul_entry(const View& dst, const View& stationary, const View& moving, isa::MatmulMode mode,
                      bool transpose, const isa::Limits& limits);

// Parts of these, for entries that are made elsewhere.
void check_on_chip(const View& view, const isa::Field& field, const isa::OpRow& row);
using Numbers = InlineVector<std::int64_t, 5>;  // counts or strides, outermost first
void set_counts(isa::Shape& shape, const Numbers& counts, std::string_view mnemonic);
isa::Tile tile_of(const View& view, const Numbers& strides, std::string_view name, const isa::Limits& limits);
Numbers strides_of(const Axes& axes);
Numbers counts_of(const Axes& axes);

// The rules of the table for the instructions of an entry, on the engine that the kernel asks for or on the
// first that the row allows.
void check_entry(const Recorded& entry, const isa::Limits& limits);

// Axes split to exactly these counts: the stride of each. Nothing if they cannot be.
std::optional<Numbers> strides_for(const Axes& axes, const Numbers& counts);

isa::DType dtype_of(const View& view, const isa::Limits& limits);  // E-NKI-012: not a type of this core

}  // namespace tahoma::runtime::nki
