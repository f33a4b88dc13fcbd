// SPDX-License-Identifier: Apache-2.0
// Files of a sweep that are complete or absent, even if the process is killed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tahoma::runtime {

// Suffix of an unfinished file. A killed process may leave one; the next writer replaces it.
inline constexpr const char* kPartial = ".partial";

// Writes next to the final name, flushes to disk and renames; one writer at a time. Throws UserError
// E-OUT-003 at the file.
void write_whole(const std::filesystem::path& file, std::string_view bytes);

// "" if there is no such file.
std::string text_of_file(const std::filesystem::path& file);

}  // namespace tahoma::runtime
