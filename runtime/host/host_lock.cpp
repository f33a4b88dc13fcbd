// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tahoma::runtime {

HostLock HostLock::of_file(const std::filesystem::path& file) {
  constexpr mode_t kMode = 0644;
  HostLock lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  const auto refuse = [&] { throw std::system_error(errno, std::generic_category(), file.string()); };
  if (lock.descriptor_ < 0) refuse();
  while (flock(lock.descriptor_, LOCK_EX) != 0)
    if (errno != EINTR) refuse();
  return lock;
}

std::optional<HostLock> HostLock::of_folder(const std::filesystem::path& folder) {
  HostLock lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  return lock;
}

HostLock::~HostLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

HostLock::HostLock(HostLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace tahoma::runtime
