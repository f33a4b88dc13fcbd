// SPDX-License-Identifier: Apache-2.0
#include "report/files/folding_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

void add_files(const fs::path& folder, std::set<std::string>& names) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), folder).string());
}

}  // namespace

std::string folding_text(const model::Folding& folding) {
  const std::size_t chips = folding.representative.size(), simulated = folding.simulated();
  if (simulated < chips)
    return fmt::format("simulated {} of {} chips; the other {} are equal to them", simulated, chips,
                       chips - simulated);
  return folding.reason.empty() ? "" : fmt::format("simulated all {} chips: {}", chips, folding.reason);
}

std::vector<std::string> differing_files(const std::string& folder, const std::string& other) {
  std::set<std::string> names;
  add_files(folder, names);
  add_files(other, names);
  names.erase("manifest.json");
  std::vector<std::string> different;
  for (const std::string& name : names) {
    const fs::path a = fs::path(folder) / name, b = fs::path(other) / name;
    if (!fs::exists(a) || !fs::exists(b) || read_file(a.string()) != read_file(b.string()))
      different.push_back(name);
  }
  return different;
}

}  // namespace tahoma::runtime
