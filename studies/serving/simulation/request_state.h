// SPDX-License-Identifier: Apache-2.0
// Holds what the simulation keeps about a request until it ends, and what it reports then.
#pragma once

#include <cstdint>
#include <vector>

#include "studies/serving/input/request.h"

namespace tahoma::runtime::serving {

struct RequestState {
  Nanoseconds first_start{-1}, first_token{-1};  // negative: not yet
  std::uint32_t generated = 0;                   // tokens, up to the last preemption or hand-over
  std::uint32_t preemptions = 0;
  std::uint32_t server = 0;  // the prefill server that holds keys and values until they are transferred
  std::uint64_t dropped = 0;
};
using RequestStates = std::vector<RequestState>;

// Keys and values in the cache once the prompt, and what was generated before a preemption, is prefilled. The
// token that this prefill generates is not cached yet.
constexpr std::uint64_t prefill_tokens(const Request& request, const RequestState& state) {
  return std::uint64_t{request.prompt} + state.generated;
}

struct FinishedRequest {
  RequestNumber number = 0;
  Request request;
  Nanoseconds start;        // of the first step that prefills a part of it
  Nanoseconds first_token;  // end of the step that completes the prompt
  Nanoseconds finish;       // end of the step with its last token
  std::uint32_t preemptions = 0;
  std::uint64_t dropped_tokens = 0;  // cached tokens that preemptions dropped

  Nanoseconds wait() const { return start - request.arrival; }
  Nanoseconds ttft() const { return first_token - request.arrival; }
  Nanoseconds end_to_end() const { return finish - request.arrival; }
  // The second to the last token take this together, and tpot() each in the mean.
  Nanoseconds decoding() const { return finish - first_token; }
  // The time is rounded to the nearest nanosecond; it is 0 for a request of one token.
  Nanoseconds tpot() const {
    const std::int64_t tokens = std::int64_t{request.output} - 1;
    return {tokens == 0 ? 0 : (decoding().count + tokens / 2) / tokens};
  }
};

}  // namespace tahoma::runtime::serving
