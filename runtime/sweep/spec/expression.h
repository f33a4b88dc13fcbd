// SPDX-License-Identifier: Apache-2.0
// Arithmetic over named values, as a user writes it in a sweep: numbers, + - * / ^, comparisons, && || and
// a ? b : c, which give 0 or 1, and sin cos tan asin acos atan sinh cosh tanh exp ln log log2 log10 sqrt abs
// sign rint floor ceil min max sum avg. A name is a parameter's path or a metric's name, dots included; the
// units B kB MB GB TB KiB MiB GiB TiB, Hz kHz MHz GHz and fs ps ns us ms s are numbers, so that a bandwidth
// is '725 * GB / s'. Values are in base units: bytes, hertz, bytes a second, seconds, cycles.
//
// UserError at the place that the expression was given, with the column in its text, counted from 1:
//   E-SWP-020 not an expression      E-SWP-021 a name that nothing has      E-SWP-022 no number
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

// What the names of an expression stand for.
struct Names {
  std::function<std::optional<double>(const std::string& name)> value;
  std::function<std::vector<std::string>()> known;  // all of them, also those without a value
};

class Expression {
 public:
  // Syntax is checked here, names when there is something to look them up in.
  Expression(const std::string& text, std::string place);

  const std::string& text() const;
  const std::string& place() const;
  // In the order in which they first appear; units and functions are none.
  const std::vector<std::string>& names() const;
  // Copies share their working memory: one thread at a time.
  double value(const Names& names) const;
  // E-SWP-021 and E-SWP-022 unless every name has a value.
  void require(const Names& names) const;

 private:
  struct Parsed;
  std::shared_ptr<Parsed> parsed_;
};

// Whether an expression can contain `name`, and it means nothing there yet: neither a unit nor a function.
bool is_free_name(const std::string& name);

}  // namespace tahoma::runtime
