// SPDX-License-Identifier: Apache-2.0
// Parameters of a NeuronCore's engines, sequencers, semaphores, on-chip memories and DMA engines. Defaults
// are NeuronCore-v3; each declaration names its source. Sizes per partition, rates per engine.
#pragma once

#include "isa/core/core_version.h"
#include "model/engine/params/dma_params.h"
#include "model/engine/params/lane_params.h"
#include "model/engine/params/scratchpad_params.h"
#include "model/engine/params/sequencer_params.h"
#include "model/engine/params/tensor_params.h"

namespace tahoma::model {

// The rounding of the element-wise engines' results (isa/core/rounding.h).
enum class RoundingMode : std::uint8_t { kNearest, kStochastic };
inline constexpr base::Named<RoundingMode> kRoundingModes[] = {{RoundingMode::kNearest, "nearest"},
                                                               {RoundingMode::kStochastic, "stochastic"}};

inline constexpr base::Named<isa::CoreVersion> kCoreVersions[] = {
    {isa::CoreVersion::kV2, "v2"}, {isa::CoreVersion::kV3, "v3"}, {isa::CoreVersion::kV4, "v4"}};

struct CoreParams {
  isa::CoreVersion version;  // what programs may contain
  TensorParams tensor;
  VectorParams vector;
  ScalarParams scalar;
  GpSimdParams gpsimd;
  CostParams costs;
  SequencerParams sequencer;
  RendezvousParams rendezvous;
  SbufParams sbuf;
  PsumParams psum;
  DmaParams dma;
  RoundingMode rounding;  // of the element-wise engines' results
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
