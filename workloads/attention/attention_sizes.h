// SPDX-License-Identifier: Apache-2.0
// The common part of attention forward and backward: the sizes and the mask, the heads of each core, and the
// transfer of heads to and from the cores' HBM.
//
// Heads are sharded whole over `cores` groups of `split` neighbouring cores; the first groups get one more if
// the number does not divide. In a group every core gets a part of each head's queries or keys
// (groups_of_part() in flash_schedule.h) and works on the same tensors, in the stack of the group's first
// core. split = 2 is a logical core of LNC=2. Cores that share key heads each have a copy of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"
#include "runtime/run/machine.h"
#include "runtime/run/placement.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/golden/golden_attention.h"

namespace tahoma::workloads {

// The heads [first, first + count) of a group of cores, and the key heads that they use.
struct HeadShare {
  std::uint32_t core = 0;  // the first of the group
  std::uint64_t first = 0, count = 0;
  std::uint64_t kv_first = 0, kv_count = 0;
};

struct AttentionSizes {
  std::uint64_t q_len = 0, kv_len = 0, d = 0, heads = 0, kv_heads = 0, window = 0, cores = 0, split = 1;
  bool causal = false;
  isa::DType dtype{};

  void declare(base::ParamTree& t);
  void check(const model::MachineParams& machine) const;  // E-ATT-001 to E-ATT-004

  std::uint64_t key_heads() const { return kv_heads == 0 ? heads : kv_heads; }
  std::uint64_t heads_per_kv() const { return heads / key_heads(); }
  isa::DType type() const { return dtype; }
  double scale() const;
  AttentionMask mask() const { return {causal, window}; }
  double pairs() const;  // visible pairs of query and key, over all heads
  std::string describe() const;

  // Returns the key heads of these query heads.
  runtime::Part key_heads_of(const runtime::Part& query_heads) const;
  // Heads are sharded in units of `unit`, a divisor of them.
  std::vector<HeadShare> shares(const model::MachineParams& machine, std::uint64_t unit = 1) const;
  // Returns the shape of core `part` of a group.
  FlashShape shape_of(const HeadShare& share, std::uint64_t part) const;
};

// Cores with equal numbers here may share a program.
std::vector<std::uint64_t> program_key(const FlashShape& shape);

// Copies the rows of `all` [heads, n, d] that belong to heads [first, first + count) to the core's tensor,
// unchanged or with each head transposed, and back.
void place_heads(runtime::Machine& machine, const runtime::Tensor& tensor, const runtime::HostTensor& all,
                 std::uint64_t first, bool transposed);
void gather_heads(runtime::Machine& machine, const runtime::Tensor& tensor, runtime::HostTensor& all,
                  std::uint64_t first);

}  // namespace tahoma::workloads
