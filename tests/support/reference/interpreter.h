// SPDX-License-Identifier: Apache-2.0
// Runs the programs of several cores without any notion of time. At every step it takes one of the possible
// actions at random (start an instruction whose wait is satisfied, move a transfer's values, count one of its
// 16 completions). The result of a program must not depend on the seed. Programs may loop and branch; the
// cores of a logical core do not synchronise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "isa/core/program.h"
#include "isa/semantics/semantics.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::tests {

class Interpreter {
 public:
  Interpreter(const model::MachineParams& machine, std::uint32_t seed);

  // Allocates HBM, one block per call; an address outside its block is an error of the program.
  std::uint64_t allocate(std::size_t bytes);
  std::byte* at(std::uint64_t address);

  void load(std::uint32_t core, std::shared_ptr<const isa::Program> program,
            std::vector<std::uint64_t> arguments);
  // Runs until every stream has ended and every transfer has landed. Throws std::runtime_error if no action
  // is possible.
  void run();

 private:
  struct Core {
    std::shared_ptr<const isa::Program> program;
    std::vector<std::uint64_t> arguments;
    std::array<std::size_t, isa::kQueueCount> next{};
    std::array<std::array<std::int32_t, isa::kRegisters>, isa::kQueueCount> registers{};
    std::array<std::int64_t, isa::kSemaphores> semaphores{};
    std::vector<std::byte> sbuf, psum;
    isa::Weights weights;
  };
  struct Transfer {
    std::uint32_t core;
    const isa::Instruction* instruction;
    std::byte* dst = nullptr;  // for sides in HBM
    std::vector<const std::byte*> src;
    std::vector<isa::IndirectRow> rows;
    unsigned to_read = 0, to_count = isa::kDmaEngines;  // engines whose completion is outstanding
    // the values move before the number of outstanding completions falls below this
    unsigned move_before = 1;
    bool moved = false;
  };
  using Registers = std::array<std::int32_t, isa::kRegisters>;
  bool satisfied(const Core& core, std::size_t queue, const isa::Wait& wait) const;
  void start(std::uint32_t core, std::size_t queue);
  void sequence(Core& core, std::size_t queue, const isa::Instruction& i);
  void ring(std::uint32_t core, const Registers& registers, const isa::Instruction& i);
  void advance(std::size_t transfer);
  void move(const Transfer& transfer);
  void tell(const Transfer& transfer, const isa::Update& update, int peer);
  std::byte* word(Core& core, const Registers& registers, const isa::Instruction& i);
  std::byte* host_bytes(std::uint64_t address, std::uint64_t bytes);
  std::byte* host_bytes(const Core& core, const isa::Descriptor& d, const isa::DmaSide& side,
                        std::int64_t offset, bool rows_by_number);
  isa::CoreView view(Core& core) const;

  model::MachineParams machine_;
  std::mt19937 random_;
  std::map<std::uint64_t, std::vector<std::byte>> hbm_;
  std::uint64_t next_address_ = 1 << 20;
  std::map<std::uint32_t, Core> cores_;
  std::vector<Transfer> transfers_;
};

}  // namespace tahoma::tests
