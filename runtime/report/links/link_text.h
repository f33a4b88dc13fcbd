// SPDX-License-Identifier: Apache-2.0
// The block of summary.txt about links; nothing on a machine that has none.
#pragma once

#include <string>

#include "runtime/report/links/link_summary.h"

namespace tahoma::runtime {

std::string link_text(const LinkSummary& links);

}  // namespace tahoma::runtime
