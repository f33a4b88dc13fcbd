// SPDX-License-Identifier: Apache-2.0
// A lock between processes, held while the object lives. The system releases it when the process ends.
#pragma once

#include <filesystem>
#include <optional>

namespace tahoma::runtime {

class HostLock {
 public:
  // Waits for the lock of a file and creates the file if it is missing. Throws std::system_error.
  static HostLock of_file(const std::filesystem::path& file);
  // Returns nothing if another process holds the lock of the folder. On a file system without locks it always
  // succeeds.
  static std::optional<HostLock> of_folder(const std::filesystem::path& folder);

  ~HostLock();
  HostLock(HostLock&& other) noexcept;
  HostLock& operator=(HostLock&&) = delete;

 private:
  explicit HostLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace tahoma::runtime
