// SPDX-License-Identifier: Apache-2.0
// The syntax of checkpoint requests.
#include <catch2/catch.hpp>

#include "report/checkpoint/dump_request.h"
#include "tests/support/program/refusal_of.h"

using namespace tahoma;
using runtime::DumpPoint;
using runtime::DumpRequest;
using runtime::matches;
using runtime::parse_dump;

TEST_CASE("dump request: a tensor or tile is taken at the end unless a point is named", "[checkpoint]") {
  const DumpRequest end = parse_dump("core0.out");
  CHECK(!end.results);
  CHECK(end.name == "core0.out");
  CHECK(end.point.kind == DumpPoint::Kind::kEnd);
  CHECK(end.point.text().empty());
  CHECK(parse_dump("core0.out@end").point.text().empty());
}

TEST_CASE("dump request: points are regions and instructions, the first time or another", "[checkpoint]") {
  const DumpPoint region = parse_dump("core*.x@gate and up#2").point;
  CHECK(region.kind == DumpPoint::Kind::kRegion);
  CHECK(region.region == "gate_and_up");
  CHECK(region.occurrence == 2);
  CHECK(region.text() == "@gate_and_up#2");
  const DumpPoint instruction = parse_dump("core0.x@vector[12]").point;
  CHECK(instruction.kind == DumpPoint::Kind::kInstruction);
  CHECK(instruction.queue == isa::Queue::kVector);
  CHECK(instruction.index == 12);
  CHECK(instruction.text() == "@vector[12]");
  CHECK(parse_dump("core0.x@end#1").point.region == "end");  // a region of that name
}

TEST_CASE("dump request: instructions are named by queue and number", "[checkpoint]") {
  const DumpRequest one = parse_dump("core0.vector[12]#3.result");
  CHECK(one.results);
  CHECK(one.name == "core0.vector");
  CHECK(one.index == 12U);
  CHECK(one.occurrence == 3U);
  CHECK(one.field == "result");
  const DumpRequest all = parse_dump("results");
  CHECK((all.results && !all.index && !all.occurrence));
  CHECK(all.name == "core*.*");
}

TEST_CASE("dump request: other forms are refused", "[checkpoint][bad-input]") {
  for (const char* text :
       {"", "@end", "core0.x@", "core0.x@vector[]", "core0.x@vector[*]", "core0.x@vector[1", "core0.x@a#0",
        "core0.x@a#two", "core0.vector[1", "core0.vector[-1]", "core0.vector[1]@end", "core0.vector[1]x"}) {
    INFO(text);
    CHECK_THAT(tests::refusal_of([&] { parse_dump(text); }), Catch::Contains("E-CKP-002"));
  }
  CHECK_THAT(tests::refusal_of([] { parse_dump("core0.x@vectro[1]"); }),
             Catch::Contains("did you mean 'vector'?"));
}

TEST_CASE("dump request: a star matches any characters, a question mark one", "[checkpoint]") {
  for (const char* pattern : {"core0.out", "core?.out", "core*", "*", "*.out", "c*0*t", "core0.out*"})
    CHECK(matches(pattern, "core0.out"));
  for (const char* pattern : {"core0.ou", "core??.out", "", "*.in", "core1*", "core0.out?", "ore0.out"})
    CHECK_FALSE(matches(pattern, "core0.out"));
}
