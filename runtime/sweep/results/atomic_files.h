// SPDX-License-Identifier: Apache-2.0
// Files of a sweep that are whole or not there, whatever kills the process in between.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tahoma::runtime {

// What the name of an unfinished file ends with. Whoever is killed may leave one; the next to write takes its
// place.
inline constexpr const char* kPartial = ".partial";

// Beside its final name, onto the disk, then renamed; one writer at a time. Throws UserError E-OUT-003 at the
// file.
void write_whole(const std::filesystem::path& file, std::string_view bytes);

// "" if there is no such file.
std::string text_of_file(const std::filesystem::path& file);

}  // namespace tahoma::runtime
