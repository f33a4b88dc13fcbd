// SPDX-License-Identifier: Apache-2.0
// The transfers of a mixture's rows to their experts and back.
#pragma once

#include "workloads/transformer/experts/expert_steps.h"
#include "workloads/transformer/experts/expert_teams.h"
#include "workloads/transformer/partition/phase_exchange.h"

namespace tahoma::workloads {

class ExpertExchange {
 public:
  using Keep = std::function<void(PhaseExchange)>;
  ExpertExchange(Replica& replica, const TransformerParams& params, const ExpertCase& shape, Keep keep)
      : replica_(replica),
        params_(params),
        shape_(shape),
        teams_(replica, params.parallel),
        keep_(std::move(keep)) {}

  void dispatch(const ExpertStep& step, std::size_t slot);
  void bring_back(const ExpertStep& step, std::size_t slot);

 private:
  // A segment of a tensor, and the rows of each position in it that are sent or received.
  struct Travel {
    const Matrix* matrix;
    const Segment* segment;
    std::size_t first, places;  // of the segment; places 0: all of its rows as one
  };
  using Side = std::function<Travel(std::size_t rank)>;
  runtime::collective::End end_of(const Travel& travel, std::size_t physical_core) const;
  ExchangeParty exchange(runtime::collective::Operation operation, std::size_t team,
                         std::vector<std::uint64_t> counts, const Side& from, const Side& to);
  ExchangeParty across(const ExpertStep& step, std::size_t slot, bool out, std::size_t place,
                       std::size_t physical_core);
  ExchangeParty within(const ExpertStep& step, std::size_t slot, bool out, std::size_t block,
                       std::size_t physical_core);
  void across(const ExpertStep& step, std::size_t slot, bool out);
  void within(const ExpertStep& step, std::size_t slot, bool out);

  Replica& replica_;
  const TransformerParams& params_;
  ExpertCase shape_;
  ExpertTeams teams_;
  Keep keep_;
};

}  // namespace tahoma::workloads
