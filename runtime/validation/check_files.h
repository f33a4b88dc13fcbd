// SPDX-License-Identifier: Apache-2.0
// What `tahoma check` finds to do: files with the key `accuracy` (runtime/validation/accuracy) and with the key `cases`
// (runtime/validation/regression).
//
// UserError beside those of the configuration loader: E-ACC-001, a folder without such a file.
#pragma once

#include <string>
#include <vector>

namespace tahoma::runtime {

enum class CheckKind { kAccuracy, kCases };

struct CheckFile {
  std::string path;
  CheckKind kind = CheckKind::kAccuracy;
  std::string name;  // of its folder below that of the results; "" where it is the only file
};

// The file itself, or every such file of the folder and the folders below it, by path. A file with neither
// key counts as one of `accuracy`, whose reader says what is missing.
std::vector<CheckFile> check_files(const std::string& path);

}  // namespace tahoma::runtime
