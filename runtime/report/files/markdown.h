// SPDX-License-Identifier: Apache-2.0
// Text in Markdown tables.
#pragma once

#include <string>

namespace tahoma::runtime {

// `text` as one cell: one line, nothing in it that Markdown or HTML would take for its own.
std::string markdown_cell(const std::string& text);

}  // namespace tahoma::runtime
