// SPDX-License-Identifier: Apache-2.0
// The list of the scalar engine's functions: complete, with ranges as published, and its sets of function
// tables.
#include "isa/table/activation_functions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>

#include "isa/table/table_names.h"
#include "tests/support/reference/activation_reference.h"

namespace {

using namespace tahoma;
using isa::ActFn;

bool holds(unsigned set, ActFn fn) { return ((isa::activation_function(fn).table_sets >> set) & 1U) != 0; }

constexpr ActFn kCheap[] = {ActFn::kCopy,  ActFn::kSquare, ActFn::kRelu,
                            ActFn::kPrelu, ActFn::kAbs,    ActFn::kSign};

bool cheap(ActFn fn) { return std::find(std::begin(kCheap), std::end(kCheap), fn) != std::end(kCheap); }

// The functions of a set other than the cheap ones.
std::set<std::string_view> names_in(unsigned set) {
  std::set<std::string_view> names;
  for (const ActFn fn : test::all_activations())
    if (!cheap(fn) && holds(set, fn)) names.insert(isa::name_of(fn));
  return names;
}

}  // namespace

TEST_CASE("activation functions: one row for every published name, with a formula", "[isa]") {
  const std::set<std::string> published{"copy",     "square", "sigmoid",
                                        "relu",     "prelu",  "gelu",
                                        "gelu_dx",  "silu",   "gelu_apprx_tanh",
                                        "silu_dx",  "tanh",   "gelu_apprx_sigmoid",
                                        "softplus", "mish",   "erf",
                                        "erf_dx",   "exp",    "gelu_apprx_sigmoid_dx",
                                        "log",      "sin",    "arctan",
                                        "sqrt",     "rsqrt",  "reciprocal",
                                        "sign",     "abs"};
  std::set<std::string> listed;
  for (const isa::ActFnRow& row : isa::activation_functions()) {
    listed.insert(std::string(isa::name_of(row.fn)));
    CHECK_FALSE(row.formula.empty());
    CHECK(&isa::activation_function(row.fn) == &row);
    CHECK(isa::from_name<ActFn>(isa::name_of(row.fn)) == row.fn);
  }
  CHECK(listed == published);
}

TEST_CASE("activation functions: the ranges that AWS publishes, and no others", "[isa]") {
  const auto range = [](ActFn fn) { return isa::activation_function(fn).published; };
  const double pi = std::acos(-1.0);
  CHECK((range(ActFn::kLog).low == std::ldexp(1.0, -64) && range(ActFn::kLog).high == std::ldexp(1.0, 64)));
  CHECK((range(ActFn::kSin).low == -pi && range(ActFn::kSin).high == pi));
  CHECK((range(ActFn::kArctan).low == -pi / 2 && range(ActFn::kArctan).high == pi / 2));
  CHECK(
      (range(ActFn::kSqrt).low == std::ldexp(1.0, -116) && range(ActFn::kSqrt).high == std::ldexp(1.0, 118)));
  CHECK(
      (range(ActFn::kRsqrt).low == std::ldexp(1.0, -87) && range(ActFn::kRsqrt).high == std::ldexp(1.0, 97)));
  CHECK((range(ActFn::kReciprocal).low == std::ldexp(1.0, -42) && range(ActFn::kReciprocal).of_magnitude));
  CHECK(range(ActFn::kReciprocal).high == std::ldexp(1.0, 42));
  const auto limited = [](const isa::ActFnRow& row) { return std::isfinite(row.published.high); };
  const auto rows = isa::activation_functions();
  CHECK(std::count_if(rows.begin(), rows.end(), limited) == 6);
}

TEST_CASE("table sets: every function is in a set, and the cheap ones in all", "[isa]") {
  for (const ActFn fn : test::all_activations()) {
    CAPTURE(isa::name_of(fn));
    unsigned count = 0;
    for (unsigned set = 1; set <= isa::kTableSets; ++set) count += holds(set, fn);
    CHECK(count >= 1);
    CHECK((count == isa::kTableSets) == cheap(fn));
    CHECK(isa::in_every_table_set(fn) == cheap(fn));
    CHECK_FALSE(holds(isa::kNoTableSet, fn));
    CHECK(isa::activation_function(fn).table_sets >> (isa::kTableSets + 1) == 0);
  }
}

TEST_CASE("table sets: those of traced programs, in their order", "[isa]") {
  using Names = std::set<std::string_view>;
  const Names traced[] = {{"exp", "tanh"},
                          {"softplus"},
                          {"sigmoid", "tanh", "erf", "arctan"},
                          {"sqrt"},
                          {},
                          {"log"},
                          {"log", "exp"},
                          {},  // the derivative of sigmoid, which is not on the list of functions
                          {"tanh"},
                          {"sin", "arctan"},
                          {"gelu", "gelu_dx", "tanh"},
                          {"gelu_apprx_tanh"},
                          {"gelu_apprx_sigmoid"},
                          {"reciprocal"},
                          {"rsqrt"},
                          {"mish"},
                          {"erf_dx"},
                          {"silu", "tanh", "sin"},
                          {"silu_dx", "tanh", "sin"},
                          {"gelu_apprx_sigmoid_dx"}};
  REQUIRE(std::size(traced) == isa::kTableSets);
  for (unsigned set = 1; set <= isa::kTableSets; ++set) {
    CAPTURE(set);
    CHECK(names_in(set) == traced[set - 1]);
  }
}

TEST_CASE("table sets: a set that holds the function stays, else the lowest that does is loaded", "[isa]") {
  for (const ActFn fn : test::all_activations()) {
    for (unsigned loaded = isa::kNoTableSet; loaded <= isa::kTableSets; ++loaded) {
      CAPTURE(isa::name_of(fn), loaded);
      const unsigned next = isa::table_set_for(fn, loaded);
      if (cheap(fn) || holds(loaded, fn)) {
        CHECK(next == loaded);
        continue;
      }
      CHECK(holds(next, fn));
      for (unsigned lower = 1; lower < next; ++lower) CHECK_FALSE(holds(lower, fn));
    }
  }
}
