// SPDX-License-Identifier: Apache-2.0
// Finds the files for `tahoma check`: files with the key `accuracy` (studies/validation/accuracy) and with
// the key `cases` (studies/validation/regression).
//
// UserError in addition to those of the configuration loader: E-ACC-001, a folder without such a file.
#pragma once

#include <string>
#include <vector>

namespace tahoma::runtime {

enum class ValidationKind { kAccuracy, kCases };

struct ValidationFile {
  std::string path;
  ValidationKind kind = ValidationKind::kAccuracy;
  std::string name;  // its subfolder in the folder of results; "" for a single file
};

// Returns the file itself, or every such file of the folder and its subfolders, by path. A file with neither
// key is treated as one of `accuracy`, whose reader reports what is missing.
std::vector<ValidationFile> validation_files(const std::string& path);

}  // namespace tahoma::runtime
