// SPDX-License-Identifier: Apache-2.0
// Random programs that keep every rule of the table and of the default machine, made from the rows of the
// table: what validate() must accept, and what binary and text form must carry. They need not end or make
// sense.
#pragma once

#include <cstdint>
#include <random>

#include "isa/table_fields.h"
#include "isa/validate.h"

namespace tahoma::tests {

class ProgramGenerator {
 public:
  explicit ProgramGenerator(std::uint64_t seed) : random_(seed) {}

  // `length` instructions in each of the seven streams, at most.
  isa::Program program(unsigned length);

  std::uint64_t below(std::uint64_t n) {
    return random_() % n;
  }  // the same on every host, unlike distributions
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  struct Context {
    isa::Program& program;
    isa::Queue queue;
    const isa::OpRow& row;
    isa::Instruction& i;
  };

  std::string name();
  std::uint8_t pick_bit(std::uint8_t mask);
  float real();
  unsigned partition_start(unsigned count);
  isa::Shape shape(std::uint64_t most_elements, unsigned most_partitions);

  isa::Instruction instruction(isa::Program& program, isa::Queue queue);
  const isa::OpRow& row_for(isa::Queue queue);
  void header(Context& c);
  void sizes(Context& c);
  void operand(Context& c, const isa::Field& field);
  std::int64_t lowest(const isa::Shape& s, const isa::Tile& t, std::int64_t& highest);
  isa::Tile tile(Context& c, const isa::Field& field);
  isa::Scalar scalar(Context& c);
  isa::DmaSide side(const isa::Program& program, const isa::Descriptor& d);
  void transfer(Context& c);

  std::mt19937_64 random_;
  isa::Limits limits_;
  bool loaded_ = false;
  unsigned rows_ = 0, columns_ = 0;
  bool wide_ = false;  // the loaded weights are fp32
};

}  // namespace tahoma::tests
