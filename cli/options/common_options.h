// SPDX-License-Identifier: Apache-2.0
// Options of several commands.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tahoma::runtime {

// The check of an option that takes one of `words`: an error suggests the nearest one.
std::function<std::string(const std::string& given)> one_of(std::vector<std::string> words);

// An option that takes one of `words`; the initial value of `word` is the default. Other values are refused
// with a suggestion of the nearest word.
void add_choice(CLI::App& command, const std::string& name, std::string& word,
                const std::vector<std::string>& words, const std::string& doc);

// Adds --set, which sets one parameter and is repeatable.
void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& doc);

// Adds --repeat of a study of one run: start phases of the run as it is, for the band of its time.
void add_phases(CLI::App& command, std::size_t& phases);

}  // namespace tahoma::runtime
