// SPDX-License-Identifier: Apache-2.0
// The version of Tahoma: that of the project, and the commit that was checked out when
// the build was configured.
#pragma once

namespace tahoma::runtime {

const char* version();
const char* commit();  // "" outside a git checkout

}  // namespace tahoma::runtime
