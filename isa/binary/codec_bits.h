// SPDX-License-Identifier: Apache-2.0
// A 64-byte word as a stream of bit fields, lowest bit of byte 0 first. The writer and the reader have the
// same interface, so one function template defines the layout for both directions. Errors carry no location;
// the caller that holds the word adds it.
#pragma once

#include <bit>
#include <limits>
#include <string>
#include <type_traits>

#include "isa/binary/codec.h"
#include "isa/core/program_error.h"
#include "isa/table/table_names.h"

namespace tahoma::isa {

class BitWriter {
 public:
  // Throws E-BIN-010 if `value` does not fit: silently truncating an address would make the program wrong.
  template <class Integer>
  void number(const Integer& value, unsigned bits) {
    const auto raw = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Integer>>(value));
    if (bits < 64 && (raw >> bits) != 0)
      throw ProgramError("E-BIN-010", "",
                         "value " + std::to_string(value) + " does not fit its " + std::to_string(bits) +
                             " bits of the word");
    put(raw, bits);
  }
  template <class Enum>
  void enumerator(const Enum& value, unsigned bits) {
    number(static_cast<std::uint8_t>(value), bits);
  }
  // Handles an enumerator whose bit patterns are all legal or are checked by the caller.
  template <class Enum>
  void kind(const Enum& value, unsigned bits) {
    enumerator(value, bits);
  }
  void flag(const bool& value) { put(value ? 1 : 0, 1); }
  void below(std::uint64_t, std::uint64_t) {}
  // Throws E-BIN-010 for a value that the encoding has no pattern for.
  void fits(std::uint64_t value, bool has_pattern) {
    if (!has_pattern)
      throw ProgramError("E-BIN-010", "", "value " + std::to_string(value) + " has no pattern in the word");
  }
  template <class Value>
  void set(const Value&, const Value&) {}
  void real(const float& value) { put(std::bit_cast<std::uint32_t>(value), 32); }
  void unused(unsigned bits) { put(0, bits); }
  void rest_unused() {}
  const Word& word() const { return word_; }

 private:
  void put(std::uint64_t value, unsigned bits) {
    while (bits > 0) {
      const unsigned room = 8 - at_ % 8, taken = bits < room ? bits : room;
      const auto piece = static_cast<unsigned>(value & ((1U << taken) - 1)) << (at_ % 8);
      word_[at_ / 8] |= static_cast<std::byte>(piece);
      value >>= taken;
      bits -= taken;
      at_ += taken;
    }
  }

  Word word_{};
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const Word& word) : word_(word) {}

  template <class Integer>
  void number(Integer& value, unsigned bits) {
    value = static_cast<Integer>(take(bits));
  }
  // Throws E-BIN-008 for a pattern that matches no enumerator.
  template <class Enum>
  void enumerator(Enum& value, unsigned bits) {
    value = static_cast<Enum>(take(bits));
    if (!is_enumerator(value))
      throw ProgramError("E-BIN-008", "",
                         "value " + std::to_string(static_cast<unsigned>(value)) + " ending at bit " +
                             std::to_string(at_) + " has no meaning; expected 0.." +
                             std::to_string(kEnumeratorCount<Enum> - 1));
  }
  template <class Enum>
  void kind(Enum& value, unsigned bits) {
    value = static_cast<Enum>(take(bits));
  }
  void flag(bool& value) { value = take(1) != 0; }
  // Throws E-BIN-008 for a pattern without a meaning.
  void below(std::uint64_t value, std::uint64_t end) {
    if (value >= end)
      throw ProgramError("E-BIN-008", "",
                         "value " + std::to_string(value) + " ending at bit " + std::to_string(at_) +
                             " has no meaning; expected below " + std::to_string(end));
  }
  void fits(std::uint64_t, bool) {}
  template <class Value>
  void set(Value& target, const Value& value) {
    target = value;
  }
  void real(float& value) { value = std::bit_cast<float>(static_cast<std::uint32_t>(take(32))); }
  // Throws E-BIN-009 if bits that no field owns are set.
  void unused(unsigned bits) {
    const unsigned first = at_;
    if (take(bits) != 0)
      throw ProgramError("E-BIN-009", "",
                         "unused bits " + std::to_string(first) + ".." + std::to_string(at_ - 1) +
                             " of the word are set; expected zeros");
  }
  void rest_unused() {
    constexpr unsigned kEnd = 8 * static_cast<unsigned>(sizeof(Word));
    while (at_ < kEnd) unused(kEnd - at_ < 64 ? kEnd - at_ : 64);
  }

 private:
  std::uint64_t take(unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < bits;) {
      const unsigned room = 8 - at_ % 8, taken = bits - done < room ? bits - done : room;
      const unsigned piece = (std::to_integer<unsigned>(word_[at_ / 8]) >> (at_ % 8)) & ((1U << taken) - 1);
      value |= std::uint64_t{piece} << done;
      done += taken;
      at_ += taken;
    }
    return value;
  }

  const Word& word_;
  unsigned at_ = 0;
};

}  // namespace tahoma::isa
