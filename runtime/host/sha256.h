// SPDX-License-Identifier: Apache-2.0
// SHA-256 by OpenSSL in hexadecimal digits; it identifies a binary, a configuration or a tensor.
#pragma once

#include <string>
#include <string_view>

namespace tahoma::runtime {

std::string sha256_of(std::string_view bytes);
std::string sha256_of_file(const std::string& path);  // "" if the file cannot be read

}  // namespace tahoma::runtime
