// SPDX-License-Identifier: Apache-2.0
// The parsed expression of an address mapping: which bit of a packed location each address bit maps to, and
// which bits are XORed afterwards. mapping.h defines the grammar and its meaning.
#pragma once

#include <string>
#include <vector>

namespace tahoma::model::dram {

// A field of a packed location: its bits are `low` to `low + width - 1` of the word.
struct MappingField {
  std::string name;
  unsigned low = 0, width = 0;
};

struct MappingText {
  using Bits = std::vector<unsigned>;  // of a packed location
  struct Xor {
    std::string text;
    Bits target, source;  // of equal length
  };
  Bits slices;  // target of each address bit above an access, lowest first
  std::vector<Xor> xors;
};

// Throws base::UserError at `where`: E-CFG-030 (syntax), 031 (field), 032 (bit), 033 (slices do not cover
// every bit once), 034 (widths).
MappingText read_mapping(const std::string& expression, const std::vector<MappingField>& fields,
                         const std::string& where);

// Formats a bit of a packed location as in the expression: "row[14]".
std::string name_of_bit(unsigned bit, const std::vector<MappingField>& fields);

}  // namespace tahoma::model::dram
