// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/simulation/server_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "studies/serving/input/request.h"

namespace tahoma::runtime::serving {

using base::chosen, base::UserError;

void KvParams::declare(base::ParamTree& t) {
  constexpr std::uint64_t kMostBlock = 65536, kMostBlocks = std::uint64_t{1} << 32;
  t.add("block_tokens", block_tokens, std::uint64_t{16}, {1, kMostBlock}, "tokens of a block of the KV cache",
        chosen());
  t.add("blocks", blocks, std::uint64_t{16384}, {1, kMostBlocks}, "blocks of the KV cache of one server",
        chosen());
}

void TransferParams::declare(base::ParamTree& t) {
  t.add("bandwidth", bandwidth, base::Bandwidth{100'000'000'000, false},
        {base::Bandwidth{1, false}, base::Bandwidth{1'000'000'000'000'000, false}},
        "rate at which a prefill server sends keys and values", chosen());
  t.add("latency", latency, base::Duration{0}, {base::Duration{0}, base::Duration{1'000'000'000'000'000}},
        "time from the last byte that is sent to the first step with the sequence", chosen());
  t.add("token", token, base::Bytes{131072}, {base::Bytes{0}, base::Bytes{std::uint64_t{1} << 40}},
        "keys and values of one token; the default is that of Llama 3 8B in bf16: 2 x 32 layers x 8 heads x "
        "128 x 2 B",
        chosen());
}

Nanoseconds transfer_time(const TransferParams& transfer, std::uint64_t tokens) {
  if (transfer.bandwidth.ideal) return {0};
  const base::Uint128 bytes = base::Uint128{tokens} * transfer.token.count;
  const base::Uint128 rate = transfer.bandwidth.bytes_per_second;
  const base::Uint128 time = (bytes * kNanosecondsPerSecond + rate - 1) / rate;
  constexpr base::Uint128 kMost = std::uint64_t{1}
                                  << 56;  // two years: a rate of 1 B/s must not end in an overflow
  return {static_cast<std::int64_t>(std::min(time, kMost))};
}

void ServerParams::declare(base::ParamTree& t) {
  constexpr std::uint64_t kMostServers = 1024, kMostSequences = 65536;
  t.add("servers", servers, std::uint64_t{1}, {1, kMostServers},
        "servers that prefill and decode; a request goes to the one with the fewest unfinished requests",
        chosen());
  t.add("prefill_servers", prefill_servers, std::uint64_t{0}, {0, kMostServers},
        "servers that only prefill; with decode_servers it replaces servers", chosen());
  t.add("decode_servers", decode_servers, std::uint64_t{0}, {0, kMostServers}, "servers that only decode",
        chosen());
  t.add("max_sequences", max_sequences, std::uint64_t{64}, {1, kMostSequences},
        "most sequences in the batch of a server", chosen());
  t.add("max_tokens", max_tokens, std::uint64_t{2048}, {1, kMostTokens},
        "most tokens in a step: one for each decoding sequence, and those of prompts", chosen());
  t.add("prefill", prefill, PrefillPolicy::kChunked, kPrefillPolicies,
        "chunked: chunks of prompts in the steps that decode; whole: steps of whole prompts, before decoding",
        chosen());
  t.add("chunk", chunk, std::uint64_t{512}, {1, kMostTokens},
        "most tokens of one prompt in a step, if chunked", chosen());
  t.add("chunk_multiple", chunk_multiple, std::uint64_t{1}, {1, kMostTokens},
        "chunks and whole prompts execute as a multiple of this many tokens, as programs of fixed sizes do",
        chosen());
  t.group("kv", kv);
  t.group("transfer", transfer);
}

void ServerParams::check(const std::string& path) const {
  if ((prefill_servers > 0) != (decode_servers > 0))
    throw UserError("E-SRV-021", path + (prefill_servers > 0 ? ".decode_servers" : ".prefill_servers"),
                    "expected at least 1 if the other group has servers, got 0");
  if (max_tokens < max_sequences)
    throw UserError(
        "E-SRV-021", path + ".max_tokens",
        fmt::format("expected at least {}.max_sequences = {}, since every sequence decodes a token in a "
                    "step; got {}",
                    path, max_sequences, max_tokens));
}

}  // namespace tahoma::runtime::serving
