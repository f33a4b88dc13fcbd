// SPDX-License-Identifier: Apache-2.0
// All ranks of one stage of a training step: replicas with their own programs. The ranks of a replica
// exchange rows of activations, and equal ranks of all replicas exchange gradients and weights. A *cell* is
// one physical core of a rank of a replica.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/training/case/training_params.h"
#include "workloads/transformer/partition/crossing.h"

namespace tahoma::workloads {

struct Cell {
  std::size_t replica = 0, rank = 0, physical_core = 0;
};

// The members of an exchange: the ranks of each replica, or the same rank of all replicas; in both cases each
// physical core separately.
enum class Across : std::uint8_t { kRanks, kReplicas };

class Fleet {
 public:
  // `params` are those of the whole step.
  Fleet(runtime::Machine& machine, const TrainingParams& params, std::size_t stage);

  runtime::Machine& machine() const { return machine_; }
  std::size_t replicas() const { return replicas_.size(); }
  std::size_t ranks() const { return replicas_.front()->ranks(); }
  std::size_t physical_cores() const { return replicas_.front()->physical_cores(); }
  std::size_t cells() const { return replicas() * ranks() * physical_cores(); }
  std::size_t members(Across across) const { return across == Across::kRanks ? ranks() : replicas(); }
  std::size_t rank_number(const Cell& c) const { return c.replica * ranks() + c.rank; }
  std::size_t number(const Cell& c) const { return rank_number(c) * physical_cores() + c.physical_core; }
  Replica& replica(const Cell& c) { return *replicas_[c.replica]; }
  runtime::Kernel& kernel(const Cell& c) { return replica(c).kernel(c.rank, c.physical_core); }
  std::uint32_t core(const Cell& c) const {
    return replicas_[c.replica]->alike().front().cores[c.rank][c.physical_core];
  }

  void region(const std::string& name);  // of all kernels
  template <class Body>
  void each(Body&& body) const {
    for (std::size_t g = 0; g < replicas(); ++g)
      for (std::size_t r = 0; r < ranks(); ++r)
        for (std::size_t h = 0; h < physical_cores(); ++h) body(Cell{g, r, h});
  }
  // Calls the body for physical core 0 of every rank.
  template <class Body>
  void each_rank(Body&& body) const {
    for (std::size_t g = 0; g < replicas(); ++g)
      for (std::size_t r = 0; r < ranks(); ++r) body(Cell{g, r, 0});
  }

  // One collective in each group of at least two members; `elements` is the total of a group.
  struct Exchange {
    Across across = Across::kRanks;
    std::string region;
    runtime::collective::Operation operation{};
    isa::DType dtype{};
    std::uint64_t elements = 0;
  };
  using EndOf = std::function<runtime::collective::End(const Cell&)>;
  void exchange(const Exchange& what, const EndOf& input, const EndOf& output);

  // The collectives for reports: the first group's, with the spans of the members of all groups.
  struct Ran {
    Exchange what;
    runtime::collective::Group group;
    std::size_t groups = 0;
    runtime::collective::PlannedCollective planned;
    std::vector<std::vector<runtime::collective::Stopwatch::Span>> spans;  // by member of all groups
  };
  const std::vector<Ran>& ran() const { return ran_; }

  void load(runtime::collective::Stopwatch& stopwatch);

 private:
  runtime::collective::Communicator& communicator(Across across, const Cell& c) {
    return across == Across::kRanks ? replica(c).communicator(c.physical_core)
                                    : crossing_->communicator(c.rank, c.physical_core);
  }
  void add(const Exchange& what, const std::vector<Cell>& members, const EndOf& input, const EndOf& output,
           Ran& ran);

  runtime::Machine& machine_;
  runtime::collective::Algorithm algorithm_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::optional<Crossing> crossing_;
  std::vector<Ran> ran_;
};

}  // namespace tahoma::workloads
