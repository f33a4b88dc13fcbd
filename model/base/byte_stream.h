// SPDX-License-Identifier: Apache-2.0
// Values as bytes, for another process of the same program on a host of the same kind. A type is written as
// its bytes, as a sequence of its elements, or through fields(stream, value), which calls stream(member, ...)
// with what is to be written. Writer and reader share that function. statistics_fields() does this for
// everything that a struct declares (declared.h).
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"

namespace tahoma::base {

template <class Stream, class T>
concept HasFields = requires(Stream& stream, T& value) {
  fields(stream, value);
};

class ByteWriter {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  void copy(const std::byte* from, std::size_t bytes) { raw(from, bytes); }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (HasFields<ByteWriter, const T>) {
      fields(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(&value, sizeof(T));
    }
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  void put(const std::vector<std::byte>& bytes) {
    put(bytes.size());
    raw(bytes.data(), bytes.size());
  }
  void put(const std::string& text) {
    put(text.size());
    raw(text.data(), text.size());
  }
  void raw(const void* at, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(at);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }
  std::vector<std::byte> bytes_;
};

// The bytes must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(const std::vector<std::byte>& bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool empty() const { return at_ == end_; }
  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  void copy(std::byte* to, std::size_t bytes) { raw(to, bytes); }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (HasFields<ByteReader, T>) {
      fields(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(&value, sizeof(T));
    }
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(length());
    for (T& value : values) get(value);
  }
  void get(std::vector<std::byte>& bytes) {
    bytes.resize(length());
    raw(bytes.data(), bytes.size());
  }
  void get(std::string& text) {
    text.resize(length());
    raw(text.data(), text.size());
  }
  std::size_t length() {
    std::size_t size = 0;
    raw(&size, sizeof(size));
    return size;
  }
  void raw(void* to, std::size_t bytes) {
    TAHOMA_INVARIANT(bytes <= static_cast<std::size_t>(end_ - at_), "a message is shorter than its contents");
    if (bytes > 0) std::memcpy(to, at_, bytes);
    at_ += bytes;
  }
  const std::byte *at_, *end_;
};

namespace detail {

template <class Stream>
struct StatisticsStream {
  Stream& stream;
  template <class T, class Owner, class V>
  void operator()(const DeclaredCounter<Owner, V>& d, T& value) const {
    stream(value.*d.member);
  }
  template <class T, class Owner, class V, class K>
  void operator()(const DeclaredFamily<Owner, V, K>& d, T& value) const {
    stream(value.*d.member);
  }
  template <class T, class Owner, class P>
  void operator()(const DeclaredPart<Owner, P>& d, T& value) const {
    stream(value.*d.member);
  }
  template <class T, class Owner, class P>
  void operator()(const DeclaredTotals<Owner, P>& d, T& value) const {
    stream(value.*d.member);
  }
  template <class T, class Owner, class B>
  void operator()(const DeclaredBase<Owner, B>&, T& value) const {
    for_each_declaration<B>([&](const auto& declared) { (*this)(declared, value); });
  }
  template <class D, class T>
  void operator()(const D&, T&) const {}
};

}  // namespace detail

// Every counter, level and part that T declares, those of its base classes included.
template <class Stream, class T>
void statistics_fields(Stream& stream, T& value) {
  for_each_declaration<std::remove_const_t<T>>(
      [&](const auto& declared) { detail::StatisticsStream<Stream>{stream}(declared, value); });
}

}  // namespace tahoma::base
