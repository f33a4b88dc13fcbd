// SPDX-License-Identifier: Apache-2.0
// The message that a user reads if `action` is refused.
#pragma once

#include <string>

#include "model/base/error.h"

namespace tahoma::tests {

template <class Action>
std::string refusal_of(Action&& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

// The code of its error.
template <class Action>
std::string code_of(Action&& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.code;
  }
  return "none";
}

}  // namespace tahoma::tests
