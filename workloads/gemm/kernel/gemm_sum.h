// SPDX-License-Identifier: Apache-2.0
// The cores that share the contraction of one output tile, and the sum of their results: a reduce_scatter
// (runtime/collective/) over their partial tiles [rows, columns] of fp32, as a part of the programs that
// compute them. Chunk r is rows part_of(rows, ranks, r), so the last chunks may be shorter or empty; rank r
// ends with its sum. Sums are transferred in fp32, in the order that the algorithm's header states, and are
// rounded once, to C's dtype, at the end. Both collective queues of a core have a channel if the chunks are
// large enough for two (runtime/collective/cost/sizing.h). A transfer starts as soon as its sources are
// stored.
#pragma once

#include <string>
#include <vector>

#include "isa/core/program.h"
#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "runtime/collective/lowering/stopwatch.h"
#include "runtime/collective/result/time_split.h"
#include "runtime/collective/schedule/collective_channel.h"
#include "workloads/gemm/kernel/blocking.h"
#include "workloads/gemm/kernel/gemm_nests.h"

namespace tahoma::workloads {

class GemmSum {
 public:
  struct Tile {
    std::uint64_t rows = 1, columns = 1;
    isa::DType out = isa::DType::kBf16;
  };
  // best, auto, or the name of an algorithm that performs a reduce_scatter.
  static base::Choice<runtime::collective::Algorithm> algorithms();

  // Over the cores of a group, one rank each, at least two. Throws UserError E-COL-003 if the named algorithm
  // does not support it.
  GemmSum(runtime::collective::Estimates& estimates, runtime::collective::Group group, const Tile& tile,
          runtime::collective::Algorithm algorithm);

  std::uint32_t ranks() const { return group_.ranks(); }
  const std::string& why() const { return why_; }  // this algorithm
  const runtime::collective::PlannedCollective& planned() const { return planned_; }
  std::uint64_t bytes() const { return tile_.rows * tile_.columns * sizeof(float); }  // of a partial tile
  std::uint64_t staging(std::uint32_t rank) const { return staging_[rank]; }          // elements of fp32
  // Its expected time on an idle machine, and its bounds.
  struct Estimate {
    base::Duration time;
    runtime::SplitBounds bounds;
  };
  Estimate estimate(const model::MachineParams& machine) const;

  // One core's product, with `out` fp32, and the global addresses of its tensors.
  struct Rank {
    GemmShape shape;
    std::uint64_t partial = 0, c = 0, staging = 0;
  };
  // Returns the programs by rank, with the arguments "a" [k, m], "b" [k, n], "partial" and "core", the core's
  // number. They fit every group with the same geometry: cores and addresses at a common distance. Throws the
  // errors of emit_gemm() and of the lowering.
  std::vector<isa::Program> programs(const model::MachineParams& machine, const std::vector<Rank>& ranks,
                                     GemmNest nest) const;
  // The active time of a rank's queues: from its first partial sums to its last result.
  std::vector<runtime::collective::Stopwatch::Span> spans(std::uint32_t core) const;

  // The properties that two groups must share to use the same programs, beside sizes and positions.
  std::vector<std::uint64_t> likeness() const;

 private:
  runtime::collective::Channel channel(std::size_t number) const;  // without programs

  Tile tile_;
  runtime::collective::Group group_;
  std::string why_;
  runtime::collective::PlannedCollective planned_;
  std::vector<isa::Queue> queues_;      // by channel
  std::vector<std::uint64_t> staging_;  // by rank
};

}  // namespace tahoma::workloads
