// SPDX-License-Identifier: Apache-2.0
#include "report/files/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
    }
  return safe;
}

std::string case_xml(const std::string& suite, const JunitCase& each) {
  std::string head =
      fmt::format(R"(    <testcase classname="{}" name="{}")", escaped(suite), escaped(each.name));
  std::string inside;
  if (each.time_ns) {
    head += fmt::format(" time=\"{}\"", shortest(*each.time_ns * 1e-9));
    inside +=
        fmt::format("      <properties><property name=\"simulated_time_ns\" value=\"{}\"/></properties>\n",
                    shortest(*each.time_ns));
  }
  const bool failed = !each.failure.empty();
  if (failed || !each.skipped.empty())
    inside += fmt::format("      <{} message=\"{}\"/>\n", failed ? "failure" : "skipped",
                          escaped(failed ? each.failure : each.skipped));
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
}

std::string suite_xml(const JunitSuite& suite) {
  std::string cases;
  for (const JunitCase& each : suite.cases) cases += case_xml(suite.name, each);
  const auto failures = std::count_if(suite.cases.begin(), suite.cases.end(),
                                      [](const JunitCase& each) { return !each.failure.empty(); });
  const auto skipped = std::count_if(suite.cases.begin(), suite.cases.end(), [](const JunitCase& each) {
    return each.failure.empty() && !each.skipped.empty();
  });
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
      escaped(suite.name), suite.cases.size(), failures, skipped, cases);
}

}  // namespace

std::string junit_xml(const std::vector<JunitSuite>& suites) {
  std::string text;
  for (const JunitSuite& suite : suites) text += suite_xml(suite);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + text + "</testsuites>\n";
}

}  // namespace tahoma::runtime
