// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/validation_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "model/base/error.h"
#include "studies/validation/accuracy/suite.h"
#include "studies/validation/regression/case_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

std::optional<ValidationKind> kind_of(const std::string& file) {
  if (is_case_file(file)) return ValidationKind::kCases;
  if (is_suite(file)) return ValidationKind::kAccuracy;
  return std::nullopt;
}

// "hbm/bandwidth.yaml" becomes "hbm.bandwidth".
std::string name_of(const fs::path& relative) {
  std::string name = relative.parent_path() / relative.stem();
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

std::vector<ValidationFile> validation_files(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return {{path, kind_of(path).value_or(ValidationKind::kAccuracy), ""}};
  std::vector<ValidationFile> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() != ".yaml" || entry.is_directory()) continue;
    if (const auto kind = kind_of(entry.path().string()))
      files.push_back({entry.path().string(), *kind, name_of(entry.path().lexically_relative(path))});
  }
  if (files.empty())
    throw base::UserError("E-ACC-001", path, "no file in this folder has the key 'accuracy' or 'cases'");
  std::sort(files.begin(), files.end(),
            [](const ValidationFile& a, const ValidationFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tahoma::runtime
