// SPDX-License-Identifier: Apache-2.0
// The sizes of pe_array.sv in this build: CMake's TAHOMA_ARRAY_SIZES.
#pragma once

#include "isa/semantics/arithmetic/array_tiles.h"
#include "model/rtl/array/array_gates.h"

namespace tahoma::rtl {

std::vector<isa::ArraySize> built_sizes();
// Throws E-RTL-001 if no array of this size is built; `place` names the caller.
std::unique_ptr<ArrayGates> make_gates(const isa::ArraySize& size, const std::string& place);
void require_built(const isa::ArraySize& size, const std::string& place);

}  // namespace tahoma::rtl
