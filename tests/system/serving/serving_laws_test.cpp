// SPDX-License-Identifier: Apache-2.0
// Laws that hold for every server: queueing theory, Little's law, conservation.
#include <catch2/catch.hpp>
#include <cmath>

#include "studies/serving/input/poisson.h"
#include "tests/support/program/serving_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using serving::Count, serving::Level;

namespace {

serving::LengthParams constant_length(std::uint64_t tokens) {
  serving::LengthParams length;
  length.value = tokens;
  length.max = serving::kMostTokens;
  return length;
}

serving::LengthParams uniform_length(std::uint64_t min, std::uint64_t max) {
  serving::LengthParams length;
  length.distribution = serving::LengthKind::kUniform;
  length.min = min;
  length.max = max;
  return length;
}

// Mean and its standard error by the method of batch means: the means of long batches are nearly independent.
struct Estimate {
  double mean, error;
  bool agrees_with(double expected) const { return std::abs(mean - expected) <= 4 * error; }
};

Estimate mean_wait(const ServingRun& run) {
  constexpr std::size_t kBatches = 40;
  const std::size_t size = run.requests.size() / kBatches;
  std::vector<double> means(kBatches);
  for (std::size_t n = 0; n < kBatches * size; ++n)
    means[n / size] += run.requests[n].wait().seconds() / static_cast<double>(size);
  double mean = 0, squares = 0;
  for (const double batch : means) mean += batch / kBatches;
  for (const double batch : means) squares += (batch - mean) * (batch - mean);
  return {mean, std::sqrt(squares / (kBatches - 1) / kBatches)};
}

// Steps of 1 s, whatever is in them.
const std::string kUnitSteps =
    "phase,batch,context,tokens,seconds\n"
    "prefill,1,0,1,1\nprefill,1,0,4096,1\ndecode,1,0,1,1\n";

ServingRun single_server_queue(double rate, std::uint64_t requests) {
  serving::PoissonParams poisson;
  poisson.rate = rate;
  poisson.requests = requests;
  poisson.seed = 7;
  poisson.prompt = constant_length(100);
  poisson.output = constant_length(1);
  return run_server(serving::poisson_requests(poisson, "poisson"), kUnitSteps, {{"max_sequences", "1"}});
}

serving::Requests mixed_requests(std::uint64_t count, std::uint64_t seed) {
  serving::PoissonParams poisson;
  poisson.rate = 40;
  poisson.requests = count;
  poisson.seed = seed;
  poisson.prompt = uniform_length(1, 60);
  poisson.output = uniform_length(1, 30);
  return serving::poisson_requests(poisson, "poisson");
}

const std::vector<std::vector<std::pair<std::string, std::string>>> kServers{
    {{"max_sequences", "8"}, {"max_tokens", "64"}, {"chunk", "16"}},
    {{"max_sequences", "8"},
     {"max_tokens", "64"},
     {"chunk", "16"},
     {"kv.block_tokens", "4"},
     {"kv.blocks", "25"}},
    {{"max_sequences", "8"},
     {"max_tokens", "90"},
     {"prefill", "whole"},
     {"kv.block_tokens", "1"},
     {"kv.blocks", "120"}},
    {{"servers", "3"},
     {"max_sequences", "4"},
     {"max_tokens", "64"},
     {"kv.block_tokens", "16"},
     {"kv.blocks", "8"}},
    {{"prefill_servers", "2"},
     {"decode_servers", "3"},
     {"max_sequences", "6"},
     {"max_tokens", "64"},
     {"chunk", "16"},
     {"kv.block_tokens", "4"},
     {"kv.blocks", "26"},
     {"transfer.latency", "3 ms"},
     {"transfer.bandwidth", "100 MB/s"}}};

}  // namespace

// The formula of Pollaczek and Khinchine for a constant service time D: the mean wait is rho D / (2 (1 -
// rho)).
TEST_CASE("serving: one request at a time is an M/D/1 queue", "[serving]") {
  for (const double rho : {0.5, 0.8}) {
    const ServingRun run = single_server_queue(rho, 200'000);
    const Estimate wait = mean_wait(run);
    const double law = rho / (2 * (1 - rho));
    INFO("rho " << rho << ": mean wait " << wait.mean << " +- " << wait.error << ", law " << law);
    CHECK(wait.agrees_with(law));
    CHECK(wait.error < 0.02 * law);
    CHECK_FALSE(wait.agrees_with(2 * law));  // M/M/1: exponential service
    CHECK_FALSE(wait.agrees_with(1.1 * law));
    const double elapsed = static_cast<double>(run.series.end().count);
    const double busy =
        static_cast<double>(run.series.total(0).integrals[static_cast<std::size_t>(Level::kBusy)]);
    CHECK(busy / elapsed == Approx(rho).epsilon(0.01));
  }
}

// The integral of the number of requests in the system over time is the sum of their times in it: exactly.
TEST_CASE("serving: Little's law holds exactly", "[serving]") {
  for (const auto& server : kServers) {
    const ServingRun run = run_server(mixed_requests(3000, 3), kSimpleSteps, server);
    base::Uint128 integral = 0, sum = 0;
    for (std::size_t g = 0; g < run.groups.size(); ++g)
      for (const Level level : {Level::kWaiting, Level::kRunning})
        integral += run.series.total(g).integrals[static_cast<std::size_t>(level)];
    for (const serving::FinishedRequest& request : run.requests)
      sum += static_cast<std::uint64_t>(request.end_to_end().count);
    CHECK(integral == sum);
  }
}

// Cluster::run also checks that all blocks are given back.
TEST_CASE("serving: every request ends once with its tokens, and blocks balance", "[serving]") {
  for (const auto& server : kServers) {
    const serving::Requests requests = mixed_requests(3000, 5);
    const ServingRun run = run_server(requests, kSimpleSteps, server);
    std::uint64_t tokens = 0, preemptions = 0, generated = 0, counted = 0;
    for (std::size_t n = 0; n < requests.size(); ++n) {
      CHECK(run.ends[n] == 1);
      CHECK(requests[n].arrival <= run.requests[n].start);
      CHECK(run.requests[n].start < run.requests[n].first_token);
      CHECK(run.requests[n].first_token <= run.requests[n].finish);
      tokens += requests[n].output;
      preemptions += run.requests[n].preemptions;
    }
    for (std::size_t g = 0; g < run.groups.size(); ++g) {
      const serving::GroupState& group = run.groups[g];
      for (const std::uint64_t level : group.levels) CHECK(level == 0);
      CHECK(group.count(Count::kEntered) == group.count(Count::kLeft));
      CHECK(run.series.most(g, Level::kBlocks) <= group.blocks);
      generated += group.count(Count::kOutputTokens);
      counted += group.count(Count::kPreemptions);
    }
    CHECK(generated == tokens);
    CHECK(counted == preemptions);
  }
}

TEST_CASE("serving: small caches preempt, so that the laws above are tested with preemption", "[serving]") {
  for (const std::size_t server : {1U, 2U, 3U, 4U}) {
    const ServingRun run = run_server(mixed_requests(3000, 5), kSimpleSteps, kServers[server]);
    INFO("server " << server);
    CHECK(run.groups.back().count(Count::kPreemptions) > 10);
  }
}

TEST_CASE("serving: a server that does nothing else needs the sum of its steps", "[serving]") {
  const serving::Requests requests(1, {from_ms(0), 37, 12});
  const ServingRun run = run_server(requests, kSimpleSteps, {{"chunk", "10"}});
  CHECK(run.requests[0].finish == from_ms(37 + 11 * 10));
}
