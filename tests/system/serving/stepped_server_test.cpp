// SPDX-License-Identifier: Apache-2.0
// The server against one that is written as plainly as its rules (studies/serving/README.md): lists that are
// searched, and every token of every sequence counted. Times must be equal to the nanosecond.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "studies/serving/input/poisson.h"
#include "tests/support/program/serving_run.h"

using namespace tahoma::tests;
using serving::Nanoseconds, serving::Request;

namespace {

struct PlainRules {
  std::size_t max_sequences, max_tokens, chunk, block_tokens, blocks;
  bool whole;
};

struct PlainRequest {
  Request request;
  std::size_t cached = 0, generated = 0, held = 0, preemptions = 0;
  bool waiting = false, running = false, decoding = false;
  std::int64_t start = -1, first_token = -1, finish = -1;  // ms
  // Tokens that a prefill must cache.
  std::size_t target() const { return request.prompt + generated; }
};

// One server, whose prefill takes 1 ms for a token and whose decoding takes 10 ms.
class PlainServer {
 public:
  PlainServer(const PlainRules& rules, const serving::Requests& requests) : rules_(rules) {
    for (const Request& request : requests) {
      requests_.emplace_back();
      requests_.back().request = request;
    }
  }

  std::vector<PlainRequest> run() {
    while (std::any_of(requests_.begin(), requests_.end(), [](const auto& r) { return r.finish < 0; })) {
      for (PlainRequest& r : requests_)
        if (r.start < 0 && from_ms(now_) >= r.request.arrival) r.waiting = !r.running && r.finish < 0;
      if (const std::int64_t time = step(); time > 0)
        now_ += time, end_step();
      else
        ++now_;
    }
    return requests_;
  }

 private:
  std::size_t blocks_of(std::size_t tokens) const {
    return (tokens + rules_.block_tokens - 1) / rules_.block_tokens;
  }
  std::size_t used() const {
    std::size_t sum = 0;
    for (const PlainRequest& r : requests_) sum += r.held;
    return sum;
  }
  std::size_t running() const {
    return static_cast<std::size_t>(
        std::count_if(requests_.begin(), requests_.end(), [](const auto& r) { return r.running; }));
  }

  // The blocks that decoding sequences lack for one more token.
  std::size_t lacking() const {
    std::size_t sum = 0;
    for (const PlainRequest& r : requests_)
      if (r.decoding) sum += blocks_of(r.cached + 1) - r.held;
    return sum;
  }
  bool preempt_for_room() {
    bool any = false;
    while (used() + lacking() > rules_.blocks) {
      const auto youngest =
          std::find_if(requests_.rbegin(), requests_.rend(), [](const auto& r) { return r.running; });
      youngest->running = youngest->decoding = false;
      youngest->waiting = true;
      youngest->cached = youngest->held = 0;
      ++youngest->preemptions;
      any = true;
    }
    return any;
  }

  std::int64_t decode() {
    std::int64_t time = 0;
    for (PlainRequest& r : requests_)
      if (r.decoding) {
        r.held = blocks_of(r.cached + 1);
        decodes_.push_back(&r);
        time = 10;
      }
    return time;
  }
  std::int64_t prefill(bool admit) {
    std::size_t budget = rules_.max_tokens - decodes_.size();
    std::int64_t time = 0;
    for (PlainRequest& r : requests_) {
      const bool in_progress = r.running && !r.decoding;
      if (!in_progress) continue;
      time += take(r, budget);
    }
    for (PlainRequest& r : requests_) {
      if (!r.waiting) continue;
      const std::size_t more = r.generated + 1 < r.request.output ? 1 : 0;
      const bool fits = blocks_of(r.target() + more) <= rules_.blocks - used();
      if (!admit || running() >= rules_.max_sequences || !fits || budget < (rules_.whole ? r.target() : 1))
        break;
      r.held = blocks_of(r.target() + more);
      r.waiting = false;
      r.running = true;
      if (r.start < 0) r.start = now_;
      time += take(r, budget);
    }
    return time;
  }
  std::int64_t take(PlainRequest& r, std::size_t& budget) {
    std::size_t tokens = std::min(r.target() - r.cached, budget);
    if (!rules_.whole) tokens = std::min(tokens, rules_.chunk);
    budget -= tokens;
    chunks_.emplace_back(&r, tokens);
    return static_cast<std::int64_t>(tokens);
  }

