// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/files/version.h"

namespace tahoma::runtime {

// Defined by CMake for this file alone, so that a new commit recompiles nothing else.
const char* version() { return TAHOMA_VERSION; }
const char* commit() { return TAHOMA_COMMIT; }

}  // namespace tahoma::runtime
