// SPDX-License-Identifier: Apache-2.0
// Reads a preset with a single root: a price list, or the card of an accelerator. The file may have the key
// `extends:` with another preset of its kind.
//
// UserError: the rules' own codes if no preset has the name, or if a required key is missing; E-CFG-002 for a
// key beside the root. Errors of keys, numbers and ranges have the codes of model/base/error_codes.md and
// name the line.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/config_files.h"

namespace tahoma::runtime {

struct PresetRules {
  PresetKind kind;
  const char* root;                   // the only key at the top level
  const char* noun;                   // "price list"
  const char* option;                 // of the command line, which names presets
  std::vector<const char*> required;  // keys below the root
  const char* unknown_code;           // no such preset
  const char* missing_code;           // a required key is missing
};

// `name`: a shipped preset or a path.
base::FlatConfig read_preset(const PresetRules& rules, const std::string& name);

// Throws `code` at the leaf `path` unless its text is a date such as 2026-01-31.
void require_date(const base::FlatConfig& config, const std::string& path, const char* code);

}  // namespace tahoma::runtime
