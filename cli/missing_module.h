// SPDX-License-Identifier: Apache-2.0
// A program that was built without a module (CMake's TAHOMA_MODULES) builds it when it is first used, by
// scripts/modules, and then starts again with the same arguments. Only the program build/tahoma of a checkout
// can do so. An installed program has all modules.
#pragma once

#include <string>
#include <string_view>

#include "model/base/module.h"

namespace tahoma::runtime {

// Does not return if the module can be built. Otherwise returns the error for the user.
std::string build_and_restart(const base::MissingModule& missing, const char* const* argv);

// Lets a program that starts again read standard input once more, from its beginning.
void offer_standard_input_again(std::string_view text);

}  // namespace tahoma::runtime
