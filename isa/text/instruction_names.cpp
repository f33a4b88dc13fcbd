// SPDX-License-Identifier: Apache-2.0
#include "isa/text/instruction_names.h"

#include <algorithm>

#include "isa/core/program_error.h"

namespace tahoma::isa {
namespace {

constexpr std::string_view kPrefix = "nki.isa.";

bool implements(const OpRow& row, std::string_view function) {
  return !function.empty() && std::find(row.nki.begin(), row.nki.end(), function) != row.nki.end();
}

std::vector<std::string> legal_names(bool aliases) {
  std::vector<std::string> names;
  for (const OpRow& row : all_rows()) {
    if (!aliases) names.emplace_back(row.mnemonic);
    for (const std::string_view function : row.nki)
      if (aliases && !function.empty()) names.push_back(std::string(kPrefix) + std::string(function));
  }
  return names;
}

}  // namespace

std::string nki_names_of(const OpRow& row) {
  std::string text;
  for (const std::string_view function : row.nki)
    if (!function.empty()) text += (text.empty() ? "" : ", ") + std::string(kPrefix) + std::string(function);
  return text;
}

std::vector<const OpRow*> rows_by_name(std::string_view name) {
  if (const OpRow* row = row_by_mnemonic(name)) return {row};
  std::vector<const OpRow*> rows;
  if (!name.starts_with(kPrefix)) return rows;
  for (const OpRow& row : all_rows())
    if (implements(row, name.substr(kPrefix.size()))) rows.push_back(&row);
  return rows;
}

std::string unknown_instruction(std::string_view name) {
  const std::vector<std::string> names = legal_names(name.starts_with(kPrefix));
  const std::vector<std::string_view> legal(names.begin(), names.end());
  return "unknown instruction '" + std::string(name) + "'" + did_you_mean(name, legal) +
         "; `tahoma isa` lists them";
}

}  // namespace tahoma::isa
