// SPDX-License-Identifier: Apache-2.0
// The programs of one phase on the ranks of a replica, and of all that lie like it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/transformer/weights.h"

namespace tahoma::workloads {

class Experts;
struct Team;

class PhasePrograms {
 public:
  virtual ~PhasePrograms() = default;
  virtual void emit() = 0;
  virtual void fill(runtime::Machine& machine, const HostCase& values) const = 0;
  // Into [rows of all replicas, hidden].
  virtual void gather(runtime::Machine& machine, runtime::HostTensor& out) const = 0;

  virtual const Experts* experts() const = 0;  // none of a model that has none

  // By all ranks, or the same by several teams of them at once, whose sizes may differ.
  struct Party {
    runtime::collective::Placed placed;
    const Team* team = nullptr;  // none: all ranks
  };
  struct Exchange {
    std::string region;
    std::size_t half = 0;
    std::vector<Party> parties;
    const runtime::collective::Placed& placed() const { return parties.front().placed; }
  };
  const std::vector<Exchange>& exchanges() const { return exchanges_; }

 protected:
  void keep(const std::string& region, std::size_t half, runtime::collective::Placed placed) {
    keep({region, half, {{std::move(placed), nullptr}}});
  }
  void keep(Exchange exchange) { exchanges_.push_back(std::move(exchange)); }

 private:
  std::vector<Exchange> exchanges_;
};

// The host bytes of a row of a matrix on one of the replicas.
inline std::byte* row_of(runtime::Machine& machine, const Replica& replica, std::size_t number,
                         const Matrix& matrix, std::uint64_t row) {
  const runtime::Tensor& tensor = matrix.tensor;
  return machine.bytes(replica.at(number, tensor)) + row * tensor.shape.back() * isa::size_of(tensor.dtype);
}

}  // namespace tahoma::workloads
