// SPDX-License-Identifier: Apache-2.0
// Options of several commands.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tahoma::runtime {

// An option that takes one of `words`; the initial value of `word` is the default. Other values are refused
// with a suggestion of the nearest word.
void add_choice(CLI::App& command, const std::string& name, std::string& word,
                const std::vector<std::string>& words, const std::string& doc);

// Adds --set, which sets one parameter and is repeatable.
void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& doc);

}  // namespace tahoma::runtime
