// SPDX-License-Identifier: Apache-2.0
// summary.txt, what a run prints on a terminal: the first line answers the question (time, rate, MFU, golden
// verdict, what bound it), tables follow. At most 60 lines of 100 columns, but for the lines that a failed
// golden check adds.
#pragma once

#include <string>

#include "runtime/report/summary/summary.h"

namespace tahoma::runtime {

std::string summary_text(const Summary& summary);

}  // namespace tahoma::runtime
