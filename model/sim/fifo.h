// SPDX-License-Identifier: Apache-2.0
// A queue on a ring of memory that grows when it is full and never shrinks: no allocation while things come
// and go, and what it touches stays close together.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tahoma::sim {

template <class T>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t n) { return ring_[(head_ + n) & (ring_.size() - 1)]; }  // 0: the oldest
  const T& operator[](std::size_t n) const { return ring_[(head_ + n) & (ring_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& push(T value) {
    if (size_ == ring_.size()) grow();
    ++size_;
    return back() = std::move(value);
  }
  void pop() {
    --size_;
    head_ = size_ == 0 ? 0 : (head_ + 1) & (ring_.size() - 1);
  }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 2 : 2 * ring_.size());
    for (std::size_t n = 0; n < size_; ++n) larger[n] = std::move((*this)[n]);
    ring_ = std::move(larger);
    head_ = 0;
  }
  std::vector<T> ring_;  // of a power of two
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace tahoma::sim
