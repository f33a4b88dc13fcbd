// SPDX-License-Identifier: Apache-2.0
// The sizes of pe_array.sv that this build has: TAHOMA_ARRAY_SIZES of CMake.
#pragma once

#include "isa/semantics/arithmetic/array_tiles.h"
#include "model/rtl/array/array_gates.h"

namespace tahoma::rtl {

std::vector<isa::ArraySize> built_sizes();
// E-RTL-001 if there is no array of this size; `place` is who asks.
std::unique_ptr<ArrayGates> make_gates(const isa::ArraySize& size, const std::string& place);
void require_built(const isa::ArraySize& size, const std::string& place);

}  // namespace tahoma::rtl
