// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/mapping_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::model::dram {
namespace {

using Bits = MappingText::Bits;

constexpr const char* kBlank = " \t\r\n";

std::string trimmed(std::string_view text) { return std::string(base::trimmed(text, kBlank)); }

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

class Reader {
 public:
  Reader(const std::vector<MappingField>& fields, const std::string& where)
      : fields_(fields), where_(where) {}

  MappingText read(const std::string& expression) {
    const std::vector<std::string> parts = split(expression, ";");
    MappingText text;
    for (const std::string& slice : split(parts.front(), kBlank)) {
      if (slice.empty()) continue;
      const Bits bits = bits_of(slice, std::nullopt);
      text.slices.insert(text.slices.begin(), bits.begin(), bits.end());
    }
    check_slices(text.slices);
    for (std::size_t n = 1; n < parts.size(); ++n) text.xors.push_back(read_xor(parts[n]));
    return text;
  }

 private:
  using Width = std::optional<std::size_t>;  // maximum width of `field[low+]`, where that form is allowed
  static constexpr std::size_t kMostBits = 64;

  [[noreturn]] void refuse(const char* code, const std::string& message) const {
    throw base::UserError(code, where_, message);
  }
  [[noreturn]] void refuse_syntax(const std::string& text) const {
    refuse("E-CFG-030", fmt::format("'{}' is not a slice 'field', 'field[bit]' or 'field[high:low]'", text));
  }

  const MappingField& field_of(const std::string& name) const {
    std::vector<std::string> names;
    for (const MappingField& field : fields_) {
      if (field.name == name) return field;
      names.push_back(field.name);
    }
    refuse("E-CFG-031", fmt::format("unknown field '{}'{}; expected one of {}", name,
                                    base::did_you_mean(name, names), fmt::join(names, ", ")));
  }

  unsigned number(const std::string& text, const std::string& slice) const {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) refuse_syntax(slice);
    return value;
  }

  // Returns the bits of a slice, lowest first.
  Bits bits_of(const std::string& slice, Width width) const {
    const std::size_t bracket = std::min(slice.find('['), slice.size());
    const MappingField& field = field_of(slice.substr(0, bracket));
    if (bracket == slice.size()) return run_of(field, 0, field.width, slice);
    if (slice.back() != ']') refuse_syntax(slice);
    const std::string inside = slice.substr(bracket + 1, slice.size() - bracket - 2);
    if (inside.ends_with('+')) {
      if (!width) refuse("E-CFG-030", fmt::format("'{}': '+' is allowed only with '^='", slice));
      const unsigned low = std::min(number(inside.substr(0, inside.size() - 1), slice), field.width);
      return run_of(field, low, std::min<std::size_t>(*width, field.width - low), slice);
    }
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    const unsigned high = number(inside.substr(0, colon), slice);
    const unsigned low = colon == inside.size() ? high : number(inside.substr(colon + 1), slice);
    if (low > high) refuse("E-CFG-030", fmt::format("'{}': the higher bit comes first", slice));
    return run_of(field, low, std::size_t{high} - low + 1, slice);
  }

  Bits run_of(const MappingField& field, unsigned low, std::size_t count, const std::string& slice) const {
    if (low + count > field.width && count > 0)
      refuse("E-CFG-032", fmt::format("'{}': {} has {}", slice, field.name,
                                      field.width == 0   ? "a single value and no bits"
                                      : field.width == 1 ? "one bit, 0"
                                                         : fmt::format("bits 0 to {}", field.width - 1)));
    Bits bits(count);
    std::iota(bits.begin(), bits.end(), field.low + low);
    return bits;
  }

  MappingText::Xor read_xor(const std::string& text) const {
    const std::size_t sign = text.find("^=");
    if (sign == std::string::npos)
      refuse("E-CFG-030", fmt::format("'{}' is not an XOR 'field ^= field[high:low]'", text));
    const std::string left = trimmed(text.substr(0, sign)), right = trimmed(text.substr(sign + 2));
    MappingText::Xor x{text, bits_of(left, kMostBits), {}};
    x.source = bits_of(right, x.target.size());
    if (left.ends_with("+]") || right.ends_with("+]"))
      x.target.resize(std::min(x.target.size(), x.source.size()));
    if (x.source.size() != x.target.size())
      refuse("E-CFG-034", fmt::format("'{}': {} bits on the left, {} on the right", text, x.target.size(),
                                      x.source.size()));
    return x;
  }

  void check_slices(const Bits& slices) const {
    for (const MappingField& field : fields_) {
      for (unsigned bit = field.low; bit < field.low + field.width; ++bit) {
        const auto times = std::count(slices.begin(), slices.end(), bit);
        if (times != 1)
          refuse("E-CFG-033",
                 fmt::format("{} {}; every bit of a field must appear in exactly one slice",
                             name_of_bit(bit, fields_), times == 0 ? "is missing" : "appears twice"));
      }
    }
  }

  const std::vector<MappingField>& fields_;
  const std::string& where_;
};

}  // namespace

MappingText read_mapping(const std::string& expression, const std::vector<MappingField>& fields,
                         const std::string& where) {
  return Reader(fields, where).read(expression);
}

std::string name_of_bit(unsigned bit, const std::vector<MappingField>& fields) {
  const auto field = std::find_if(fields.begin(), fields.end(), [bit](const MappingField& f) {
    return f.low <= bit && bit < f.low + f.width;
  });
  TAHOMA_INVARIANT(field != fields.end(), "bit " + std::to_string(bit) + " belongs to no field");
  return fmt::format("{}[{}]", field->name, bit - field->low);
}

}  // namespace tahoma::model::dram
