// SPDX-License-Identifier: Apache-2.0
// Times of steps between executed ones.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "studies/serving/steps/held_back.h"
#include "studies/serving/steps/step_table.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/temp_dir.h"

using namespace tahoma::tests;
using namespace tahoma::runtime::serving;
using Catch::Contains;

namespace {

const std::string kHeader = "phase,batch,context,tokens,seconds,joules\n";

// Multilinear in each pair of axes, with a product: what the interpolation must reproduce in every cell.
double decode_law(double batch, double context) {
  return 0.001 + 0.0002 * batch + 1e-6 * context + 3e-8 * batch * context;
}
double prefill_law(double tokens, double context) {
  return 0.002 + 1e-5 * tokens + 1e-7 * context + 2e-9 * tokens * context;
}

std::string law_rows() {
  std::string rows = kHeader;
  for (const double batch : {1, 8, 64})
    for (const double context : {0, 1000, 4000})
      rows += fmt::format("decode,{},{},0,{},{}\n", batch, context, decode_law(batch, context),
                          2 * decode_law(batch, context));
  for (const double tokens : {16, 512})
    for (const double context : {0, 4096})
      rows += fmt::format("prefill,1,{},{},{},{}\n", context, tokens, prefill_law(tokens, context), 1.0);
  return rows;
}

StepPoint decode_point(double batch, double context) { return {batch, context, 0, 0}; }

std::string refusal(const std::string& rows) {
  const TempDir dir;
  dir.write("s.csv", rows);
  return refusal_of([&] { StepTable table(dir / "s.csv"); });
}

}  // namespace

TEST_CASE("step table: a multilinear law is reproduced in every cell", "[serving]") {
  const TempDir dir;
  const StepTable table(dir.write("s.csv", law_rows()));
  for (const double batch : {1.0, 2.0, 7.0, 8.0, 33.0, 64.0})
    for (const double context : {0.0, 0.5, 999.0, 1000.0, 2500.0, 4000.0}) {
      const StepCost cost = table.cost_at(StepPhase::kDecode, decode_point(batch, context));
      CHECK(cost.seconds == Approx(decode_law(batch, context)).epsilon(1e-12));
      CHECK(cost.joules == Approx(2 * decode_law(batch, context)).epsilon(1e-12));
    }
  for (const double tokens : {16.0, 100.0, 512.0})
    for (const double context : {0.0, 77.0, 4096.0})
      CHECK(table.cost_at(StepPhase::kPrefill, {1, context, tokens, 0}).seconds ==
            Approx(prefill_law(tokens, context)).epsilon(1e-12));
}

TEST_CASE("step table: an executed point has its own time, whatever its neighbours", "[serving]") {
  const TempDir dir;
  const StepTable table(
      dir.write("s.csv", kHeader + "decode,1,0,0,0.1,0\ndecode,2,0,0,7,0\ndecode,3,0,0,0.3,0\n"));
  CHECK(table.cost_at(StepPhase::kDecode, decode_point(2, 0)).seconds == 7);
  CHECK(table.cost_at(StepPhase::kDecode, decode_point(1, 0)).seconds == 0.1);
}

TEST_CASE("step table: a step with several parts is their sum", "[serving]") {
  const TempDir dir;
  const StepTable table(dir.write("s.csv", law_rows()));
  const PromptChunk chunks[] = {{16, 0}, {100, 50}};
  const StepCost cost = table.cost_of({8, 500, chunks});
  CHECK(cost.seconds ==
        Approx(decode_law(8, 500) + prefill_law(16, 0) + prefill_law(100, 50)).epsilon(1e-12));
  CHECK(table.cost_of({8, 500, {}}).seconds == Approx(decode_law(8, 500)).epsilon(1e-12));
}

