// SPDX-License-Identifier: Apache-2.0
// Expressions over named values in a sweep: comparisons of a name with a word, such as
// machine.link.topology == torus, also with the word in quotes, and arithmetic: numbers, + - * / ^,
// comparisons, && || and a ? b : c, which give 0 or 1, and sin cos tan asin acos atan sinh cosh tanh exp ln
// log log2 log10 sqrt abs sign rint floor ceil min max sum avg. A name is a parameter's path or a metric's
// name, including dots; the units B kB MB GB TB KiB MiB GiB TiB, Hz kHz MHz GHz and fs ps ns us ms s are
// numbers, so a bandwidth is '725 * GB / s'. Values are in base units: bytes, hertz, bytes per second,
// seconds, cycles.
//
// UserError at the place of the expression, with the column in its text, counted from 1:
//   E-SWP-020 not an expression      E-SWP-021 an unknown name      E-SWP-022 not a number
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

// A parameter that takes one of some words.
struct WordValue {
  std::string word;
  std::vector<std::string> legal;
};

// Resolves the names of an expression.
struct Names {
  std::function<std::optional<double>(const std::string& name)> value;
  std::function<std::vector<std::string>()> known;  // all names, including those without a value
  std::function<std::optional<WordValue>(const std::string& name)> word = {};  // unset: none takes words
};

class Expression {
 public:
  // Checks the syntax; names are checked when they are evaluated.
  Expression(const std::string& text, std::string place);

  const std::string& text() const;
  const std::string& place() const;
  // In the order of first appearance; units and functions are not included.
  const std::vector<std::string>& names() const;
  // Copies share their working memory: use one thread at a time.
  double value(const Names& names) const;
  // Throws E-SWP-021 or E-SWP-022 unless every name has a value.
  void require(const Names& names) const;

 private:
  struct Parsed;
  std::shared_ptr<Parsed> parsed_;
};

// True if an expression may contain `name` and it is not yet defined as a unit or a function.
bool is_free_name(const std::string& name);

}  // namespace tahoma::runtime
