// SPDX-License-Identifier: Apache-2.0
// Two kinds of error. A UserError reports a user's mistake with a stable code, the location and what was
// expected. An invariant reports a defect of Tahoma; it is enabled in every build and prints the instance,
// the simulated time and the last events. Only main() exits.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tahoma::base {

enum class ExitStatus : int {
  kOk = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kProgram = 3,
  kNoProgress = 4,
  kInvariant = 5,
  kHost = 6
};

class UserError : public std::runtime_error {
 public:
  // what() is "place: error[code]: message".
  UserError(std::string error_code, std::string where, const std::string& text,
            ExitStatus exit = ExitStatus::kUsage)
      : std::runtime_error((where.empty() ? "" : where + ": ") + "error[" + error_code + "]: " + text),
        code(std::move(error_code)),
        place(std::move(where)),
        message(text),
        status(exit) {}
  std::string code, place, message;
  ExitStatus status;
};

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Returns the candidate nearest to `name` (edit distance at most a third of its length, at least 1; else a
// word of it), or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
// " (did you mean 'x'?)" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

[[noreturn]] void fail_invariant(const char* condition, const char* file, int line,
                                 const std::string& detail);

}  // namespace tahoma::base

// Enabled in every build. `detail` is a std::string that names the instance and the values involved.
#define TAHOMA_INVARIANT(condition, detail)                                                   \
  do {                                                                                        \
    if (!(condition)) ::tahoma::base::fail_invariant(#condition, __FILE__, __LINE__, detail); \
  } while (false)
