// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/subprocess.h"

namespace tahoma::tests {

// A file of a run by its path, which its folder may have on demand only.
inline std::string file_of_run(const std::filesystem::path& file) {
  return tahoma_in(".", {"export", file.parent_path().string(), file.filename().string(), "--to", "-"}).out;
}

}  // namespace tahoma::tests
