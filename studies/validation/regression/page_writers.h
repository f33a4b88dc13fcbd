// SPDX-License-Identifier: Apache-2.0
// Writers for the page of a file of cases: text, whose first line is the headline; JSON, whose keys
// are stable while `schema_version` is 1; JUnit XML, one test case per case; Markdown, a table for
// the summary of a CI job.
#pragma once

#include <string>

#include "report/files/junit.h"
#include "studies/validation/regression/regression.h"

namespace tahoma::runtime {

std::string regression_text(const RegressionPage& page);
std::string regression_json(const RegressionPage& page);
JunitSuite regression_suite(const RegressionPage& page);
std::string regression_markdown(const RegressionPage& page);

}  // namespace tahoma::runtime
