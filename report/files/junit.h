// SPDX-License-Identifier: Apache-2.0
// Verdicts as JUnit XML, which CI systems read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct JunitCase {
  std::string name;
  std::string failure;       // "": passed, or skipped
  std::string skipped = {};  // why it gives no verdict; "": it does
  // Simulated time of its run: the attribute `time`, in seconds as JUnit has it, and the property
  // simulated_time_ns.
  std::optional<double> time_ns = std::nullopt;
};

struct JunitSuite {
  std::string name;  // also the class name of its cases
  std::vector<JunitCase> cases;
};

std::string junit_xml(const std::vector<JunitSuite>& suites);

}  // namespace tahoma::runtime
