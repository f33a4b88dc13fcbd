// SPDX-License-Identifier: Apache-2.0
// Where a sharded GEMM's tensors lie: per core its pieces of A, B and C and, with a ring along k, its partial
// sums and staging memory. Cores of one HBM stack that read the same piece share it.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "runtime/collective.h"
#include "runtime/machine.h"
#include "runtime/placement.h"
#include "workloads/gemm/blocking.h"

namespace tahoma::workloads {

struct RingTensors {  // of one direction
  runtime::Tensor staging, ack;
};

// One core's share: rows and columns of C, its part of the contraction, and the rows of C that it ends with.
struct GemmTile {
  std::uint32_t core = 0;
  runtime::Part m, n, k, own;  // own: rows of C in global numbering
  runtime::RingRank ring;
  runtime::Tensor a, b, c;  // [k, m], [k, n], [own rows, n]
  runtime::Tensor partial;  // [m, n] fp32, with a ring
  RingTensors directions[2];
};

class GemmLayout {
 public:
  // Allocates every tensor. Throws UserError E-RUN-010 where a stack is too small.
  GemmLayout(runtime::Machine& machine, const GemmShape& shape, const runtime::Shard& shard);

  const std::vector<GemmTile>& tiles() const { return tiles_; }  // ring by ring, ranks in order
  // The values behind argument i of gemm_program() for tile `index`.
  std::vector<std::uint64_t> arguments(std::size_t index) const;
  // The tile whose core made row x column of C.
  const GemmTile& maker(std::uint64_t row, std::uint64_t column) const;

 private:
  using Key =
      std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;  // operand, stack, part, part
  runtime::Tensor shared_input(const Key& key, const GemmTile& tile, isa::DType dtype);
  void allocate_ring(GemmTile& tile);

  runtime::Machine& machine_;
  GemmShape shape_;
  runtime::Shard shard_;
  std::vector<GemmTile> tiles_;
  std::map<Key, runtime::Tensor> inputs_;
};

}  // namespace tahoma::workloads
