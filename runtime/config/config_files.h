// SPDX-License-Identifier: Apache-2.0
// Finds and reads configuration files. A name is looked up next to the file that mentions it (on the
// command line: in the working directory), then among the presets of its kind. Machines: in the folder that
// TAHOMA_CONFIGS names, in share/tahoma/configs of the installation that the program or the Python module is
// in, and in the source tree of this build. Price lists: the same with TAHOMA_PRICES and share/tahoma/prices;
// cards of accelerators: with TAHOMA_CARDS and share/tahoma/cards. The suffix .yaml is optional.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"

namespace tahoma::runtime {

// The text of a file, read no further than the size limit of a configuration. E-RUN-001 with the
// system's error message.
base::NamedText read_config_text(const std::filesystem::path& path);

// The path that leads from `folder` to the file that `path` names from the working directory. An absolute
// path is unchanged.
std::string path_from(const std::string& folder, const std::string& path);

enum class PresetKind : std::uint8_t { kMachine, kPrices, kCards };

// The preset folders that exist, in search order.
std::vector<std::filesystem::path> preset_directories(PresetKind kind = PresetKind::kMachine);
// Names of all presets, sorted.
std::vector<std::string> preset_names(PresetKind kind = PresetKind::kMachine);

// The first file called `name`, or "" if there is none.
std::filesystem::path find_config(const std::string& name, const std::filesystem::path& beside,
                                  PresetKind kind = PresetKind::kMachine);

// The machine `name`, a preset or a file; otherwise E-CFG-021 at `place`, with the nearest preset.
std::string find_machine(const std::string& name, const std::filesystem::path& beside,
                         const std::string& place);

// Resolves `extends:`. Throws E-CFG-016 without a place if there is no such file.
base::NamedText read_extended(const std::string& name, const std::string& extended_by);

}  // namespace tahoma::runtime
