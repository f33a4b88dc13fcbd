// SPDX-License-Identifier: Apache-2.0
// A queue on a ring of memory that grows when it is full and never shrinks: pushes and pops do not allocate,
// and accesses stay local. As long as it holds no more than `Inside`, a power of two or none, the ring is
// part of the object.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace tahoma::sim {

template <class T, std::size_t Inside = 0>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t n) { return ring()[(head_ + n) & (room() - 1)]; }  // 0: the oldest
  const T& operator[](std::size_t n) const { return ring()[(head_ + n) & (room() - 1)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& push(T value) {
    if (size_ == room()) grow();
    ++size_;
    return back() = std::move(value);
  }
  void pop() {
    --size_;
    head_ = size_ == 0 ? 0 : (head_ + 1) & (room() - 1);
  }

 private:
  std::size_t room() const { return more_.empty() ? Inside : more_.size(); }
  T* ring() { return more_.empty() ? inside_.data() : more_.data(); }
  const T* ring() const { return more_.empty() ? inside_.data() : more_.data(); }
  void grow() {
    std::vector<T> larger(room() == 0 ? 2 : 2 * room());
    for (std::size_t n = 0; n < size_; ++n) larger[n] = std::move((*this)[n]);
    more_ = std::move(larger);
    head_ = 0;
  }
  std::array<T, Inside> inside_{};
  std::vector<T> more_;  // the ring once it has grown
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace tahoma::sim
