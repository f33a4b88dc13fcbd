// SPDX-License-Identifier: Apache-2.0
// Bytes of the binary container (isa/binary/container.h), written and read in order: integers in little
// endian, and texts with their length before them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/binary/codec.h"
#include "isa/core/program_error.h"

namespace tahoma::isa {

// FNV-1a, 64 bits: it detects a flipped bit or a truncated copy, not an attack. It is part of the binary
// format, so no library's hash can replace it.
inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3;
  return hash;
}

class ByteWriter {
 public:
  template <class Integer>
  void integer(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      bytes_.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
  }
  void text(const std::string& text) {
    integer(static_cast<std::uint32_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> finish() {
    integer(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> raw(std::size_t count) {
    if (count > left())
      throw ProgramError("E-BIN-003", place(),
                         "the program ends here; expected " + std::to_string(count - left()) + " more bytes");
    const auto piece = bytes_.subspan(at_, count);
    at_ += count;
    return piece;
  }
  template <class Integer>
  Integer integer() {
    Integer value = 0;
    const auto piece = raw(sizeof(Integer));
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      value |= static_cast<Integer>(std::to_integer<Integer>(piece[i]) << (8 * i));
    return value;
  }
  std::string text() {
    const auto piece = raw(integer<std::uint32_t>());
    return std::string(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  template <class Decode>
  auto word(Decode decode_word, const std::string& what) {
    const std::string where = place();
    Word w;
    const auto piece = raw(w.size());
    std::copy(piece.begin(), piece.end(), w.begin());
    try {
      return decode_word(w);
    } catch (const ProgramError& e) {
      throw ProgramError(e.code, where + " (" + what + ")", e.message);
    }
  }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string place() const { return "byte " + std::to_string(at_); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace tahoma::isa
