// SPDX-License-Identifier: Apache-2.0
// Stores an explanation in the folder of the run that it explains: explain.json, and the verdict in
// summary.json, summary.txt, the page and the manifest. The folder then has the bytes that `tahoma run
// --explain` writes, the manifest excepted.
#pragma once

#include <string>

#include "studies/whatif/explain.h"

namespace tahoma::runtime {

// UserError E-CLI-006: a file of the folder is not one of this version's `tahoma run`; then nothing is
// changed.
void store_verdict(const std::string& folder, const Explanation& explanation);

}  // namespace tahoma::runtime
