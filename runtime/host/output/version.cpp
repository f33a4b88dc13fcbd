// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/output/version.h"

namespace tahoma::runtime {

// CMake defines TAHOMA_VERSION for this file only, so that a new commit recompiles nothing else.
const char* version() { return TAHOMA_VERSION; }
const char* commit() { return TAHOMA_COMMIT; }

}  // namespace tahoma::runtime
