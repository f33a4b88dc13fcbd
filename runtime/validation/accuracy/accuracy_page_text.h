// SPDX-License-Identifier: Apache-2.0
// The page for a reader: the headline, a table for each family, and which figures were calibrated on.
#pragma once

#include <string>

#include "runtime/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

std::string page_text(const Page& page);

}  // namespace tahoma::runtime
