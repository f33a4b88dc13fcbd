// SPDX-License-Identifier: Apache-2.0
// Files that people give in the place of the one that they mean, by their first bytes; and text files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tahoma::runtime {

// Names the format of a file that begins so: "a Git LFS pointer: 'git lfs pull' fetches the file that it
// stands for"; "" if that is unknown, as it is of text in UTF-8. 64 bytes are enough.
std::string known_format(std::string_view begin);

// Returns the bytes of `path` as text: without the byte order mark that some editors put before UTF-8.
// UserError E-RUN-002 for a known format.
std::string as_text(std::string bytes, const std::string& path);

// "-" as the name of a file is standard input. It is read once; later reads return the same.
inline constexpr std::string_view kStandardInput = "-";
// The name in messages: "standard input" of "-".
std::string name_of_file(const std::string& path);

// Returns the whole file as text, or its first `most` bytes. E-RUN-001 if it cannot be read.
std::string read_text(const std::string& path, std::size_t most = SIZE_MAX);

}  // namespace tahoma::runtime
