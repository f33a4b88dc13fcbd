// SPDX-License-Identifier: Apache-2.0
// Requests from traces and from distributions.
#include <catch2/catch.hpp>
#include <cmath>

#include "studies/serving/input/arrival_time.h"
#include "studies/serving/input/poisson.h"
#include "studies/serving/input/request_trace.h"
#include "studies/serving/results/percentiles.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/temp_dir.h"

using namespace tahoma::tests;
using namespace tahoma::runtime::serving;
using Catch::Contains;

namespace {

Requests trace_of(const std::string& text) {
  const TempDir dir;
  return read_trace(dir.write("t.csv", text));
}
std::string refused_trace(const std::string& text) {
  return refusal_of([&] { trace_of(text); });
}

const std::string kPlain = "arrival_s,prompt_tokens,output_tokens\n";

LengthParams lengths(LengthKind kind) {
  LengthParams params;
  params.distribution = kind;
  params.max = kMostTokens;
  return params;
}

struct Moments {
  double mean = 0, error = 0, least = INFINITY, most = 0;
};
Moments moments_of(const LengthParams& params) {
  constexpr int kDraws = 100'000;
  const TokenLengths drawn(params, "p");
  RandomSource random(5, 0);
  double sum = 0, squares = 0;
  Moments moments;
  for (int n = 0; n < kDraws; ++n) {
    const double length = drawn.draw(random);
    sum += length;
    squares += length * length;
    moments.least = std::min(moments.least, length);
    moments.most = std::max(moments.most, length);
  }
  moments.mean = sum / kDraws;
  moments.error = std::sqrt((squares / kDraws - moments.mean * moments.mean) / kDraws);
  return moments;
}
void check_mean(const LengthParams& params, double expected) {
  const Moments moments = moments_of(params);
  INFO("mean " << moments.mean << " +- " << moments.error);
  CHECK(std::abs(moments.mean - expected) <= 4 * moments.error + 1e-9);
}

}  // namespace

TEST_CASE("trace: seconds are exact to the nanosecond, in any order of columns", "[serving]") {
  const Requests requests = trace_of(
      "# a "
      "comment\noutput_tokens,user,arrival_s,prompt_tokens\r\n7,ann,0.1,5\r\n\n1,bob,0.1,16777216\n9,ann,1e2,"
      "3");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].arrival.count == 100'000'000);
  CHECK(requests[0].prompt == 5);
  CHECK(requests[0].output == 7);
  CHECK(requests[1].prompt == kMostTokens);
  CHECK(requests[2].arrival.count == 100'000'000'000);
}

