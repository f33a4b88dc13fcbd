// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files. Every output of the program goes through here or, as a part of a new folder,
// through OutputDir.
//
// E-OUT-003 is the error of a file that cannot be written. Its exit status says whether the name is wrong
// (kUsage) or the host ran out of something, such as space (kHost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "model/base/error.h"

namespace tahoma::runtime {

// Returns the whole file, or its first `most` bytes. E-RUN-001 with the system's error message.
std::string read_file(const std::string& path, std::size_t most = SIZE_MAX);

// Atomic: an existing file keeps its contents until the new ones are complete, and its permissions. Links are
// followed. What exists and is no regular file, such as a device or a FIFO, is written to, never replaced.
void write_file(const std::string& path, std::string_view bytes);
// As write_file, with a given name for the unfinished file. Only one writer may use it at a time; the file of
// a writer that was killed is overwritten.
void write_file_as(const std::string& path, const std::string& partial, std::string_view bytes);

// A new file in a folder that becomes visible when it is complete: the bytes of all parts in order.
void write_new_file(const std::string& path, std::initializer_list<std::string_view> parts);
// The same, for a caller that writes by itself. Returns a file descriptor.
int create_new_file(const std::string& path);

// The file that symbolic links lead to, which may be missing.
std::filesystem::path behind_links(const std::filesystem::path& path);

// To an open file or pipe. False with errno.
bool write_all(int descriptor, std::string_view bytes);

// `reason` is the system's error number of a call that creates or writes `path`.
base::ExitStatus status_of_write(int reason);
[[noreturn]] void refuse_write(const std::string& path, int reason);

}  // namespace tahoma::runtime
