// SPDX-License-Identifier: Apache-2.0
// The expression of an address mapping, read: which bit of a packed place stands behind each address bit, and
// what is XORed then. Grammar and meaning are those of mapping.h.
#pragma once

#include <string>
#include <vector>

namespace tahoma::model::dram {

// A field of a packed place: its bits are `low` to `low + width - 1` of the word.
struct MappingField {
  std::string name;
  unsigned low = 0, width = 0;
};

struct MappingText {
  using Bits = std::vector<unsigned>;  // of a packed place
  struct Xor {
    std::string text;
    Bits target, source;  // equally many
  };
  Bits slices;  // behind each address bit above an access, from the lowest
  std::vector<Xor> xors;
};

// Throws base::UserError at `where`: E-CFG-030 (syntax), 031 (field), 032 (bit), 033 (slices are not every
// bit once), 034 (widths).
MappingText read_mapping(const std::string& expression, const std::vector<MappingField>& fields,
                         const std::string& where);

// "row[14]": a bit of a packed place as the expression has it.
std::string name_of_bit(unsigned bit, const std::vector<MappingField>& fields);

}  // namespace tahoma::model::dram
