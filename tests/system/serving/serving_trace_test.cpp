// SPDX-License-Identifier: Apache-2.0
// Small traces whose times were computed by hand from the rules in studies/serving/README.md. In all of them
// a prefill takes 1 ms for each token, and a decoding step 10 ms (kSimpleSteps).
#include <catch2/catch.hpp>

#include "tests/support/program/serving_run.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

void check_times(const serving::FinishedRequest& request, std::int64_t start, std::int64_t first_token,
                 std::int64_t finish) {
  INFO("request " << request.number);
  CHECK(request.start == from_ms(start));
  CHECK(request.first_token == from_ms(first_token));
  CHECK(request.finish == from_ms(finish));
}

}  // namespace

// 0: a chunk of 4 tokens of request 0, up to 4 ms. Then its last 2 tokens and request 1 in one step, the sum
// of 2 and 4 ms, up to 10. Both decode up to 20, where request 1 ends. The next step decodes request 0 and
// prefills request 2: the sum of 10 and 3 ms.
TEST_CASE("serving: chunks of prompts share steps with decoding", "[serving]") {
  const ServingRun run =
      run_server({{from_ms(0), 6, 3}, {from_ms(1), 4, 2}, {from_ms(12), 3, 1}}, kSimpleSteps,
                 {{"max_sequences", "4"}, {"max_tokens", "8"}, {"chunk", "4"}});
  check_times(run.requests[0], 0, 10, 33);
  check_times(run.requests[1], 4, 10, 20);
  check_times(run.requests[2], 20, 33, 33);
  CHECK(run.requests[0].tpot().count == 11'500'000);
  CHECK(run.requests[1].ttft() == from_ms(9));
  CHECK(run.requests[2].tpot().count == 0);
}

// The same, but the mixed step was executed: 11 ms instead of the sum of 13.
TEST_CASE("serving: an executed mixed step replaces the sum of its parts", "[serving]") {
  std::string steps = kSimpleSteps;
  for (const char* corner : {"1,0,1", "1,0,8", "1,100,1", "1,100,8"})
    steps += std::string("mixed,") + corner + ",0.011\n";
  const ServingRun run = run_server({{from_ms(0), 6, 3}, {from_ms(1), 4, 2}, {from_ms(12), 3, 1}}, steps,
                                    {{"max_sequences", "4"}, {"max_tokens", "8"}, {"chunk", "4"}});
  check_times(run.requests[0], 0, 10, 31);
  check_times(run.requests[2], 20, 31, 31);
}

// Blocks of 4 tokens, 4 of them: each request has 2 after its prefill up to 8 ms, with room for 8 tokens.
// After four decoding steps, at 48, both need a third block, and there is none: request 1 is preempted.
// Request 0 ends at 68. Then request 1 is prefilled again with its 5 tokens: chunks of 8 and 1, up to 77,
// which give its sixth token.
TEST_CASE("serving: the youngest request is preempted and computed again", "[serving]") {
  const ServingRun run = run_server({{from_ms(0), 4, 7}, {from_ms(0), 4, 7}}, kSimpleSteps,
                                    {{"max_sequences", "2"},
                                     {"max_tokens", "16"},
                                     {"chunk", "8"},
                                     {"kv.block_tokens", "4"},
                                     {"kv.blocks", "4"}});
  check_times(run.requests[0], 0, 8, 68);
  check_times(run.requests[1], 0, 8, 87);
  CHECK(run.requests[0].preemptions == 0);
  CHECK(run.requests[1].preemptions == 1);
  CHECK(run.requests[1].dropped_tokens == 8);
  CHECK(run.requests[1].tpot().count == 13'166'667);  // 79 ms over 6 tokens
  CHECK(run.groups[0].count(serving::Count::kPreemptions) == 1);
}

// Both prompts in one step up to 7 ms. Transfers follow each other at 1 ms a token and arrive 2 ms later:
// request 0 at 7 + 4 + 2, request 1 at 11 + 3 + 2. Request 0 decodes from 13, both from 23 to 33.
TEST_CASE("serving: prefill and decoding are separated by a transfer", "[serving]") {
  const ServingRun run = run_server({{from_ms(0), 4, 3}, {from_ms(0), 3, 2}}, kSimpleSteps,
                                    {{"prefill_servers", "1"},
                                     {"decode_servers", "1"},
                                     {"max_sequences", "4"},
                                     {"max_tokens", "8"},
                                     {"chunk", "8"},
                                     {"transfer.token", "1000 B"},
                                     {"transfer.bandwidth", "1 MB/s"},
                                     {"transfer.latency", "2 ms"}});
  check_times(run.requests[0], 0, 7, 33);
  check_times(run.requests[1], 0, 7, 33);
  CHECK(run.requests[0].tpot().count == 13'000'000);
  CHECK(run.requests[1].tpot().count == 26'000'000);
  REQUIRE(run.groups.size() == 2);
  CHECK(run.groups[0].count(serving::Count::kSteps) == 1);
  CHECK(run.groups[1].count(serving::Count::kSteps) == 2);
}

// As above with an ideal link and one sequence at a time: request 1 waits, in the cache of the prefill
// server, until request 0 has ended at 7 + 20.
TEST_CASE("serving: a decode server without room leaves requests on the prefill server", "[serving]") {
  const ServingRun run = run_server({{from_ms(0), 4, 3}, {from_ms(0), 3, 2}}, kSimpleSteps,
                                    {{"prefill_servers", "1"},
                                     {"decode_servers", "1"},
                                     {"max_sequences", "2"},
                                     {"max_tokens", "8"},
                                     {"kv.block_tokens", "4"},
                                     {"kv.blocks", "2"},
                                     {"transfer.bandwidth", "ideal"}});
  check_times(run.requests[0], 0, 7, 27);
  check_times(run.requests[1], 0, 7, 37);
}

// Request 0 is prefilled up to 4 ms and decodes up to 14. Request 1, which arrived at 5, is then prefilled
// alone.
TEST_CASE("serving: whole prompts come before decoding", "[serving]") {
  const ServingRun run = run_server({{from_ms(0), 4, 3}, {from_ms(5), 2, 1}}, kSimpleSteps,
                                    {{"prefill", "whole"}, {"max_sequences", "4"}, {"max_tokens", "8"}});
  check_times(run.requests[0], 0, 4, 26);
  check_times(run.requests[1], 14, 16, 16);
}

// A chunk of 3 tokens executes as 4, and the last of 2 as 2.
TEST_CASE("serving: chunks execute as multiples", "[serving]") {
  const ServingRun run =
      run_server({{from_ms(0), 5, 1}}, kSimpleSteps, {{"chunk", "3"}, {"chunk_multiple", "2"}});
  check_times(run.requests[0], 0, 6, 6);
}

// Both servers are free at 0; request 2 goes to the one whose request has ended.
TEST_CASE("serving: a request goes to the server with the fewest", "[serving]") {
  const ServingRun run = run_server({{from_ms(0), 9, 1}, {from_ms(0), 3, 1}, {from_ms(5), 2, 1}},
                                    kSimpleSteps, {{"servers", "2"}, {"max_sequences", "1"}});
  check_times(run.requests[0], 0, 9, 9);
  check_times(run.requests[1], 0, 3, 3);
  check_times(run.requests[2], 5, 7, 7);
}
