// SPDX-License-Identifier: Apache-2.0
// JSON of other programs has limits, and JSON that is written is legal whatever its text is.
#include "runtime/host/json/json_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tahoma;
using Catch::Contains;

namespace {

template <class Json>
std::string verdict_on(const std::string& text) {
  Json json;
  return runtime::fault_of_json(text, json).value_or("legal");
}

std::string lists(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace

TEMPLATE_TEST_CASE("json text: what is no JSON has a fault", "[json_text]", nlohmann::json,
                   nlohmann::ordered_json) {
  CHECK(verdict_on<TestType>(R"({"a": [{"b": 1}, {"b": 2}], "b": null})") == "legal");
  CHECK(verdict_on<TestType>(lists(100)) == "legal");
  for (const std::size_t levels : {101, 100000})
    CHECK(verdict_on<TestType>(lists(levels)) == "expected at most 100 levels of nesting");
  CHECK(verdict_on<TestType>(R"({"a": {"b": 1, "b": 2}})") == "the key \"b\" is repeated");
  CHECK_THAT(verdict_on<TestType>("[1]" + std::string(1, '\0')), Contains("NUL byte at byte 4"));
  for (const char* text : {"", "{", "[1] 2", "\"\xff\"", "{\"\xff\": 1}"})
    CHECK_THAT(verdict_on<TestType>(text), Contains("not valid JSON"));
}

TEST_CASE("json text: a legal text gives its value", "[json_text]") {
  nlohmann::ordered_json json;
  REQUIRE(!runtime::fault_of_json(R"({"b": 1, "a": [2, 3]})", json));
  CHECK(runtime::dump_json(json) == R"({"b":1,"a":[2,3]})");
}

TEST_CASE("json text: Python's numbers that JSON lacks are taken, and places of errors stay", "[json_text]") {
  nlohmann::ordered_json json;
  const auto fault = [&](const char* text) {
    return runtime::fault_of_python_json(text, json).value_or("legal");
  };
  REQUIRE(fault(R"({"NaN": [1, "a\"Infinity", Infinity], "b": {"c": -Infinity, "d": NaN}, "e": 2.5})") ==
          "legal");
  CHECK(json["NaN"][1] == "a\"Infinity");
  CHECK(json["NaN"][2] == std::numeric_limits<double>::infinity());
  CHECK(json["b"]["c"] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(json["b"]["d"].get<double>()));
  CHECK(json["e"] == 2.5);
  CHECK(runtime::brief_json(json["b"]["d"]) == "NaN");
  CHECK(runtime::brief_json(json["b"]["c"]) == "-Infinity");
  CHECK_THAT(fault("{\"a\": Infinity, b}"), Contains("line 1, column 17"));
  CHECK_THAT(fault("{\"a\": Infinite}"), Contains("not valid JSON"));
  CHECK_THAT(fault("[-NaN]"), Contains("not valid JSON"));
  CHECK_THAT(verdict_on<nlohmann::json>("[NaN]"), Contains("not valid JSON"));
}

TEST_CASE("json text: bytes that are not UTF-8 are replaced, and messages are short", "[json_text]") {
  const nlohmann::json broken{{"x\xff", "\xc3"}};
  CHECK(nlohmann::json::parse(runtime::dump_json(broken))["x\xef\xbf\xbd"] == "\xef\xbf\xbd");
  CHECK(runtime::brief_json(broken) == R"({"x\ufffd":"\ufffd"})");
  CHECK(runtime::brief_json(nlohmann::json(std::string(1000, 'x'))).size() == 83);
}
