// SPDX-License-Identifier: Apache-2.0
#include "isa/core/stream.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "isa/core/program.h"
#include "runtime/host/host_threads.h"

using namespace tahoma;
using isa::Instruction, isa::Program, isa::Queue, isa::Stream;

namespace {

Instruction wait_for(std::uint32_t value) {
  Instruction i;
  i.op = isa::Opcode::kSemWait;
  i.wait = {isa::Wait::Kind::kGe, 1, value};
  return i;
}

Program program_of(std::uint32_t waits, bool negate = false) {
  Program p;
  for (std::uint32_t n = 0; n < waits; ++n) p.stream(Queue::kSync).push_back(wait_for(n));
  p.stream(Queue::kVector).push_back(wait_for(7));
  p.stream(Queue::kVector).back().negate = negate;  // not part of the hash
  return p;
}

}  // namespace

TEST_CASE("stream: copies share their instructions until one is changed, and only that one changes",
          "[isa]") {
  Stream one(Stream::List{wait_for(1), wait_for(2)});
  Stream other = one;
  CHECK(other.shares(one));
  other[1].wait.value = 3;
  CHECK_FALSE(other.shares(one));
  CHECK(std::as_const(one)[1].wait.value == 2);
  CHECK(std::as_const(other)[1].wait.value == 3);
  CHECK(one != other);
  other[1].wait.value = 2;
  CHECK(one == other);
  CHECK(Stream() == Stream(Stream::List{}));
}

TEST_CASE("stream pool: equal streams become one, unequal ones of the same hash do not", "[isa]") {
  isa::StreamPool pool;
  Program first = program_of(5), same = program_of(5), longer = program_of(6), negated = program_of(5, true);
  for (Program* p : {&first, &same, &longer, &negated}) {
    const Program before = *p;
    pool.share(*p);
    CHECK(*p == before);
  }
  CHECK(same.stream(Queue::kSync).shares(first.stream(Queue::kSync)));
  CHECK(same.stream(Queue::kVector).shares(first.stream(Queue::kVector)));
  CHECK_FALSE(longer.stream(Queue::kSync).shares(first.stream(Queue::kSync)));
  CHECK(longer.stream(Queue::kVector).shares(first.stream(Queue::kVector)));
  CHECK(negated.stream(Queue::kSync).shares(first.stream(Queue::kSync)));
  CHECK_FALSE(negated.stream(Queue::kVector).shares(first.stream(Queue::kVector)));
}

TEST_CASE(
    "stream pool: different streams share the instructions that are equal, and an edited one changes alone",
    "[isa]") {
  isa::StreamPool pool;
  Program first = program_of(5), longer = program_of(6);
  pool.share(first);
  pool.share(longer);
  const Stream &a = std::as_const(first).stream(Queue::kSync),
               &b = std::as_const(longer).stream(Queue::kSync);
  for (std::size_t n = 0; n < a.size(); ++n) CHECK(&a[n] == &b[n]);
  const Stream copy = b;
  longer.stream(Queue::kSync)[2].wait.value = 9;
  CHECK(b[2].wait.value == 9);
  CHECK(copy[2].wait.value == 2);
  CHECK(a[2].wait.value == 2);
}

TEST_CASE("stream pool: instructions that differ in a peer or in the sign of a zero stay different",
          "[isa]") {
  isa::StreamPool pool;
  const auto change = [](int which, Instruction& i) {
    if (which == 1) i.peer = 1;
    if (which == 2) i.read_peer = 1;
    if (which == 3) i.scalar1.imm = -0.0F;
  };
  for (const int which : {0, 1, 2, 3}) {
    Program p = program_of(1);
    change(which, p.stream(Queue::kSync).back());
    pool.share(p);
    const Instruction& kept = std::as_const(p).stream(Queue::kSync)[0];
    CHECK(kept.peer == (which == 1 ? 1 : 0));
    CHECK(kept.read_peer == (which == 2 ? 1 : 0));
    CHECK(std::signbit(kept.scalar1.imm) == (which == 3));
  }
}

TEST_CASE("stream pool: programs of several threads keep their instructions", "[isa]") {
  isa::StreamPool pool;
  std::vector<Program> programs(64);
  for (std::uint32_t n = 0; n < programs.size(); ++n) programs[n] = program_of(n % 4);
  runtime::for_each_block(programs.size(), [&](std::uint64_t n) { pool.share(programs[n]); });
  for (std::uint32_t n = 0; n < programs.size(); ++n) CHECK(programs[n] == program_of(n % 4));
}
