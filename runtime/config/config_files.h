// SPDX-License-Identifier: Apache-2.0
// Where configuration files are found and how they are read. A name is looked for beside the file that
// mentions it (on the command line: in the working directory), then among the presets: in the folder that
// TAHOMA_CONFIGS names, in share/tahoma/configs beside the executable's folder, and in the source tree that
// this build came from. The suffix .yaml may be left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/base/config_loader.h"

namespace tahoma::runtime {

// The text of a file, of which no more is read than a configuration may have. E-RUN-001 with the system's
// reason.
base::NamedText read_config_text(const std::filesystem::path& path);

// The folders of presets that exist, in the order in which they are searched.
std::vector<std::filesystem::path> preset_directories();
// Names of all presets, sorted.
std::vector<std::string> preset_names();

// The first file called `name`, or "" if there is none.
std::filesystem::path find_config(const std::string& name, const std::filesystem::path& beside);

// The machine `name`, a preset or a file; or E-CFG-021 at `place`, with the nearest preset.
std::string find_machine(const std::string& name, const std::filesystem::path& beside,
                         const std::string& place);

// Follows `extends:`. Throws E-CFG-016 without a place when there is no such file.
base::NamedText read_extended(const std::string& name, const std::string& extended_by);

}  // namespace tahoma::runtime
