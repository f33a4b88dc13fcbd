// SPDX-License-Identifier: Apache-2.0
// The layouts among which a study chooses: every combination of the values of the axes, each accepted or
// refused with the reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "studies/model/model_case.h"

namespace tahoma::runtime {

// The layouts of one space share these; they differ in their tensor degree.
struct LayoutSpace {
  std::uint64_t chips = 1, lnc = 2;
  std::uint64_t data = 0;  // 0: as many replicas as there are ranks for
  std::uint64_t sequence = 1;
  std::uint64_t pipeline = 1, microbatches = 1;
  GroupPlacement placement = GroupPlacement::kRows;
  isa::DType weights = isa::DType::kBf16, activations = isa::DType::kBf16;
  std::uint64_t most_hbm = 0;           // bytes of a chip that a layout may take; 0: all there are
  std::vector<std::uint64_t> stages{};  // layers of each stage; empty: as equal as possible
  std::string machine{};                // preset or file instead of Trainium2; ""
};

// The values of each axis.
struct LayoutAxes {
  std::vector<std::uint64_t> chips{1}, lnc{2}, sequence{1}, pipeline{1}, microbatches{1};
  std::vector<GroupPlacement> placements{GroupPlacement::kRows};
  std::vector<isa::DType> weights{isa::DType::kBf16}, activations{isa::DType::kBf16};
  std::uint64_t data = 0, most_hbm = 0;  // as in LayoutSpace
  std::vector<std::uint64_t> stages{};
  std::string machine{};
  // The last axis varies fastest. Equal layouts are there once: one stage has one microbatch, and placements
  // are the same on a machine without the axes in which they differ.
  std::vector<LayoutSpace> spaces() const;
};

struct LayoutCandidate {
  ModelLayout layout;
  std::optional<base::UserError> refusal{};
};

// Every power of two and every divisor of a stage's ranks as tensor degree, the highest first, with as many
// replicas as there are ranks for. The workload refuses degrees that do not divide the
// model, and layouts that do not fit into the HBM, or into the part of it that is allowed, for either phase.
// `overrides` as --set. UserError E-HFC-010: a number of chips, or an LNC, without a machine. Refusals: those
// of the workload, and
//   E-HFC-011  a batch that cannot be divided over the replicas and microbatches
//   E-HFC-014  more stages, or groups that share sequences, than ranks; more stages than layers; or layers of
//              stages that are not those of the model
std::vector<LayoutCandidate> layout_candidates(const ModelConfig& config, const LayoutSpace& space,
                                               const ModelDemand& demand,
                                               const std::vector<std::string>& overrides);

// Returns the layouts that are not refused. Throws a refusal if there is none.
std::vector<ModelLayout> possible_layouts(const ModelConfig& config, const LayoutSpace& space,
                                          const ModelDemand& demand,
                                          const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