TEST_CASE("step table: a mixed step counts in its executed range only", "[serving]") {
  std::string rows = "phase,batch,context,tokens,seconds,chunk_context\n";
  for (const char* corner : {"1,0,16,{},0", "1,0,512,{},0", "8,0,16,{},0", "8,0,512,{},0"})
    rows += "mixed," + fmt::format(fmt::runtime(corner), 0.5) + "\n";
  rows +=
      "decode,1,0,0,1,0\ndecode,8,0,0,1,0\nprefill,1,0,16,1,0\nprefill,1,0,512,1,0\nprefill,1,64,16,1,0\n"
      "prefill,1,64,512,1,0\n";
  const TempDir dir;
  const StepTable table(dir.write("s.csv", rows));
  const PromptChunk first[] = {{100, 0}}, later[] = {{100, 64}}, two[] = {{100, 0}, {20, 0}};
  CHECK(table.cost_of({4, 0, first}).seconds == 0.5);
  CHECK(table.cost_of({4, 0, later}).seconds == 2);  // no mixed step with a context of the chunk was executed
  CHECK(table.cost_of({4, 0, two}).seconds == 3);
  CHECK(table.cost_of({0, 0, first}).seconds == 1);
}

// T(n) = n + n^2 / 1000, in ms, at multiples of 100: the differences telescope to the time of the whole
// prompt.
TEST_CASE("step table: differences of prompts add up to the whole prompt", "[serving]") {
  std::string rows = kHeader;
  const auto whole = [](int tokens) { return 1e-3 * tokens + 1e-6 * tokens * tokens; };
  for (int tokens = 100; tokens <= 1000; tokens += 100)
    rows += fmt::format("prefill,1,0,{},{},0\n", tokens, whole(tokens));
  const TempDir dir;
  const StepTable table(dir.write("s.csv", rows), ChunkTimes::kDifference);
  double sum = 0;
  for (std::uint64_t context = 0; context < 1000; context += 200) {
    const PromptChunk chunk[] = {{200, context}};
    sum += table.cost_of({0, 0, chunk}).seconds;
  }
  CHECK(sum == Approx(whole(1000)).epsilon(1e-12));
  // A chunk takes at least as long as without a context, and executed contexts are not replaced unasked.
  const StepTable flat(dir.write("f.csv", kHeader + "prefill,1,0,1,1,0\nprefill,1,0,1000,1,0\n"),
                       ChunkTimes::kDifference);
  const PromptChunk later[] = {{100, 100}};
  CHECK(flat.cost_of({0, 0, later}).seconds == 1);
  const StepTable executed(dir / "s.csv");
  CHECK_THAT(refusal_of([&] { executed.cost_of({0, 0, later}); }), Contains("E-SRV-014"));
}

TEST_CASE("step table: extrapolation is refused at the nearest executed point", "[serving]") {
  const TempDir dir;
  const StepTable table(dir.write("s.csv", law_rows()));
  const std::string refused = refusal_of([&] { table.cost_at(StepPhase::kDecode, decode_point(100, 3500)); });
  CHECK_THAT(refused, Contains("s.csv:10: error[E-SRV-014]") &&
                          Contains("decode step of batch 100, context 3500") &&
                          Contains("batch 1 .. 64, context 0 .. 4000") &&
                          Contains("nearest executed point is the decode step of batch 64, context 4000"));
  CHECK_THAT(refusal_of([&] { table.cost_at(StepPhase::kPrefill, {1, 0, 15, 0}); }), Contains("E-SRV-014"));
  CHECK_THAT(refusal_of([&] {
               table.cost_at(StepPhase::kMixed, {1, 0, 15, 0});
             }),
             Contains("s.csv: error[E-SRV-013]") && Contains("no mixed steps"));
}