  std::int64_t step() {
    decodes_.clear();
    chunks_.clear();
    if (rules_.whole) {
      if (const std::int64_t time = prefill(true); time > 0) return time;
      preempt_for_room();
      return decode();
    }
    const bool preempted = preempt_for_room();
    const std::int64_t time = decode();
    return time + prefill(!preempted);
  }
  void end_step() {
    for (PlainRequest* r : decodes_) {
      ++r->cached;
      token(*r);
    }
    for (auto& [r, tokens] : chunks_) {
      r->cached += tokens;
      if (r->cached < r->target()) continue;
      r->decoding = true;
      token(*r);
    }
  }
  void token(PlainRequest& r) {
    ++r.generated;
    if (r.first_token < 0) r.first_token = now_;
    if (r.generated < r.request.output) return;
    r.finish = now_;
    r.running = r.decoding = false;
    r.held = 0;
  }

  PlainRules rules_;
  std::vector<PlainRequest> requests_;
  std::vector<PlainRequest*> decodes_;
  std::vector<std::pair<PlainRequest*, std::size_t>> chunks_;
  std::int64_t now_ = 0;
};

serving::Requests whole_ms_requests(std::uint64_t seed) {
  serving::RandomSource random(seed, 0);
  serving::Requests requests;
  std::int64_t time = 0;
  for (int n = 0; n < 150; ++n) {
    time += static_cast<std::int64_t>(random.bits() % 60);
    requests.push_back({from_ms(time), static_cast<std::uint32_t>(1 + random.bits() % 30),
                        static_cast<std::uint32_t>(1 + random.bits() % 20)});
  }
  return requests;
}

std::vector<std::pair<std::string, std::string>> settings_of(const PlainRules& rules) {
  return {{"max_sequences", std::to_string(rules.max_sequences)},
          {"max_tokens", std::to_string(rules.max_tokens)},
          {"chunk", std::to_string(rules.chunk)},
          {"kv.block_tokens", std::to_string(rules.block_tokens)},
          {"kv.blocks", std::to_string(rules.blocks)},
          {"prefill", rules.whole ? "whole" : "chunked"}};
}

}  // namespace

TEST_CASE("serving: a server written plainly gives the same times", "[serving]") {
  std::size_t preemptions = 0;
  for (const PlainRules& rules : {PlainRules{8, 64, 16, 4, 1000, false}, PlainRules{8, 16, 7, 4, 20, false},
                                  PlainRules{5, 12, 100, 1, 60, false}, PlainRules{6, 64, 16, 4, 20, true},
                                  PlainRules{1, 8, 3, 16, 4, false}, PlainRules{12, 50, 9, 3, 33, true}})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const serving::Requests requests = whole_ms_requests(seed);
      const std::vector<PlainRequest> plain = PlainServer(rules, requests).run();
      const ServingRun run = run_server(requests, kSimpleSteps, settings_of(rules));
      for (std::size_t n = 0; n < requests.size(); ++n) {
        INFO("seed " << seed << ", blocks " << rules.blocks << ", request " << n);
        REQUIRE(run.requests[n].start == from_ms(plain[n].start));
        REQUIRE(run.requests[n].first_token == from_ms(plain[n].first_token));
        REQUIRE(run.requests[n].finish == from_ms(plain[n].finish));
        REQUIRE(run.requests[n].preemptions == plain[n].preemptions);
        preemptions += plain[n].preemptions;
      }
    }
  CHECK(preemptions > 100);
}

TEST_CASE("serving: the comparison with the plain server sees one block and one token of a chunk",
          "[serving]") {
  const serving::Requests requests = whole_ms_requests(1);
  const PlainRules rules{8, 16, 7, 4, 20, false};
  const auto differences = [&](const PlainRules& others) {
    const std::vector<PlainRequest> plain = PlainServer(rules, requests).run();
    const ServingRun run = run_server(requests, kSimpleSteps, settings_of(others));
    int count = 0;
    for (std::size_t n = 0; n < requests.size(); ++n)
      if (run.requests[n].finish != from_ms(plain[n].finish)) ++count;
    return count;
  };
  CHECK(differences(rules) == 0);
  CHECK(differences({8, 16, 7, 4, 21, false}) > 0);
  CHECK(differences({8, 16, 8, 4, 20, false}) > 0);
}
