// SPDX-License-Identifier: Apache-2.0
// The keys of a case, and the collectives that they define.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"
#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::workloads {

// The combiners of operations that reduce, with the names of nccom-test.
inline constexpr base::Named<isa::AluOp> kReductions[] = {
    {isa::AluOp::kAdd, "sum"}, {isa::AluOp::kMin, "min"}, {isa::AluOp::kMax, "max"}};

// Inputs: whole numbers whose sums are exact, or uniform in [-1, 1).
enum class ValueKind : std::uint8_t { kWhole, kUniform };

struct Request {
  runtime::collective::Operation operation{};
  runtime::collective::Algorithm algorithm{};
  isa::DType dtype{};
  isa::AluOp reduction{};
  runtime::collective::RankKind ranks{};
  ValueKind values{};
  std::string bytes, over, counts;
  std::uint64_t root = 0, shift = 0, channels = 0, iterations = 1;
  base::Bytes piece{0};

  void declare(base::ParamTree& t);
  // Throws UserError (E-COL-..., runtime/collective/README.md) for requests that this machine does not
  // support.
  void check(const model::MachineParams& machine) const;

  isa::DType element() const { return dtype; }
  bool lists_counts() const { return !counts.empty() && counts != "random"; }
  std::vector<runtime::collective::Group> groups(const model::MachineParams& machine) const;
  std::vector<std::uint64_t> sizes() const;  // in bytes, in the order of execution

  // One size on one group: the collective, and the reason for its algorithm.
  struct Chosen {
    runtime::collective::Spec spec;
    std::uint64_t bytes;  // as nccom-test counts them; of counts, their own
    std::string why;
  };
  Chosen collective(runtime::collective::Estimates& estimates, const runtime::collective::Group& group,
                    std::uint64_t size, std::uint64_t seed) const;

 private:
  std::uint32_t channels_of(const runtime::collective::Group& group) const;
  runtime::collective::Problem problem_of(const runtime::collective::Group& group) const;
};

}  // namespace tahoma::workloads
