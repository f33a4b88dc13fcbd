// SPDX-License-Identifier: Apache-2.0
// The page in machine-readable form. The keys of the JSON are stable: existing keys keep their meaning while
// `schema_version` is 1.
#pragma once

#include <string>
#include <vector>

#include "report/files/junit.h"
#include "studies/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

std::string page_json(const Page& page);
// One line per figure, with silicon's value and that of another simulator in separate columns.
std::string page_csv(const Page& page);

// Returns one suite per family: one case per figure, and one for the family's mean.
std::vector<JunitSuite> page_suites(const Page& page);

// Writes a table with one line per family, for the summary of a CI job.
std::string page_markdown(const Page& page);

}  // namespace tahoma::runtime
