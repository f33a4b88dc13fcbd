// SPDX-License-Identifier: Apache-2.0
// A sequence whose first `Few` elements lie in the object itself: lists of axes are short, and tracing makes
// many of them for every instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace tahoma::runtime::nki {

template <class T, std::size_t Few>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  template <class Iterator>
  InlineVector(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  InlineVector(std::size_t count, const T& value) { assign(count, value); }

  T* data() { return many_.empty() ? few_.data() : many_.data(); }
  const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::reverse_iterator<const T*> rbegin() const { return std::reverse_iterator(end()); }
  std::reverse_iterator<const T*> rend() const { return std::reverse_iterator(begin()); }
  T& operator[](std::size_t n) { return data()[n]; }
  const T& operator[](std::size_t n) const { return data()[n]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { resize(0); }
  void pop_back() { resize(size_ - 1); }
  void push_back(const T& value) {
    const T copy = value;  // it may be an element
    resize(size_ + 1);
    back() = copy;
  }
  void assign(std::size_t count, const T& value) {
    clear();
    resize(count, value);
  }
  void resize(std::size_t size, const T& value = T{}) {
    if (many_.empty() && size > Few) many_.assign(few_.begin(), few_.begin() + size_);
    if (!many_.empty()) many_.resize(std::max(size, Few + 1));
    for (std::size_t n = size_; n < size; ++n) data()[n] = value;
    size_ = size;
  }
  T* insert(const T* at, const T& value) { return insert(at, std::size_t{1}, value); }
  T* insert(const T* at, std::size_t count, const T& value) {
    const std::ptrdiff_t place = at - data();
    const T copy = value;
    resize(size_ + count, copy);
    std::rotate(begin() + place, end() - static_cast<std::ptrdiff_t>(count), end());
    return begin() + place;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    const std::ptrdiff_t place = first - data();
    std::copy(last, static_cast<const T*>(end()), begin() + place);
    resize(size_ - static_cast<std::size_t>(last - first));
    return begin() + place;
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<T, Few> few_;  // unless `many_` has the elements
  std::vector<T> many_;     // once there have been more than `Few`
  std::size_t size_ = 0;
};

}  // namespace tahoma::runtime::nki
