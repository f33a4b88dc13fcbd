// SPDX-License-Identifier: Apache-2.0
// How a model is spread over chips, and what is asked of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "model/base/param_choice.h"

namespace tahoma::runtime {

// The order in which ranks fill the machine, and so the chips of a tensor-parallel group. All but the last
// one fill a chip first.
enum class GroupPlacement : std::uint8_t { kRows, kColumns, kDepth, kSpread };
inline constexpr base::Named<GroupPlacement> kPlacements[] = {
    {GroupPlacement::kRows, "rows"},  // then along x, y and z: a row of a server's torus, then the server
    {GroupPlacement::kColumns, "columns"},       // along y, x and z: a column, then the server
    {GroupPlacement::kDepth, "depth"},           // along z, x and y: a ring through the servers
    {GroupPlacement::kSpread, "spread"}};        // one rank on each chip, along x, y and z, then the next one
std::string order_of(GroupPlacement placement);  // workload.placement: "core,x,y,z"

// The types that the layers' matrices may have.
inline constexpr isa::DType kWeightTypes[] = {isa::DType::kBf16, isa::DType::kFp8E4M3, isa::DType::kFp8E5M2,
                                              isa::DType::kFp8E3M4};

// The types that the rows may have by which these are multiplied; an fp8 type only with weights of the same
// type.
inline constexpr isa::DType kActivationTypes[] = {isa::DType::kBf16, isa::DType::kFp8E4M3,
                                                  isa::DType::kFp8E5M2};

// Degrees as in workload.parallel, LNC as in machine.chip.lnc. A pipeline of one stage has one microbatch.
struct ModelLayout {
  std::uint64_t chips = 1, lnc = 2, tensor = 1, data = 1, expert = 1;
  std::uint64_t sequence = 1;      // tensor-parallel groups that share the tokens of each sequence
  std::uint64_t pipeline = 1;      // stages
  std::uint64_t microbatches = 1;  // parts of a replica's batch, which follow each other through the stages
  GroupPlacement placement = GroupPlacement::kRows;
  isa::DType weights = isa::DType::kBf16;  // of the layers' matrices, as workload.model.weights
  isa::DType activations =
      isa::DType::kBf16;                // of what they are multiplied by, as workload.model.activations
  std::vector<std::uint64_t> stages{};  // layers of each stage, if they differ
  std::string machine{};                // preset or file instead of Trainium2; ""
  std::uint64_t cores = 8;              // physical ones of a chip
  std::uint64_t ranks() const { return tensor * sequence * data * pipeline; }
  std::uint64_t idle_cores() const { return chips * cores - ranks() * lnc; }
  // Returns the tokens of a padded prompt: all physical cores of a group have equally many, and groups that
  // share it whole transposes.
  std::uint64_t padded(std::uint64_t prompt) const;
  // Return the layers of the shortest stage, and the fewest that a run has: one in the shortest stage.
  std::uint64_t shortest_stage(std::uint64_t layers) const;
  std::uint64_t least_layers(std::uint64_t layers) const {
    return layers - pipeline * (shortest_stage(layers) - 1);
  }
  std::string text() const;        // "tensor 16 x data 4 x pipeline 4, 8 microbatches, LNC 2"
  std::string chips_text() const;  // "1 chip", "4 chips"
};

// A layout must serve this demand.
struct ModelDemand {
  std::uint64_t batch = 16;      // sequences that the machine decodes together
  std::uint64_t prompt = 1024;   // tokens of a prompt
  std::uint64_t context = 1024;  // tokens of each sequence in the caches of a decoding step
  std::uint64_t prompts = 1;     // that each replica prefills together; in a pipeline each is a microbatch
  std::uint64_t cached = 0;      // tokens of a sequence in the cache before a prefill
  bool chunk = false;            // `prompt` is a chunk of a longer one
};

struct ModelPoint {
  ModelLayout layout;
  ModelDemand demand;
};

// The names are those of workload.phase.
enum class ModelPhase : std::uint8_t { kPrefill, kDecode };
inline constexpr base::Named<ModelPhase> kModelPhases[] = {{ModelPhase::kPrefill, "prefill"},
                                                           {ModelPhase::kDecode, "decode"}};

// Parts into which a phase divides the sequences of a replica.
std::uint64_t microbatches_of(const ModelPoint& point, ModelPhase phase);

// "chips4_lnc2_tensor16_data1_decode_batch16_context1024": of the files of a phase.
std::string name_of_phase(const ModelPoint& point, ModelPhase phase);

}  // namespace tahoma::runtime
