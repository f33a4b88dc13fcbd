// SPDX-License-Identifier: Apache-2.0
// Modules of the program: parts that the first command of the README does not need. CMake's TAHOMA_MODULES
// lists those that are built. The program builds another one when it is first used (cli/missing_module.h).
//
// A table that offers a function of a module names it as TAHOMA_MODULE_PART(module, function) of the
// generated header built_modules.h. The entry exists whether or not the module is built; a call without the
// module throws MissingModule.
#pragma once

#include <string>
#include <utility>

#include "model/base/error.h"

namespace tahoma::base {

// The user asked for a function of a module that is not built.
class MissingModule : public UserError {
 public:
  explicit MissingModule(const std::string& name)
      : UserError("E-MOD-001", "",
                  "this needs the module '" + name +
                      "', which is not built; build it with: scripts/modules " + name,
                  ExitStatus::kHost),
        module(name) {}
  std::string module;
};

template <class Result, class... Arguments>
class Part {
 public:
  Part(const char* module, Result (*function)(Arguments...)) : module_(module), function_(function) {}
  bool built() const { return function_ != nullptr; }
  Result operator()(Arguments... arguments) const {
    if (!built()) throw MissingModule(module_);
    return function_(std::forward<Arguments>(arguments)...);
  }

 private:
  const char* module_;
  Result (*function_)(Arguments...);  // null: the module is not built
};

}  // namespace tahoma::base
