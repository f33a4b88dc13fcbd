// SPDX-License-Identifier: Apache-2.0
// Comparisons of a parameter that takes words with one of them: "machine.link.topology == torus", also with
// the word in quotes. The parser of expressions does not support them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct WordComparison {
  std::string left, right;  // as written, without quotes
  bool equal = true;        // '==', otherwise '!='
  bool quoted = false;      // the right side is a word for sure
  std::size_t column = 1, right_column = 1;
  std::string name;  // that stands for the result in the expression
};

// Replaces each comparison of two names, or of a name and a quoted word, that is a whole operand, by a name
// of as many characters.
std::vector<WordComparison> take_word_comparisons(std::string& expression);

}  // namespace tahoma::runtime
