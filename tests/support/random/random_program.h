// SPDX-License-Identifier: Apache-2.0
// Random programs that keep every rule of the table and of the default machine, generated from the rows of
// the table. validate() must accept them, and binary and text form must preserve them, NaNs included (compare
// to_bytes(), not programs). They need not terminate or compute anything sensible.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "isa/table/table_fields.h"
#include "isa/validate/validate.h"

namespace tahoma::tests {

class ProgramGenerator {
 public:
  explicit ProgramGenerator(std::uint64_t seed) : random_(seed) {}

  // At most `length` instructions in each of the seven streams; a load_weights may be followed by a matmul
  // that uses it.
  isa::Program program(unsigned length);

  std::uint64_t below(std::uint64_t n) {
    return random_() % n;
  }  // the same on every host, unlike distributions
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  struct Context {
    isa::Program& program;
    isa::Queue queue;
    const isa::OpRow& row;
    isa::Instruction& i;
  };
  struct Weights {  // properties of a load that the following matmul or transpose depends on
    isa::Shape shape;
    unsigned row, column;
    isa::DType dtype;
    isa::MatmulMode mode;
  };

  template <class Mask>
  unsigned pick_bit(Mask mask) {
    for (;;) {
      const auto bit = static_cast<unsigned>(below(32));
      if ((static_cast<std::uint64_t>(mask) >> bit) & 1) return bit;
    }
  }
  template <class Enum>
  Enum pick() {
    return static_cast<Enum>(below(isa::kEnumeratorCount<Enum>));
  }
  std::uint8_t byte(std::uint64_t n) { return static_cast<std::uint8_t>(below(n)); }

  // random_program.cpp
  std::string name();
  const isa::OpRow& row_for(isa::Queue queue);
  isa::Opcode user_of_weights();
  isa::Instruction instruction(isa::Program& program, isa::Queue queue, const isa::OpRow& row);
  isa::Instruction any_instruction(isa::Program& program, isa::Queue queue, const isa::OpRow& row);
  void header(Context& c);
  void fix_up(Context& c);

  // random_shapes.cpp: shapes, and the numbers that determine operand sizes
  isa::Shape shape(std::uint64_t least, std::uint64_t most, unsigned most_partitions);
  void sizes(Context& c);
  void gather_sizes(Context& c);
  void load_sizes(Context& c);
  void use_sizes(Context& c);

  // random_operands.cpp: one reader of the row per type of slot
  void operand(Context& c, const isa::Field& field);
  void fill(Context& c, const isa::Field& field, isa::Tile& tile);
  void fill(Context& c, const isa::Field& field, isa::Scalar& scalar);
  void fill(Context& c, const isa::Field& field, isa::Column& column);
  void fill(Context& c, const isa::Field& field, isa::DmaSide& word);
  void fill(Context& c, const isa::Field& field, isa::AluOp& op);
  void fill(Context& c, const isa::Field& field, bool& flag);
  void fill(Context& c, const isa::Field& field, float& value);
  void fill(Context& c, const isa::Field& field, std::uint8_t& number);
  void fill(Context& c, const isa::Field& field, std::uint32_t& number);
  void fill(Context& c, const isa::Field& field, std::int32_t& number);
  void fill(Context& c, const isa::Field& field, std::uint16_t& columns);
  void fill(Context& c, const isa::Field& field, std::int16_t& distance);
  void fill(Context& c, const isa::Field& field, isa::Update& update);
  void fill(Context& c, const isa::Field& field, std::array<std::int16_t, isa::kFreeDims>& pattern);
  void fill(Context& c, const isa::Field& field, std::array<std::uint8_t, isa::kQuadrant>& mask);
  void fill(Context&, const isa::Field&, isa::Shape&) {}        // sizes()
  void fill(Context&, const isa::Field&, isa::MatmulMode&) {}   // sizes()
  void fill(Context&, const isa::Field&, isa::Indirection&) {}  // transfer()
  void fill(Context&, const isa::Field&, isa::Dge&) {}          // transfer()
  template <class Enum>
  requires std::is_enum_v<Enum>
  void fill(Context&, const isa::Field&, Enum& value) { value = pick<Enum>(); }
  float real();
  unsigned partition_start(const isa::OpRow& row, unsigned count);
  isa::DTypes dtypes_for(const Context& c, const isa::Field& field, const isa::Tile& tile);
  void place(isa::Tile& tile, const isa::Shape& s, bool in_one_bank);

  // random_transfers.cpp
  isa::DmaSide hbm_side(const isa::Program& program, isa::DType dtype);
  isa::DmaSide chip_side(const isa::Descriptor& d, isa::DType dtype, unsigned across);
  isa::DmaSide side(const isa::Program& program, const isa::Descriptor& d);
  isa::Descriptor descriptor(const isa::Program& program);
  void transfer(Context& c);
  bool indirect(Context& c);
  void several_sources(Context& c);
  void transposing(Context& c);

  std::mt19937_64 random_;
  isa::Limits limits_;
  std::optional<Weights> weights_;
  bool bitwise_ = false;  // the current instruction has bit operations on integers
};

}  // namespace tahoma::tests
