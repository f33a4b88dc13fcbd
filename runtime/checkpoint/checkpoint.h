// SPDX-License-Identifier: Apache-2.0
// One array of values taken from a run, and what it is.
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
  struct Executed {  // the instruction whose result it is
    isa::Queue queue = isa::Queue::kSync;
    std::uint32_t index = 0;       // in the queue's stream
    std::uint32_t occurrence = 1;  // the how manieth time that it was executed
    std::string text;              // as assembler text
  };

  std::string name;  // "core0.vector[12]", "core0.out@attention#2": runtime/checkpoint/dump_request.h
  Kind kind = Kind::kResult;
  std::uint32_t core = 0;
  std::string instance;  // "server0.chip00.core0"
  std::optional<Executed> instruction;
  std::string memory;  // "sbuf[0, 0x400]:fp32", "hbm[0x100]:bf16"
  std::string tile;    // of a result: the tensor or tile that it lies in, "" if none has a name
  std::string region;  // that the instruction belongs to
  base::Time time{0};  // the instruction's start; of others when they were taken
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;  // dense, row-major

  // In simulated time, then by instance; of one instance the instructions first.
  auto order() const {
    const Executed none{static_cast<isa::Queue>(isa::kQueueCount), 0, 0, ""};
    const Executed& e = instruction ? *instruction : none;
    return std::tuple(time.fs, core, static_cast<unsigned>(e.queue), e.index, e.occurrence);
  }
};

}  // namespace tahoma::runtime
