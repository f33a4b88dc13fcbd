// SPDX-License-Identifier: Apache-2.0
#include "cli/options/common_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/options/whole_numbers.h"
#include "model/base/error.h"

namespace tahoma::runtime {

std::function<std::string(const std::string& given)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& given) -> std::string {
    if (std::find(words.begin(), words.end(), given) != words.end()) return "";
    return fmt::format("expected {}, got '{}'{}", fmt::join(words, " or "), given,
                       base::did_you_mean(given, words));
  };
}

void add_choice(CLI::App& command, const std::string& name, std::string& word,
                const std::vector<std::string>& words, const std::string& doc) {
  command.add_option(name, word, doc)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check(one_of(words), "");
}

void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& doc) {
  command.add_option("--set", overrides, doc)
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false)
      ->default_str("");
}

void add_phases(CLI::App& command, std::size_t& phases) {
  command
      .add_option(
          "--repeat", phases,
          "Also repeat the run as it is with N start phases, as `tahoma run --repeat`: a change inside "
          "the band of its times is marked as not distinguishable")
      ->type_name("N")
      ->check(whole_numbers(2, kMostRepetitions), "")
      ->default_str("0");
}

}  // namespace tahoma::runtime