TEST_CASE("trace: Azure's timestamps count from the first request", "[serving]") {
  const Requests in_2023 = trace_of(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.9799600,4808,10\n2023-11-17 "
      "00:00:01.0,3180,8");
  REQUIRE(in_2023.size() == 2);
  CHECK(in_2023[0].arrival.count == 0);
  CHECK(in_2023[1].arrival.count == 1'020'040'000);
  CHECK(in_2023[0].prompt == 4808);
  CHECK(in_2023[1].output == 8);
  const Requests in_2024 = trace_of(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 00:00:00.009930+00:00,1,1\n"
      "2024-03-01 00:00:00+00:00,1,1\n");
  CHECK(in_2024[1].arrival.count == 2 * 86'400 * kNanosecondsPerSecond - 9'930'000);  // a leap year
}

TEST_CASE("trace: malformed times and days that do not exist are refused", "[serving]") {
  for (const char* text : {"2023-02-29 00:00:00", "2023-11-16 24:00:00", "2023-11-16", "2023-11-16 1:00:00",
                           "2023-11-16 01:00:00.", "2023-11-16 01:00:00+02:00",
                           "2023-11-16 01:00:00.1234567890", "1023-11-16 01:00:00", "x"})
    CHECK_THAT(refusal_of([&] { parse_timestamp(text); }), Contains("error[E-SRV-003]"));
  for (const char* text : {"-1", "1 s", "", "nan", "0x1", "1e10", "1.2.3", "01"})
    CHECK_THAT(refusal_of([&] { parse_seconds(text); }), Contains("error[E-SRV-003]"));
}

TEST_CASE("trace: wrong rows are refused at their place", "[serving]") {
  CHECK_THAT(refused_trace(kPlain + "-0.5,1,1\n"), Contains("t.csv:2:1: error[E-SRV-003]"));
  CHECK_THAT(refused_trace(kPlain + "2,1,1\n1.5,1,1\n"),
             Contains("t.csv:3:1: error[E-SRV-004]") && Contains("sort the trace"));
  CHECK_THAT(refused_trace(kPlain + "0,0,1\n"),
             Contains("t.csv:2:3: error[E-SRV-005]") && Contains("prompt_tokens"));
  CHECK_THAT(refused_trace(kPlain + "0,1,0\n"), Contains("t.csv:2:5: error[E-SRV-005]"));
  CHECK_THAT(refused_trace(kPlain + "0,1000000000000,1\n"),
             Contains("E-SRV-005") && Contains("from 1 to 16777216, got '1000000000000'"));
  CHECK_THAT(refused_trace(kPlain + "0,-3,1\n"), Contains("E-SRV-005"));
  CHECK_THAT(refused_trace(kPlain + "0,1.5,1\n"), Contains("E-SRV-005"));
  CHECK_THAT(refused_trace(kPlain + "0,,1\n"), Contains("E-SRV-005"));
  CHECK_THAT(refused_trace(kPlain + "0,1,1\n1,5"),
             Contains("t.csv:3: error[E-SRV-001]") && Contains("truncated"));
  CHECK_THAT(refused_trace(kPlain + "0,1,1,1\n"), Contains("E-SRV-001"));
  CHECK_THAT(refused_trace(kPlain + std::string(5000, '1') + ",1,1\n"),
             Contains("t.csv:2: error[E-SRV-001]"));
  CHECK_THAT(
      refused_trace("arrival_s,prompt_tokens\n0,1\n"),
      Contains("t.csv:1: error[E-SRV-002]") && Contains("'output_tokens' or 'GeneratedTokens' is missing"));
  CHECK_THAT(refused_trace("prompt_tokens,output_tokens\n1,1\n"),
             Contains("'arrival_s' or 'TIMESTAMP' is missing"));
  CHECK_THAT(refused_trace("TIMESTAMP,arrival_s,prompt_tokens,output_tokens\n"), Contains("got both"));
  CHECK_THAT(refused_trace("arrival_s,prompt_tokens,ContextTokens,output_tokens\n"),
             Contains("columns 'prompt_tokens' and 'ContextTokens' are two names of the same"));
  CHECK_THAT(refused_trace("arrival_s,prompt_tokens,prompt_tokens,output_tokens\n"),
             Contains("'prompt_tokens' appears twice"));
  CHECK_THAT(refused_trace(kPlain), Contains("t.csv: error[E-SRV-006]"));
  CHECK_THAT(refused_trace(""), Contains("error[E-SRV-006]"));
  CHECK_THAT(refusal_of([] { read_trace("/dev/zero"); }), Contains("/dev/zero:1: error[E-SRV-001]"));
  CHECK_THAT(refusal_of([] { read_trace("."); }), Contains("error[E-RUN-001]"));
  CHECK_THAT(refusal_of([] { read_trace("missing.csv"); }), Contains("missing.csv: error[E-RUN-001]"));
}

TEST_CASE("lengths: the means are those of the distributions", "[serving]") {
  LengthParams uniform = lengths(LengthKind::kUniform);
  uniform.min = 10;
  uniform.max = 30;
  check_mean(uniform, 20);
  CHECK(moments_of(uniform).least == 10);
  CHECK(moments_of(uniform).most == 30);
  LengthParams geometric = lengths(LengthKind::kGeometric);
  geometric.mean = 40;
  check_mean(geometric, 40);
  CHECK(moments_of(geometric).least == 1);
  geometric.mean = 1;
  check_mean(geometric, 1);
  LengthParams lognormal = lengths(LengthKind::kLognormal);
  lognormal.median = 500;
  lognormal.sigma = 0.5;
  check_mean(lognormal, 500 * std::exp(0.125));
  lognormal.max = 600;
  CHECK(moments_of(lognormal).most == 600);
  LengthParams constant = lengths(LengthKind::kConstant);
  constant.value = 77;
  check_mean(constant, 77);
  const TempDir dir;
  LengthParams empirical = lengths(LengthKind::kEmpirical);
  empirical.file = dir.write("e.csv", "tokens,count\n10,3\n50,1\n");
  check_mean(empirical, 20);
}

TEST_CASE("lengths: what cannot be drawn is refused", "[serving]") {
  const TempDir dir;
  const auto refused = [](const LengthParams& params) {
    return refusal_of([&] { TokenLengths drawn(params, "p"); });
  };
  LengthParams params = lengths(LengthKind::kUniform);
  params.min = 5;
  params.max = 4;
  CHECK_THAT(refused(params), Contains("p.min: error[E-SRV-021]"));
  CHECK_THAT(refused(lengths(LengthKind::kEmpirical)), Contains("p.file: error[E-SRV-021]"));
  params = lengths(LengthKind::kEmpirical);
  params.file = dir.write("e.csv", "tokens,count\n10,0\n");
  CHECK_THAT(refused(params), Contains("e.csv:2:4: error[E-SRV-003]"));
  params.file = dir.write("e.csv", "tokens,count\n0,1\n");
  CHECK_THAT(refused(params), Contains("e.csv:2:1: error[E-SRV-005]"));
}

TEST_CASE("poisson: gaps are exponential and independent of the lengths", "[serving]") {
  PoissonParams params;
  params.rate = 8;
  params.requests = 100'000;
  params.seed = 3;
  params.prompt = params.output = lengths(LengthKind::kConstant);
  params.prompt.value = params.output.value = 5;
  const Requests requests = poisson_requests(params, "p");
  double longer = 0;  // than the mean: a share of 1/e
  Nanoseconds last;
  for (const Request& request : requests) {
    longer += (request.arrival - last).seconds() > 1.0 / 8 ? 1.0 / 100'000 : 0;
    last = request.arrival;
  }
  CHECK(requests.back().arrival.seconds() / 100'000 == Approx(1.0 / 8).epsilon(4 / std::sqrt(100'000.0)));
  CHECK(longer == Approx(std::exp(-1)).margin(4 * std::sqrt(0.233 / 100'000)));
  params.output.value = 9;
  const Requests others = poisson_requests(params, "p");
  for (std::size_t n = 0; n < requests.size(); ++n) REQUIRE(others[n].arrival == requests[n].arrival);
  params.seed = 4;
  CHECK(poisson_requests(params, "p").front().arrival != requests.front().arrival);
  params.rate = 1e-9;
  CHECK_THAT(refusal_of([&] { poisson_requests(params, "p"); }), Contains("p.rate: error[E-SRV-021]"));
}

TEST_CASE("percentiles: nearest rank", "[serving]") {
  TimeSamples samples;
  for (const std::int64_t time : {50, 15, 35, 20, 40}) samples.add({time});
  CHECK(samples.percentile(5).count == 15);  // the example of the definition: ranks 1, 2, 2, 3, 5
  CHECK(samples.percentile(30).count == 20);
  CHECK(samples.percentile(40).count == 20);
  CHECK(samples.percentile(50).count == 35);
  CHECK(samples.percentile(100).count == 50);
  CHECK(samples.statistics().mean_seconds == Approx(32e-9));
  CHECK(TimeSamples().statistics().count == 0);
}
