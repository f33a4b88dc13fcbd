// SPDX-License-Identifier: Apache-2.0
// The layout of the tokens of a mixture of experts in one layer and slice of a replica, as plain numbers. A
// *slot* is an expert of a block by its number there. For each slot
//   sent     a physical core's own rows for that slot's experts of all blocks, block after block
//   arrived  rows that a physical core received from the ranks at its position in their blocks, block after
//            block
//   rows     the rows of the slot's expert, which all ranks of its block have: core after core, and for each
//            core one position in the block (or, if a rank is a block, one block) after another
// If nothing is exchanged (a single rank, or decoding, in which all ranks have all tokens), a rank takes the
// rows of its own experts, core after core.
#pragma once

#include <functional>

#include "workloads/transformer/experts/expert_routing.h"
#include "workloads/transformer/experts/segment.h"
#include "workloads/transformer/partition/share.h"

namespace tahoma::workloads {

struct ExpertCase {
  std::uint64_t ranks = 1, physical_cores = 1, block = 1, slots = 1, columns = 0;
  bool exchanged = false;
  std::uint64_t blocks() const { return ranks / block; }
  std::uint64_t experts() const { return blocks() * slots; }
};

class ExpertLayout {
 public:
  // Experts of rows of the replica; the rows of a physical core of a rank.
  using Expert = std::function<std::uint64_t(std::uint64_t row, std::uint64_t k)>;
  using Own = std::function<runtime::Part(std::size_t rank, std::size_t physical_core)>;
  ExpertLayout(const ExpertCase& shape, std::uint64_t per_token, const Expert& expert, const Own& own);

  const Segment& sent(std::size_t rank, std::size_t physical_core, std::size_t slot) const {
    return sent_[number(rank, physical_core, slot)];
  }
  const Segment& arrived(std::size_t rank, std::size_t physical_core, std::size_t slot) const {
    return arrived_[number(rank, physical_core, slot)];
  }
  const Segment& rows(std::size_t rank, std::size_t slot) const { return rows_[rank * shape_.slots + slot]; }
  // The position in rows() of the rows that a physical core receives through another position.
  std::size_t place(std::size_t physical_core, std::size_t from) const {
    return physical_core * sources_ + from;
  }
  // The part of rows() of a physical core.
  runtime::Part rows_of_core(std::size_t rank, std::size_t slot, std::size_t physical_core) const;

  // The numbers, among its own rows, of the rows that a physical core of a rank sends (or takes), in order.
  std::vector<std::uint64_t> taken(std::size_t rank, std::size_t physical_core, std::size_t slot) const;
  // By own row and choice, the position of the expert's result: in the tensor of the sent segments, or, if
  // nothing is exchanged, in that of the experts' rows, whose last row, after all segments, represents
  // experts of other ranks.
  std::vector<std::uint64_t> returned(std::size_t rank, std::size_t physical_core) const;
  // By own row and choice: the number of earlier own rows with the same expert.
  std::vector<std::uint64_t> places(std::size_t rank, std::size_t physical_core) const;

 private:
  std::size_t number(std::size_t rank, std::size_t physical_core, std::size_t slot) const {
    return (rank * shape_.physical_cores + physical_core) * shape_.slots + slot;
  }
  std::uint64_t count(std::size_t rank, std::size_t physical_core, std::size_t block,
                      std::size_t slot) const {
    return tokens_of(rank, physical_core, block * shape_.slots + slot).size();
  }
  const std::vector<std::uint64_t>& tokens_of(std::size_t rank, std::size_t physical_core,
                                              std::size_t expert) const {
    return tokens_[(rank * shape_.physical_cores + physical_core) * shape_.experts() + expert];
  }
  void shard(const Expert& expert, const Own& own);
  void lay_out();
  std::vector<std::uint64_t> row_counts(std::size_t rank, std::size_t slot) const;

  ExpertCase shape_;
  std::uint64_t per_token_, sources_;
  std::vector<std::vector<std::uint64_t>> tokens_;  // by rank, physical core and expert: own rows
  // By rank and physical core: experts by own row and choice.
  std::vector<std::vector<std::uint64_t>> chosen_;
  std::vector<Segment> sent_, arrived_, rows_;
};

}  // namespace tahoma::workloads
