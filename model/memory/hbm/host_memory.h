// SPDX-License-Identifier: Apache-2.0
// Host memory that backs a modelled memory. Address space is reserved at once, pages use no host memory until
// touched, and untouched bytes read as zero. Several threads may call data().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tahoma::model {

class HostMemory {
 public:
  explicit HostMemory(std::uint64_t bytes) : bytes_(bytes) {}
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  std::byte* data();  // reserves on first use; throws base::UserError E-RUN-050 (host) if the host refuses
  void forget();      // contents become zero, and the pages return to the host
  void forget(std::uint64_t first, std::uint64_t bytes);  // likewise, the pages that lie within a range
  std::uint64_t size() const { return bytes_; }

 private:
  std::byte* reserve();

  std::uint64_t bytes_;
  std::mutex reserving_;
  std::atomic<std::byte*> data_ = nullptr;
};

}  // namespace tahoma::model
