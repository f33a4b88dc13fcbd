// SPDX-License-Identifier: Apache-2.0
// The values of one engine: applies its instructions to the memories of the core and holds the engine's
// private values: the weights in the array, the lanes, the stream of stochastic rounding. They exist once
// more for every core for which this one stands in a folded machine.
#pragma once

#include "isa/core/program_error.h"
#include "isa/semantics/semantics.h"
#include "model/base/measurements.h"
#include "model/engine/dma/transfer/transfer_values.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/pipeline/tensor_array.h"

namespace tahoma::model {

// An instruction that fails on a core for which another one stands.
struct MemberError : isa::ProgramError {
  MemberError(const isa::ProgramError& error, const MemberCore& of)
      : isa::ProgramError(error), core_path(of.path) {}
  std::string core_path;
};

class EngineValues {
 public:
  struct Owner {
    base::EngineKind kind;
    isa::Queue queue;
    std::uint32_t core;  // global number
    bool functional;     // false in timing mode: computes nothing
  };
  // `array` is that of a tensor engine which is simulated in RTL, else null.
  EngineValues(const Owner& engine, const CoreParams& params, TensorArray* array);

  // Before the run: the cores for which this one stands.
  void stand_for(std::span<const MemberCore> members);
  // Before the run, after stand_for(): the seed of stochastic rounding, or 0. Every engine has its own random
  // stream.
  void seed(std::uint64_t seed);
  // Instruction `i`, with its registers resolved, starts at `t`. Throws MemberError if the instruction fails
  // on a core that is not simulated.
  void apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t);

 private:
  Owner engine_;
  bool stochastic_;
  TensorArray* array_;
  struct OfCore {
    std::uint32_t core;
    isa::Weights weights;
    isa::LaneState lanes;
    isa::Rounding rounding;
  };
  void apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t, OfCore& own);
  std::vector<OfCore> cores_;  // this one, then those for which it stands
};

}  // namespace tahoma::model
