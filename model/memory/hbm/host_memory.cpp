// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/host_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/base/error.h"

namespace tahoma::model {

HostMemory::~HostMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

std::byte* HostMemory::data() {
  std::byte* const reserved = data_.load(std::memory_order_acquire);
  return reserved != nullptr ? reserved : reserve();
}

std::byte* HostMemory::reserve() {
  const std::lock_guard lock(reserving_);
  if (data_ != nullptr) return data_;
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw base::UserError(
        "E-RUN-050", "host memory",
        fmt::format("cannot reserve {} MiB of address space: {}", bytes_ >> 20, std::strerror(errno)),
        base::ExitStatus::kHost);
  // Huge pages would commit 2 MiB for every tile row that is written.
  madvise(p, bytes_, MADV_NOHUGEPAGE);
  data_ = static_cast<std::byte*>(p);
  return data_;
}

void HostMemory::forget() {
  if (data_ != nullptr) madvise(data_, bytes_, MADV_DONTNEED);
}

void HostMemory::forget(std::uint64_t first, std::uint64_t bytes) {
  if (data_ == nullptr) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t from = (first + page - 1) / page * page, to = (first + bytes) / page * page;
  std::memset(data_ + first, 0, std::min(from, first + bytes) - first);
  if (to > from) madvise(data_ + from, to - from, MADV_DONTNEED);
  if (to >= from) std::memset(data_ + to, 0, first + bytes - to);
}

}  // namespace tahoma::model
