// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tahoma::runtime {

// Returns the whole file, or its first `most` bytes. E-RUN-001 with the system's error message.
std::string read_file(const std::string& path, std::size_t most = SIZE_MAX);
// Atomic: an existing file keeps its contents until the new ones are complete. E-OUT-003.
void write_file(const std::string& path, std::string_view bytes);
// As write_file, through the temporary name `partial`, which no other writer may use at the same
// time: the contents are flushed to disk, then renamed. Returns 0, or the system's error number;
// then `partial` is removed.
int replace_file(const std::string& partial, const std::string& path, std::string_view bytes);

// To an open file or pipe. False with errno.
bool write_all(int descriptor, std::string_view bytes);

}  // namespace tahoma::runtime
