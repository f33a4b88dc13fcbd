// SPDX-License-Identifier: Apache-2.0
// Assignment of tokens to experts. Programs depend on the number of tokens per expert and are built before
// the run, so the choice belongs to the case, as in a benchmark of load balancing. Balanced: all choices of a
// replica in turn. Skewed: drawn for each token, without replacement, in proportion to (e + 1)^-skew. Or
// replayed from a file. Experts have no capacity limit, so no token is dropped.
#pragma once

#include <vector>

#include "runtime/run/placement.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

class ExpertRouting {
 public:
  // For a mixture of experts. Throws what load_input() throws, and UserError E-MDL-022 for experts that do
  // not exist or occur twice for a token.
  ExpertRouting(const TransformerParams& params, std::uint64_t seed);

  std::uint64_t per_token() const { return per_token_; }
  // `row` counts over all replicas.
  std::uint64_t expert(std::uint64_t layer, std::uint64_t row, std::uint64_t k) const {
    return chosen_[(layer * rows_ + row) * per_token_ + k];
  }
  // Whether the tokens of the two replicas, one by one, have the same experts.
  bool alike(std::uint64_t replica, std::uint64_t other) const;

  // Tokens of an expert in a layer of a replica: of the most loaded expert overall, and the mean.
  std::uint64_t most_tokens() const;
  double mean_tokens() const;

 private:
  void load(const TransformerParams& params);
  void balance();
  void draw(double skew, std::uint64_t seed);
  std::uint64_t& at(std::uint64_t layer, std::uint64_t row, std::uint64_t k) {
    return chosen_[(layer * rows_ + row) * per_token_ + k];
  }

  std::uint64_t layers_, rows_, rows_of_replica_, per_token_, experts_;
  std::vector<std::uint64_t> chosen_;
};

}  // namespace tahoma::workloads
