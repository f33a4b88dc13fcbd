// SPDX-License-Identifier: Apache-2.0
// The page as text: the headline, a table for each family, and the list of calibration figures.
#pragma once

#include <string>

#include "studies/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

std::string page_text(const Page& page);

}  // namespace tahoma::runtime
