// SPDX-License-Identifier: Apache-2.0
// The groups of rules of validate(), each in its own file.
#pragma once

#include <string>
#include <vector>

#include "isa/core/program_error.h"
#include "isa/semantics/arithmetic/array_tiles.h"
#include "isa/table/table_fields.h"
#include "isa/validate/validate.h"

namespace tahoma::isa {

// One instruction under examination.
struct Site {
  const Program& program;
  const Limits& limits;
  Queue queue;
  std::size_t index;
  const Instruction& instruction;
  const OpRow& row;

  std::string place() const {
    return std::string(name_of(queue)) + "[" + std::to_string(index) + "] " + std::string(row.mnemonic);
  }
  [[noreturn]] void fail(const char* code, const std::string& text) const {
    throw ProgramError(code, place(), text);
  }
};

// Free dimensions of an access, with their strides in elements.
struct AccessPattern {
  std::span<const std::uint64_t> count;
  std::span<const std::int64_t> stride;
};
struct Extent {
  std::int64_t first = 0, last = 0;  // lowest and highest element reached, relative to the start
};
Extent extent_of(const AccessPattern& pattern);

// The position of an operand in an on-chip memory.
struct Area {
  std::string_view name;
  Space space;
  unsigned partition, partitions;
  std::int64_t first, last;  // bytes inside each partition, both included
};
void check_bytes(const Site& site, const Area& area);  // inside the memory and its usable part
void check_area(const Site& site, const Area& area);   // and where engines let partitions start

std::string quoted(std::string_view name);  // operand 'name'

template <class Enum, class Mask>
bool in(Enum value, Mask mask) {
  return is_enumerator(value) && ((mask >> static_cast<unsigned>(value)) & 1) != 0;
}
template <class Enum, class Mask>
std::string chosen_names(Mask mask) {
  std::string text;
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i)
    if ((mask >> i) & 1) text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Enum>(i)));
  return text;
}

// "" if `count` partitions may start at `first`, else the expected start: a multiple of the smallest tile
// (tile_size) that has as many.
std::string partition_start_rule(unsigned first, unsigned count, unsigned partitions);

void check_slots(const Site& site);             // only slots of the row are set
void check_kinds(const Site& site);             // enumerators, memories and dtypes
void check_available(const Site& site);         // the core has the instruction
void check_operand_versions(const Site& site);  // and its operands
void check_overlap(const Site& site);           // destinations do not overlap other operands
void check_references(const Site& site);        // registers, rings, arguments, targets
void check_transfer(const Site& site);          // the descriptors of a transfer
void check_operands(const Site& site);          // shapes and positions, with the following two
void check_array(const Site& site);             // rows, columns and modes of the tensor engine
void check_quads(const Site& site);             // operands of MXFP8
void check_row_rules(const Site& site);         // requirements of the row on shapes and between operands
void check_descriptor(const Descriptor& descriptor, std::size_t index, const Program& program,
                      const Limits& limits);

// Tracks the weights in the array along a stream. After a jump target, where paths join, only weights that
// are loaded later are known; a matmul that uses other weights is accepted.
class WeightTracker {
 public:
  explicit WeightTracker(const Stream& stream);
  void check(const Site& site);

 private:
  void load(const Site& site, const ArraySize& array);
  void use(const Site& site, const ArraySize& array) const;

  std::vector<bool> is_target_;
  bool all_known_ = true;  // the array contains only loaded_
  std::vector<Standing> loaded_;
};

}  // namespace tahoma::isa
