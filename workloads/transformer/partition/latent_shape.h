// SPDX-License-Identifier: Apache-2.0
// The dimensions of multi-head latent attention (DeepSeek-V2). With x the normalised token, c = norm(x Wkv)
// its latent vector and r = rope(x Wr) its rotated features, head h has the query [a Wq_h, rope(a Wr_h)], the
// key [c Wk_h, r] and the value c Wv_h. Here a is x, or norm(x Wa) if queries have a latent vector, too.
#pragma once

#include <cstdint>

#include "model/base/params.h"

namespace tahoma::workloads {

struct LatentShape {
  std::uint64_t kv_rank = 0;  // features of a latent vector; 0: heads have keys and values of their own
  std::uint64_t q_rank = 0;   // of that of the queries; 0: they have none
  std::uint64_t nope = 128, rope = 64, values = 128;  // of a head: not rotated, rotated, and of a value

  void declare(base::ParamTree& t);
  explicit operator bool() const { return kv_rank > 0; }
  std::uint64_t head() const { return nope + rope; }       // features of a query and a key
  std::uint64_t cached() const { return kv_rank + rope; }  // of a token
  std::uint64_t down() const { return q_rank + cached(); }
  std::uint64_t query_input(std::uint64_t hidden) const { return q_rank > 0 ? q_rank : hidden; }
  // Elements of the matrices that all ranks have, and of those of that many heads, without the projection of
  // the outputs.
  double common_weights(std::uint64_t hidden) const;
  double head_weights(std::uint64_t hidden, std::uint64_t heads) const;
};

}  // namespace tahoma::workloads
