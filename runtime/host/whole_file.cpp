// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string read_file(const std::string& path, std::size_t most) {
  const auto refuse = [&](int reason) {
    throw UserError("E-RUN-001", path, fmt::format("cannot read the file: {}", std::strerror(reason)));
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(errno);
  std::string bytes, chunk(1 << 16, '\0');
  while (const std::size_t got =
             std::fread(chunk.data(), 1, std::min(chunk.size(), most - bytes.size()), file.get()))
    bytes.append(chunk, 0, got);
  if (std::ferror(file.get()) != 0) refuse(errno);
  return bytes;
}

int replace_file(const std::string& partial, const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return errno;
  const bool written = write_all(descriptor, bytes) && fsync(descriptor) == 0;
  const int reason = errno;
  close(descriptor);
  if (written && std::rename(partial.c_str(), path.c_str()) == 0) return 0;
  const int why = written ? errno : reason;
  unlink(partial.c_str());
  return why;
}

void write_file(const std::string& path, std::string_view bytes) {
  const int reason = replace_file(fmt::format("{}.partial-{}", path, getpid()), path, bytes);
  if (reason != 0)
    throw UserError("E-OUT-003", path, fmt::format("cannot write the file: {}", std::strerror(reason)));
}

}  // namespace tahoma::runtime
