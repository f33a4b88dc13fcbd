// SPDX-License-Identifier: Apache-2.0
// Compression by zlib, in the format of its compress(): what SQLite's archives (sqlar) hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tahoma::runtime {

std::string deflated(std::string_view bytes);

// The `size` bytes that `packed` stands for; none if it is damaged or stands for another number of bytes.
std::optional<std::string> inflated(std::string_view packed, std::size_t size);

}  // namespace tahoma::runtime
