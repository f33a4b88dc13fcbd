// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "studies/sweep/spec/expression.h"
#include "tests/support/program/refusal_of.h"

namespace {

using namespace tahoma;
using runtime::Expression, runtime::Names, tests::refusal_of;

// Values by name; "word" is a name without a value.
Names names(const std::map<std::string, double>& values) {
  return {[values](const std::string& name) -> std::optional<double> {
            const auto found = values.find(name);
            return found == values.end() ? std::nullopt : std::optional<double>(found->second);
          },
          [values] {
            std::vector<std::string> known{"word"};
            for (const auto& [name, value] : values) known.push_back(name);
            return known;
          }};
}

double value(const std::string& text) {
  return Expression(text, "f:1:1").value(names({{"m.x", 3}, {"m.xy", 5}}));
}

void check_expression_refused(const std::string& text, const std::string& code, int column,
                              const std::string& hint) {
  INFO(text);
  const std::string refusal = refusal_of([&] { value(text); });
  CHECK_THAT(refusal, Catch::StartsWith("f:1:1: error[" + code + "]: "));
  CHECK_THAT(refusal, Catch::Contains("column " + std::to_string(column) + ":"));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace

TEST_CASE("sweep expressions: arithmetic, comparisons and functions have their usual values", "[sweep]") {
  CHECK(value("1 + 2 * 3 ^ 2") == 19);
  CHECK(value("m.x * m.xy") == 15);
  CHECK(value("m.x == 3 && m.xy >= 5") == 1);
  CHECK(value("m.x < 3 || m.xy != 5") == 0);
  CHECK(value("m.x > 2 ? 10 : 20") == 10);
  CHECK(value("max(m.x, 7, 2) + floor(2.7) + ceil(2.2) + rint(2.4)") == 14);
  CHECK(value("-m.x + .5") == -2.5);
}

TEST_CASE("sweep expressions: units are numbers of base units", "[sweep]") {
  CHECK(value("725 * GB / s") == 725e9);
  CHECK(value("6 * GiB") == 6.0 * 1024 * 1024 * 1024);
  CHECK(value("2.4 * GHz") == 2.4e9);
  CHECK(value("MiB / KiB") == 1024);
  CHECK(value("ms / us") == Approx(1000));
  CHECK(value("TB / GB") == 1000);
}

TEST_CASE("sweep expressions: names are those of the text, once each and in its order", "[sweep]") {
  const Expression expression("b.c + a * b.c + GiB + max(d, 1)", "f:1:1");
  CHECK(expression.names() == std::vector<std::string>{"b.c", "a", "d"});
  CHECK(expression.text() == "b.c + a * b.c + GiB + max(d, 1)");
}

TEST_CASE("sweep expressions: each evaluation uses the current values of the names", "[sweep]") {
  const Expression expression("2 * a", "f:1:1");
  const Expression copy = expression;
  CHECK(expression.value(names({{"a", 1}})) == 2);
  CHECK(copy.value(names({{"a", 5}})) == 10);
  CHECK(expression.value(names({{"a", 2}})) == 4);
}

TEST_CASE("sweep expressions: an invalid expression is refused with its column", "[sweep]") {
  check_expression_refused("", "E-SWP-020", 1, "empty");
  check_expression_refused("1 + * 2", "E-SWP-020", 5, "operator");
  check_expression_refused("1.2 GHz", "E-SWP-020", 5, "1.2 * GHz");
  check_expression_refused("m.x = 4", "E-SWP-020", 5, "'==' compares");
  check_expression_refused("(1 + 2", "E-SWP-020", 7, "parenthesis");
  check_expression_refused("1, 2", "E-SWP-020", 2, "comma");
  check_expression_refused("1 + 'a'", "E-SWP-020", 5, "expected a number");
  check_expression_refused("1 +", "E-SWP-020", 4, "ends too early");
}

TEST_CASE("sweep expressions: a parameter that takes words is compared with one of them", "[sweep]") {
  Names with_word = names({{"m.x", 3}, {"m.xy", 3}});
  with_word.word = [](const std::string& name) -> std::optional<runtime::WordValue> {
    if (name != "m.kind") return std::nullopt;
    return runtime::WordValue{"torus", {"torus", "mesh"}};
  };
  const auto of = [&](const std::string& text) { return Expression(text, "f:1:1").value(with_word); };
  for (const char* holds : {"m.kind == torus", "m.kind=='torus'", "m.kind != mesh", "(m.kind == torus)",
                            "m.x > 2 && m.kind == torus", "m.kind == torus && m.x == m.xy",
                            "m.kind == mesh || m.x == 3", "m.kind == mesh ? 0 : 1", "1 + m.x == m.xy + 1"}) {
    CAPTURE(holds);
    CHECK(of(holds) == 1);
  }
  CHECK(of("m.kind == mesh") == 0);
  CHECK(of("m.kind == torus && m.x > 3") == 0);
  const auto refused = [&](const std::string& text, const std::string& hint) {
    CHECK_THAT(refusal_of([&] { of(text); }), Catch::Contains(hint));
  };
  refused("m.kind == tori", "column 11: 'm.kind' is never 'tori': expected torus, mesh");
  refused("kind == torus", "column 1: there is no name 'kind'");
  refused("m.kind > 2",
          "'m.kind' is not a number: compare it with one of torus, mesh, such as m.kind == torus");
  refused("m.x == 'torus'", "'m.x' is a number");
}

TEST_CASE("sweep expressions: an unknown name is refused with the nearest one", "[sweep]") {
  check_expression_refused("1 + m.yx", "E-SWP-021", 5, "did you mean 'm.x");
  check_expression_refused("m.x + m.xyz", "E-SWP-021", 7, "did you mean 'm.xy'");
  check_expression_refused("m.x + nothing.like.it", "E-SWP-021", 7, "there is no name 'nothing.like.it'");
}

TEST_CASE("sweep expressions: texts and infinities are not numbers", "[sweep]") {
  check_expression_refused("1 + word", "E-SWP-022", 5, "'word' is not a number");
  check_expression_refused("1 / (m.x - 3)", "E-SWP-022", 1, "not a finite number with m.x = 3");
  check_expression_refused("sqrt(0 - m.x)", "E-SWP-022", 1, "not a finite number");
}

TEST_CASE("sweep expressions: a free name is neither a unit nor a function", "[sweep]") {
  CHECK(runtime::is_free_name("price"));
  CHECK(runtime::is_free_name("flops.per_euro"));
  for (const char* taken : {"GiB", "s", "max", "_pi", "", "2x", ".x", "a b", "a-b"}) {
    INFO(taken);
    CHECK_FALSE(runtime::is_free_name(taken));
  }
}
