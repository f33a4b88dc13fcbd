// SPDX-License-Identifier: Apache-2.0
#include "runtime/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string read_file(const std::string& path) {
  const auto refuse = [&](int reason) {
    throw UserError("E-RUN-001", path, fmt::format("cannot read the file: {}", std::strerror(reason)));
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(errno);
  std::string bytes, chunk(1 << 16, '\0');
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get()))
    bytes.append(chunk, 0, got);
  if (std::ferror(file.get()) != 0) refuse(errno);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string partial = fmt::format("{}.partial-{}", path, getpid());
  errno = 0;
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  std::remove(partial.c_str());
  throw UserError("E-OUT-003", path, fmt::format("cannot write the file: {}", std::strerror(reason)));
}

}  // namespace tahoma::runtime
