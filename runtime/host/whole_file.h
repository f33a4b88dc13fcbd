// SPDX-License-Identifier: Apache-2.0
// Files that are read and written as a whole.
#pragma once

#include <string>
#include <string_view>

namespace tahoma::runtime {

// The whole file. E-RUN-001 with the system's reason.
std::string read_file(const std::string& path);
// All or nothing: a file that exists keeps its contents until the new ones are complete. E-OUT-003.
void write_file(const std::string& path, std::string_view bytes);
// The same by way of `partial`, a name that no other writer uses meanwhile: onto the disk, then renamed. 0,
// or the system's reason, and then nothing is left of it.
int replace_file(const std::string& partial, const std::string& path, std::string_view bytes);

}  // namespace tahoma::runtime
