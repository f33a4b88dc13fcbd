// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to name a binary or a configuration in the manifest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tahoma::runtime {

class Sha256 {
 public:
  void add(std::string_view bytes);
  std::string hex();  // ends the message: call once

 private:
  void block(const unsigned char* data);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string sha256_of(std::string_view bytes);
std::string sha256_of_file(const std::string& path);  // "" if the file cannot be read

}  // namespace tahoma::runtime
