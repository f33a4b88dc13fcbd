// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, int reason) {
  throw base::UserError("E-OUT-003", file.string(),
                        fmt::format("cannot be written: {}", std::strerror(reason)), base::ExitStatus::kHost);
}

bool put(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return fsync(descriptor) == 0;
}

}  // namespace

void write_whole(const std::filesystem::path& file, std::string_view bytes) {
  const std::string beside = file.string() + kPartial;
  const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) refuse(file, errno);
  const bool written = put(descriptor, bytes);
  const int reason = errno;
  close(descriptor);
  if (!written || std::rename(beside.c_str(), file.c_str()) != 0) {
    const int why = written ? errno : reason;
    unlink(beside.c_str());
    refuse(file, why);
  }
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

}  // namespace tahoma::runtime
