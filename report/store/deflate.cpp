// SPDX-License-Identifier: Apache-2.0
#include "report/store/deflate.h"

#include <zlib.h>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

// deflate represents at most this many bytes by one; a larger size is that of a damaged file.
constexpr std::size_t kMostRatio = 1032;

const Bytef* zlib_bytes(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

}  // namespace

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, zlib_bytes(bytes), bytes.size(),
                             Z_DEFAULT_COMPRESSION);
  TAHOMA_INVARIANT(code == Z_OK, "zlib cannot compress");
  packed.resize(size);
  return packed;
}

std::optional<std::string> inflated(std::string_view packed, std::size_t size) {
  if (size / kMostRatio > packed.size()) return std::nullopt;
  std::string bytes(size, '\0');
  uLongf found = size;
  const int code =
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &found, zlib_bytes(packed), packed.size());
  if (code != Z_OK || found != size) return std::nullopt;
  return bytes;
}

}  // namespace tahoma::runtime
