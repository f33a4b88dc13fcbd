// SPDX-License-Identifier: Apache-2.0
// HBM and DMA in summary.txt.
#pragma once

#include <string>

#include "report/summary/summary.h"

namespace tahoma::runtime {

std::string memory_text(const Summary& s);

}  // namespace tahoma::runtime
