// SPDX-License-Identifier: Apache-2.0
// The values of one engine: applies its instructions to the memories of the core and holds the engine's
// private values: the weights in the array, the lanes, the stream of stochastic rounding.
#pragma once

#include "isa/semantics/semantics.h"
#include "model/base/measurements.h"
#include "model/engine/dma/transfer/transfer_values.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/pipeline/tensor_array.h"

namespace tahoma::model {

class EngineValues {
 public:
  struct Owner {
    base::EngineKind kind;
    isa::Queue queue;
    std::uint32_t core;  // global number
    bool functional;     // false in timing mode: computes nothing
  };
  // `array`: of a tensor engine that is simulated in RTL, else null.
  EngineValues(const Owner& engine, const CoreParams& params, TensorArray* array);

  // Before the run: the seed of stochastic rounding, or 0. Every engine has its own random stream.
  void seed(std::uint64_t seed);
  // Instruction `i`, with its registers resolved, starts at `t`.
  void apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t);

 private:
  Owner engine_;
  bool stochastic_;
  TensorArray* array_;
  isa::Weights weights_;
  isa::LaneState lanes_;
  isa::Rounding rounding_;
};

}  // namespace tahoma::model
