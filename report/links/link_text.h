// SPDX-License-Identifier: Apache-2.0
// The links block of summary.txt; empty on a machine without links.
#pragma once

#include <string>

#include "report/links/link_summary.h"

namespace tahoma::runtime {

std::string link_text(const LinkSummary& links);

}  // namespace tahoma::runtime
