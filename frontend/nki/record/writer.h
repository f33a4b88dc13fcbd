// SPDX-License-Identifier: Apache-2.0
// Which line of a kernel wrote a byte of a tensor in HBM: the place of the last entry whose destination
// covers it. Transfers with dynamic addresses count as covering their whole tensor, but give way to one that
// covers the byte for certain.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// "" if no entry writes the byte.
std::string writer_of(const Trace& trace, std::uint32_t storage, std::int64_t byte);

}  // namespace tahoma::runtime::nki
