// SPDX-License-Identifier: Apache-2.0
// Text for Markdown tables.
#pragma once

#include <string>

namespace tahoma::runtime {

// Writes `text` as one cell: a single line, with characters that are special in Markdown or HTML escaped.
std::string markdown_cell(const std::string& text);

}  // namespace tahoma::runtime
