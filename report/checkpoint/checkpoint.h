// SPDX-License-Identifier: Apache-2.0
// One array of values taken from a run, and its origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "isa/core/instruction.h"
#include "model/base/units.h"

namespace tahoma::runtime {

struct Checkpoint {
  enum class Kind : std::uint8_t { kResult, kTile, kTensor };
  struct Executed {  // the instruction that produced a result
    isa::Queue queue = isa::Queue::kSync;
    std::uint32_t index = 0;       // in the queue's stream
    std::uint32_t occurrence = 1;  // number of this execution, from 1
    std::string text;              // as assembler text
  };

  std::string name;  // "core0.vector[12]", "core0.out@attention#2": report/checkpoint/dump_request.h
  Kind kind = Kind::kResult;
  std::uint32_t core = 0;
  std::string instance;  // "server0.chip00.core0"
  std::optional<Executed> instruction;
  std::string memory;  // "sbuf[0, 0x400]:fp32", "hbm[0x100]:bf16"
  std::string tile;    // of a result: the named tensor or tile that contains it; "" if there is none
  std::string region;  // region of the instruction
  base::Time time{0};  // start of the instruction; for tensors and tiles, when they were taken
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;  // dense, row-major

  // Orders by simulated time, then by instance; within an instance, instructions come first.
  auto order() const {
    const Executed none{static_cast<isa::Queue>(isa::kQueueCount), 0, 0, ""};
    const Executed& e = instruction ? *instruction : none;
    return std::tuple(time.fs, core, static_cast<unsigned>(e.queue), e.index, e.occurrence);
  }
};

}  // namespace tahoma::runtime
