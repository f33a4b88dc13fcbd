// SPDX-License-Identifier: Apache-2.0
// The untimed half of an engine's sequencer: program counter, 64 registers of 32 bits, branches, and
// register-relative addresses. The enclosing engine determines the times.
//
// In timing mode a register may be unknown, because it was loaded from memory whose values are not computed.
// Arithmetic propagates this. Registers that control flow or an address depends on must be known; otherwise
// ProgramError E-RUN-052 names the instruction and the load that the register comes from.
#pragma once

#include <string>

#include "isa/core/program.h"
#include "isa/table/access.h"
#include "model/engine/dma/transfer/transfer_values.h"

namespace tahoma::model {

using Arguments = std::array<std::uint64_t, isa::kArguments>;

class Sequencer {
 public:
  struct Place {
    std::string path;  // of the engine, for errors
    isa::Queue queue;
    std::uint32_t chip;
    bool functional;
  };
  explicit Sequencer(Place place) : place_(std::move(place)) {}

  void load(const isa::Program& program, const Arguments& arguments);
  const isa::Program* program() const { return program_; }
  const isa::Stream& stream() const { return stream_; }
  bool done() const { return pc_ == stream_.size(); }
  std::size_t pc() const { return pc_; }
  const isa::Instruction& current() const { return stream()[pc_]; }
  // "server0.chip00.core0.sync[3] branch"
  std::string where(std::size_t index) const;

  std::int64_t reg(std::uint8_t r) const { return registers_[r].value; }
  std::int64_t wait_value(const isa::Wait& wait) const;  // value that the semaphore is compared with
  std::uint64_t argument(std::uint8_t a) const { return (*arguments_)[a]; }

  // Executes register operations, loads and stores; other instructions have no effect. Words outside their
  // memory raise E-RUN-042 and E-RUN-044; words on another chip raise E-RUN-040.
  void execute(const isa::Instruction& i, const CoreMemories& memories);
  // Takes a jump or branch, or advances to the next instruction.
  void advance(const isa::Instruction& i) { pc_ = successor(i); }
  // Returns the instruction to which `advance` goes.
  std::size_t successor(const isa::Instruction& i) const;

  // Returns the instruction with registers added to its tiles' offsets. Throws E-RUN-044 for a tile that is
  // outside SBUF or PSUM or not aligned.
  isa::Instruction resolve(const isa::Instruction& i, const CoreMemories& memories) const;
  // Returns the access of a reg_load or reg_store.
  isa::OperandAccess word_access(const isa::Instruction& i) const;
  // Resolves the sources, addresses and rows of a transfer. Rows out of bounds, whether numbers or a register
  // select them, raise E-RUN-043 unless skipped. Unknown row numbers raise E-RUN-053.
  TransferRequest request(const isa::Instruction& i, const CoreMemories& memories) const;

 private:
  struct Register {
    std::int32_t value = 0;
    std::uint32_t from = 0;  // if unknown: index of the load that it comes from, plus 1
  };
  struct Word;

  std::int64_t need(std::uint8_t r, const char* what) const;
  std::int64_t offset(std::uint8_t r) const;  // 0 for none
  void alu(const isa::Instruction& i);
  Word word(const isa::DmaSide& side, std::uint8_t offset_register, const CoreMemories& memories) const;
  void load_word(const isa::Instruction& i, const CoreMemories& memories);
  void store_word(const isa::Instruction& i, const CoreMemories& memories) const;
  void shift(isa::Tile& tile, const char* name, std::uint8_t r, const isa::Shape& shape,
             const CoreMemories& memories) const;
  std::uint64_t address(const isa::DmaSide& side, std::uint8_t offset_register) const;
  std::vector<isa::IndirectRow> rows(const isa::Instruction& i, const CoreMemories& memories) const;
  void bound_rows(const isa::Instruction& i, TransferRequest& request) const;
  std::string text(std::size_t index) const;  // "sync[2] reg_load d=r3 src=x:int32"
  [[noreturn]] void fail(const char* code, const std::string& message) const;

  Place place_;
  const isa::Program* program_ = nullptr;
  isa::Stream stream_;  // of its queue
  const Arguments* arguments_ = nullptr;
  std::size_t pc_ = 0;
  std::array<Register, isa::kRegisters> registers_{};
};

}  // namespace tahoma::model
