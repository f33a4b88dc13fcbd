// SPDX-License-Identifier: Apache-2.0
// The servers: how they form steps, their KV cache, and how they share the work.
//
// UserError E-SRV-021: values that are legal alone but not in combination.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/params.h"
#include "model/base/units.h"
#include "studies/serving/input/nanoseconds.h"

namespace tahoma::runtime::serving {

// kChunked: prompts are prefilled in chunks, in the same steps as decoding. kWhole: a step either prefills
// whole prompts or decodes, and prompts come first.
enum class PrefillPolicy : std::uint8_t { kChunked, kWhole };
inline constexpr base::Named<PrefillPolicy> kPrefillPolicies[] = {{PrefillPolicy::kChunked, "chunked"},
                                                                  {PrefillPolicy::kWhole, "whole"}};

struct KvParams {
  std::uint64_t block_tokens = 0, blocks = 0;
  void declare(base::ParamTree& tree);
};

// Transfers go from a prefill server to a decode server. Each prefill server has a link of its own, which
// carries one transfer at a time; the latency follows the last byte.
struct TransferParams {
  base::Bandwidth bandwidth;
  base::Duration latency;
  base::Bytes token;
  void declare(base::ParamTree& tree);
};

// Returns the time for the keys and values of `tokens`, without the latency; rounded up.
Nanoseconds transfer_time(const TransferParams& transfer, std::uint64_t tokens);

struct ServerParams {
  std::uint64_t servers = 0, prefill_servers = 0, decode_servers = 0;
  std::uint64_t max_sequences = 0, max_tokens = 0;
  PrefillPolicy prefill = PrefillPolicy::kChunked;
  std::uint64_t chunk = 0, chunk_multiple = 0;
  KvParams kv;
  TransferParams transfer;

  void declare(base::ParamTree& tree);
  // `path` is that of the parameters.
  void check(const std::string& path) const;
  // Prefill and decoding run on two groups of servers.
  bool separated() const { return prefill_servers > 0; }
};

}  // namespace tahoma::runtime::serving
