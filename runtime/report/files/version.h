// SPDX-License-Identifier: Apache-2.0
// Which Tahoma this is: the project's version, and the commit that was checked out when the build was
// configured.
#pragma once

namespace tahoma::runtime {

const char* version();
const char* commit();  // "" outside a git checkout

}  // namespace tahoma::runtime
