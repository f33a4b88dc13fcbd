// SPDX-License-Identifier: Apache-2.0
// The layout of a sharded GEMM's tensors: the pieces of A, B and C of each core and, if k is split, its
// partial sums and staging memory. Cores of one HBM stack that read the same piece share it.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "runtime/run/machine.h"
#include "runtime/run/placement.h"
#include "workloads/gemm/kernel/gemm_sum.h"

namespace tahoma::workloads {

// One core's share: rows and columns of C, its part of the contraction, and its rows of the final C.
struct GemmTile {
  std::uint32_t core = 0;
  std::uint32_t rank = 0;      // among the cores that share the contraction, by core number
  runtime::Part m, n, k, own;  // own: rows of C in global numbering
  runtime::Tensor a, b, c;     // [k, m] or [m, k], [k, n], [own rows, n]; rows of a and b as GemmShape says
  runtime::Tensor tags;        // of a sparse a
  runtime::Tensor bias, residual;    // of the epilogue
  runtime::Tensor partial, staging;  // fp32, if k is split: [m, n], [elements]
};

// The cores that share an output tile, by core number, so that they form a product of the fabric's axes
// (runtime/collective/schedule/grid.h). The shard must have been checked; the list is tile by tile.
std::vector<runtime::collective::Group> gemm_groups(const model::MachineParams& machine,
                                                    const GemmShape& shape, const runtime::Shard& shard);

class GemmLayout {
 public:
  // Allocates every tensor. Throws UserError E-RUN-010 if a stack is too small, and the errors of GemmSum.
  GemmLayout(runtime::Machine& machine, const GemmShape& shape, const runtime::Shard& shard,
             runtime::collective::Algorithm algorithm);

  GemmShape shape_of(const GemmTile& tile) const;
  const std::vector<GemmTile>& tiles() const { return tiles_; }  // group by group, ranks in order
  std::uint32_t ranks() const { return ranks_; }                 // of each group
  const std::vector<GemmSum>& sums() const { return sums_; }     // by group; none if there is one rank
  // Returns the tile whose core computed row x column of C.
  const GemmTile& maker(std::uint64_t row, std::uint64_t column) const;

 private:
  using Key =
      std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;  // operand, stack, part, part
  struct Operand {
    const char* name;
    isa::DType dtype;
    std::uint64_t rows, columns;
  };
  runtime::Tensor shared_input(const Key& key, const GemmTile& tile, const Operand& operand);
  void add_group(const runtime::collective::Group& group, std::uint64_t m, std::uint64_t n);

  runtime::Machine& machine_;
  GemmShape shape_;
  runtime::Shard shard_;
  std::uint32_t ranks_ = 1;
  std::vector<GemmTile> tiles_;
  std::vector<GemmSum> sums_;
  std::map<Key, runtime::Tensor> inputs_;
};

}  // namespace tahoma::workloads
