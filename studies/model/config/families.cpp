// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "model/base/error.h"
#include "studies/model/config/family_tables.h"

namespace tahoma::runtime {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// A near name is a suggestion only for a slip of one letter: architectures with other numbers differ.
std::string suggestion(const std::string& architecture, const std::vector<std::string>& known) {
  for (const std::string& name : known) {
    if (name.size() != architecture.size()) continue;
    std::size_t others = 0;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (!same_letter(name[i], architecture[i]))
        others += std::isdigit(static_cast<unsigned char>(name[i])) != 0 ? name.size() : 1;
    if (others <= 1) return fmt::format(" (did you mean '{}'?)", name);
  }
  return "";
}

}  // namespace

std::span<const ModelFamily> model_families() {
  static const std::vector<ModelFamily> all = [] {
    std::vector<ModelFamily> made;
    for (const auto& table : {dense_families(), mixture_families(), other_families()})
      made.insert(made.end(), table.begin(), table.end());
    return made;
  }();
  return all;
}

const ModelFamily& family_of(const std::string& architecture, const std::string& place) {
  std::vector<std::string> known;
  for (const ModelFamily& family : model_families()) {
    if (family.architecture == architecture) {
      if (family.refused != nullptr)
        throw base::UserError("E-HFC-002", place,
                              fmt::format("{} is not supported: {}", architecture, family.refused));
      return family;
    }
    if (family.refused == nullptr) known.emplace_back(family.architecture);
  }
  throw base::UserError("E-HFC-002", place,
                        fmt::format("unknown architecture '{}'{}; expected {}", architecture,
                                    suggestion(architecture, known), fmt::join(known, ", ")));
}

}  // namespace tahoma::runtime
