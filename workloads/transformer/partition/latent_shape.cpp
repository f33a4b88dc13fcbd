// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/latent_shape.h"

namespace tahoma::workloads {

using base::chosen;

void LatentShape::declare(base::ParamTree& t) {
  t.add("kv_rank", kv_rank, std::uint64_t{0}, {0, 512},
        "multi-head latent attention: features of the vector from which keys and values are made; 0: heads "
        "have keys and values of their own",
        chosen());
  t.add("q_rank", q_rank, std::uint64_t{0}, {0, 16384},
        "features of the vector from which queries are made; 0: they are made from the token", chosen());
  t.add("nope", nope, std::uint64_t{128}, {16, 256}, "features of a head's key that are not rotated",
        chosen());
  t.add("rope", rope, std::uint64_t{64}, {16, 128}, "rotated features of a key, which all heads share",
        chosen());
  t.add("values", values, std::uint64_t{128}, {16, 256}, "features of a head's value", chosen());
}

double LatentShape::common_weights(std::uint64_t hidden) const {
  return static_cast<double>(hidden) * static_cast<double>(down());
}

double LatentShape::head_weights(std::uint64_t hidden, std::uint64_t heads) const {
  return static_cast<double>(heads) *
         (static_cast<double>(query_input(hidden)) * static_cast<double>(head()) +
          static_cast<double>(kv_rank) * static_cast<double>(nope + values));
}

}  // namespace tahoma::workloads
