// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/npy_header.h"

#include <fmt/format.h>

#include <set>

#include "model/base/error.h"

namespace tahoma::runtime {

std::string npy_place(const std::string& path, std::size_t byte) {
  return fmt::format("{}:byte {}", path, byte);
}

namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t offset, const std::string& path)
      : text_(text), offset_(offset), path_(path) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::size_t key_at = at_;
      const std::string key = quoted();
      if (!seen.insert(key).second) refuse(key_at, fmt::format("the key '{}' appears twice", key));
      expect(':');
      value_of(key, key_at, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (!seen.contains(key)) refuse(at_, fmt::format("the key '{}' is missing", key));
    skip_blanks();
    if (at_ != text_.size()) refuse(at_, "nothing may follow the header's closing brace");
    return header;
  }

 private:
  void value_of(const std::string& key, std::size_t key_at, NpyHeader& header) {
    skip_blanks();
    if (key == "descr") {
      header.descr_at = offset_ + at_;
      header.descr = quoted();
    } else if (key == "fortran_order") {
      header.order_at = offset_ + at_;
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      refuse(key_at, fmt::format("unknown key '{}'{}", key,
                                 base::did_you_mean(key, {"descr", "fortran_order", "shape"})));
    }
  }

  std::string quoted() {
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      refuse(at_, "expected a quoted string");
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(at_, "the string is not closed");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    refuse(at_, "expected True or False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::uint64_t integer() {
    skip_blanks();
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (value > (UINT64_MAX - 9) / 10) refuse(start, "the dimension is too large");
      value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    if (at_ == start) refuse(start, "expected a dimension, a decimal integer");
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse(at_, fmt::format("expected '{}'", c));
  }

  [[noreturn]] void refuse(std::size_t at, const std::string& what) const {
    throw base::UserError("E-NPY-004", npy_place(path_, offset_ + at), "malformed .npy header: " + what);
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& path_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::size_t offset, const std::string& path) {
  return HeaderParser(text, offset, path).parse();
}

std::string format_npy_header(const std::string& descr, const std::vector<std::uint64_t>& shape) {
  std::string dims;
  for (const std::uint64_t n : shape) dims += fmt::format("{}, ", n);
  // A tuple of one element keeps its comma, longer ones lose the last: the format that NumPy prints.
  if (shape.size() == 1) dims.resize(dims.size() - 1);
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
}

}  // namespace tahoma::runtime
