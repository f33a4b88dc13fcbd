// SPDX-License-Identifier: Apache-2.0
// Whether an instruction may write one view while it reads another.
#pragma once

#include "frontend/nki/record/view.h"

namespace tahoma::runtime::nki {

// The same elements of one tensor in the same order.
bool same_elements(const View& a, const View& b);

// Common bytes on chip, as far as the trace knows: those of one tensor, or of two at hand-given addresses.
// Gaps of strides count as bytes. Views of the same elements do not overlap in this sense: an instruction
// works in place.
bool overlap(const View& a, const View& b);

}  // namespace tahoma::runtime::nki