TEST_CASE("step table: rows that are wrong are refused at their place", "[serving]") {
  CHECK_THAT(refusal(kHeader + "decode,1,0,0,-0.1,0\n"), Contains("s.csv:2:14: error[E-SRV-003]"));
  CHECK_THAT(refusal(kHeader + "decode,1,0,0,0,0\n"), Contains("E-SRV-003") && Contains("seconds from 1e-9"));
  CHECK_THAT(refusal(kHeader + "decode,1,0,0,nan,0\n"), Contains("E-SRV-003"));
  CHECK_THAT(refusal(kHeader + "decode,1,-5,0,1,0\n"), Contains("s.csv:2:10: error[E-SRV-003]"));
  CHECK_THAT(refusal(kHeader + "decode,1e12,0,0,1,0\n"), Contains("E-SRV-003"));
  CHECK_THAT(refusal(kHeader + "decod,1,0,0,1,0\n"),
             Contains("E-SRV-010") && Contains("did you mean 'decode'?"));
  CHECK_THAT(refusal(kHeader + "decode,0,0,0,1,0\n"), Contains("s.csv:2:8: error[E-SRV-010]"));
  CHECK_THAT(refusal(kHeader + "prefill,2,0,16,1,0\n"), Contains("E-SRV-010") && Contains("expected 1"));
  CHECK_THAT(refusal(kHeader + "prefill,1,0,0,1,0\n"), Contains("E-SRV-010") && Contains("at least 1"));
  CHECK_THAT(refusal(kHeader + "decode,4,0,3,1,0\n"), Contains("0 or the batch"));
  CHECK_THAT(refusal(kHeader + "decode,1,0\n"),
             Contains("s.csv:2: error[E-SRV-001]") && Contains("truncated"));
  CHECK_THAT(refusal("phase,batch,context,seconds\n"),
             Contains("s.csv:1: error[E-SRV-002]") && Contains("'tokens'"));
  CHECK_THAT(refusal("phase,batch,context,tokens,seconds,jouls\n"), Contains("did you mean 'joules'?"));
  CHECK_THAT(refusal(kHeader), Contains("E-SRV-006"));
}

TEST_CASE("step table: a grid with a gap, and a point twice, are refused", "[serving]") {
  const std::string gap = kHeader + "decode,1,0,0,1,0\ndecode,8,0,0,1,0\ndecode,1,100,0,1,0\n";
  CHECK_THAT(refusal(gap), Contains("error[E-SRV-012]") && Contains("batch 8, context 100 is missing"));
  CHECK(refusal(gap + "decode,8,100,0,1,0\n") == "accepted");
  CHECK_THAT(refusal(gap + "decode,8,0,0,2,0\n"),
             Contains("s.csv:5: error[E-SRV-011]") && Contains("s.csv:3"));
}

TEST_CASE("step table: a grid of very many cells is refused at once", "[serving]") {
  std::string rows = "phase,batch,context,tokens,seconds,chunk_context\n";
  for (int n = 1; n <= 9000; ++n) rows += fmt::format("mixed,{0},{0},{0},1,{0}\n", n);
  CHECK_THAT(refusal(rows), Contains("E-SRV-012"));
  for (int n = 9001; n <= 10'001; ++n) rows += fmt::format("mixed,{0},{0},{0},1,{0}\n", n);
  CHECK_THAT(refusal(rows), Contains("s.csv:10002: error[E-SRV-008]"));
}

// The law is curved here: at the middle of a cell the interpolation of x^2 between 1 and 3 gives 5 instead of
// 4.
TEST_CASE("held back: the error is that of the interpolation", "[serving]") {
  const TempDir dir;
  const StepTable table(
      dir.write("s.csv", kHeader + "decode,1,0,0,1,0\ndecode,3,0,0,9,0\ndecode,5,0,0,25,0\n"));
  const HeldBack held_back =
      held_back_errors(table, dir.write("h.csv", kHeader + "decode,2,0,0,4,0\ndecode,4,0,0,17,0\n"));
  REQUIRE(held_back.steps.size() == 2);
  CHECK(held_back.steps[0].error_percent() == Approx(25));
  CHECK(held_back.steps[1].error_percent() == Approx(0).margin(1e-9));
  CHECK(held_back.mean_percent() == Approx(12.5));
  CHECK(held_back.worst().executed.cost.seconds == 4);
  CHECK_THAT(held_back_text(held_back),
             Contains("+25.00  decode step of batch 2, context 0") &&
                 Contains("held back: 2 steps, mean error 12.50 %, worst 25.00 %"));
  const auto refused = [&](const std::string& row) {
    return refusal_of([&] { held_back_errors(table, dir.write("h.csv", kHeader + row)); });
  };
  CHECK_THAT(refused("decode,3,0,0,9,0\n"), Contains("h.csv:2: error[E-SRV-015]"));
  CHECK_THAT(refused("decode,6,0,0,9,0\n"), Contains("h.csv:2: error[E-SRV-014]"));
}
