// SPDX-License-Identifier: Apache-2.0
// The page for programs. The JSON's keys are stable: those of today stay, with their meaning, while
// `schema_version` is 1.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/files/junit.h"
#include "runtime/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

std::string page_json(const Page& page);
// One line per figure: silicon's value in one column, that of another simulator in another.
std::string page_csv(const Page& page);

// A suite per family: a case per figure, and one for the family's mean.
std::vector<JunitSuite> page_suites(const Page& page);

// A table with a line per family, for the summary of a CI job.
std::string page_markdown(const Page& page);

}  // namespace tahoma::runtime
