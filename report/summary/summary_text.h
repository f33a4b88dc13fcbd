// SPDX-License-Identifier: Apache-2.0
// summary.txt, which a run also prints: the first line is the headline (time, rate, MFU, golden
// outcome, bound), followed by tables. At most 60 lines of 100 columns, except for the lines that a
// failed golden check adds.
#pragma once

#include <string>

#include "report/summary/summary.h"

namespace tahoma::runtime {

std::string summary_text(const Summary& summary);

}  // namespace tahoma::runtime
