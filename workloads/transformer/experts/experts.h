// SPDX-License-Identifier: Apache-2.0
// The feed-forward part of a layer as a mixture of experts, on the ranks of a replica. Each physical core of
// a rank routes its own rows. They are sent to the ranks of their experts, which apply their SwiGLUs; the
// results return and are added up with the gates:
//
//   out = sum over the token's experts e of gate_e (silu(x gate_e) * (x up_e)) down_e
//
// In a prefill every physical core has its own rows. They are sent across the blocks by an all_to_all with
// the counts of the routing, and within a block, whose ranks share the features of its experts, by an
// all_gather; they return by a reduce_scatter and an all_to_all. So a row crosses between blocks once, and
// the copies that a block needs are made inside it, mostly on one chip. Each slot (expert of a block) is a
// separate exchange: while one is computed, the next is transferred. In decoding all ranks have all rows: a
// rank takes those of its experts, and its results are its part of the sum of the layer's all_reduce.
//
// With latent vectors, a physical core multiplies its rows in front of the exchange, and the sums behind it:
// every rank has both matrices, as in Megatron.
//
// Routing: the router's product and choice are computed (workloads/moe/routing_kernel.h), but a bias
// prescribes the choice, because programs are built for it. Row numbers are control values, which the router
// of a real layer would write.
#pragma once

#include "workloads/transformer/experts/expert_exchange.h"
#include "workloads/transformer/experts/expert_steps.h"
#include "workloads/transformer/experts/expert_weights.h"

namespace tahoma::workloads {

class Experts {
 public:
  using View = std::function<runtime::HbmView(std::size_t rank, std::size_t physical_core)>;
  Experts(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
          const ExpertSteps::Stage& stage, ExpertExchange::Keep keep);

  // normed: a physical core's rows, followed by up to 15 rows that are read without use; out: the results of
  // the same rows.
  void feed_forward(const ExpertTurn& turn, const View& normed, const View& out);

  void fill(runtime::Machine& machine, const HostCase& values) const;
  void fill_control(runtime::Machine& machine) const { steps_.fill_control(machine); }
  // Checks that the machine's routing equals the prescribed one.
  void check(runtime::Machine& machine, runtime::GoldenResult& golden) const {
    steps_.check(machine, golden);
  }

 private:
  void route(const ExpertStep& step, const View& normed);
  View scaled(const ExpertStep& step, const View& normed);
  View lowered(const ExpertStep& step, const View& normed);
  View latents(const ExpertStep& step, const char* name);
  void raise(const ExpertStep& step, const View& sums, const View& out);
  void take(const ExpertStep& step, const View& normed, std::size_t slot);
  void synchronise_rows(const ExpertStep& step);
  void compute(const ExpertStep& step, std::size_t slot);
  void combine(const ExpertStep& step, const View& out);

  Replica& replica_;
  const TransformerParams& params_;
  std::uint64_t per_token_;
  RankShare share_;
  ExpertCase shape_;
  std::vector<std::size_t> layers_;
  std::unique_ptr<ExpertExchange> exchange_;         // where rows are exchanged
  std::vector<std::vector<ExpertWeights>> weights_;  // by layer of the stage, and rank
  ExpertSteps steps_;
};

}  // namespace tahoma::workloads
