// SPDX-License-Identifier: Apache-2.0
// Which experts each token has. Programs depend on how many tokens go where, and are made before the run: so
// the choice belongs to the case, as that of a benchmark of load balancing does. Balanced: all choices of a
// replica in turn. Skewed: drawn for each token, without putting back, in proportion to (e + 1)^-skew. Or
// replayed from a file. No expert has a limit, so no token is dropped.
#pragma once

#include <vector>

#include "runtime/run/placement.h"
#include "workloads/transformer/transformer_params.h"

namespace tahoma::workloads {

class ExpertRouting {
 public:
  // Of a mixture. Throws what load_input() throws, and UserError E-MDL-022 for experts that there are not, or
  // twice for a token.
  ExpertRouting(const TransformerParams& params, std::uint64_t seed);

  std::uint64_t per_token() const { return per_token_; }
  // Rows count over all replicas.
  std::uint64_t expert(std::uint64_t layer, std::uint64_t row, std::uint64_t k) const {
    return chosen_[(layer * rows_ + row) * per_token_ + k];
  }
  // Replicas whose tokens, one by one, have the same experts.
  bool alike(std::uint64_t replica, std::uint64_t other) const;

  // Tokens of an expert, in a layer of a replica: of the most wanted one of all, and the mean.
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
