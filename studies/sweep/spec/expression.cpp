// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <regex>

#include "model/base/error.h"

namespace tahoma::runtime {
namespace {

using base::UserError;

struct Unit {
  const char* name;
  double value;
};
constexpr Unit kUnits[] = {{"B", 1},         {"kB", 1e3},         {"MB", 1e6},
                           {"GB", 1e9},      {"TB", 1e12},        {"KiB", 1024},
                           {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
                           {"Hz", 1},        {"kHz", 1e3},        {"MHz", 1e6},
                           {"GHz", 1e9},     {"fs", 1e-15},       {"ps", 1e-12},
                           {"ns", 1e-9},     {"us", 1e-6},        {"ms", 1e-3},
                           {"s", 1}};

constexpr const char* kNameCharacters = "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Messages for the error codes of the parser.
struct Refusal {
  mu::EErrorCodes code;
  const char* text;
};
constexpr Refusal kRefusals[] = {
    {mu::ecUNEXPECTED_OPERATOR, "an operator is not allowed here"},
    {mu::ecUNASSIGNABLE_TOKEN, "not understood: expected a number, a name, a function or an operator"},
    {mu::ecUNEXPECTED_EOF, "the expression ends too early"},
    {mu::ecUNEXPECTED_ARG_SEP, "a comma is allowed only between the arguments of a function"},
    {mu::ecUNEXPECTED_VAL, "expected an operator before this value; a unit is a factor: '1.2 * GHz'"},
    {mu::ecUNEXPECTED_VAR, "expected an operator before this name"},
    {mu::ecUNEXPECTED_PARENS, "a parenthesis is not allowed here"},
    {mu::ecMISSING_PARENS, "a parenthesis is missing"},
    {mu::ecUNEXPECTED_FUN, "a function is not allowed here"},
    {mu::ecTOO_MANY_PARAMS, "too many arguments"},
    {mu::ecTOO_FEW_PARAMS, "too few arguments"},
    {mu::ecUNEXPECTED_STR, "texts cannot be used in arithmetic"},
    {mu::ecUNTERMINATED_STRING, "texts cannot be used in arithmetic"},
};

const char* words_of(mu::EErrorCodes code) {
  for (const Refusal& refusal : kRefusals)
    if (refusal.code == code) return refusal.text;
  return "not understood";
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Returns a parser with its functions and constants, and the units.
mu::Parser fresh_parser() {
  mu::Parser parser;
  parser.DefineNameChars(kNameCharacters);
  for (const Unit& unit : kUnits) parser.DefineConst(unit.name, unit.value);
  parser.DefineFun("floor", [](double x) { return std::floor(x); });
  parser.DefineFun("ceil", [](double x) { return std::ceil(x); });
  return parser;
}

// The parser would treat "a = 2" as an assignment; the user means "a == 2".
std::size_t assignment_in(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '=') {
      ++at;
    } else if (at == 0 || (text[at - 1] != '<' && text[at - 1] != '>' && text[at - 1] != '!')) {
      return at;
    }
  }
  return std::string::npos;
}

// A comparison of a parameter that takes words with one of them. The parser does not support them.
struct WordComparison {
  std::string left, right;  // as written, without quotes
  bool equal = true;        // '==', otherwise '!='
  bool quoted = false;      // the right side is a word for sure
  std::size_t column = 1, right_column = 1;
  std::string name;  // that stands for the result in the expression
};

// Whether `text` may precede or follow a whole operand of && and ||.
bool may_precede(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return last == std::string::npos || std::string("(&|?:,").find(text[last]) != std::string::npos;
}

bool may_follow(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first == std::string::npos || std::string(")&|?:,").find(text[first]) != std::string::npos;
}

// Replaces each comparison of two names, or of a name and a quoted word, that is a whole operand, by a name
// of as many characters.
std::vector<WordComparison> take_word_comparisons(std::string& expression) {
  static const std::regex kPattern(
      R"re(([A-Za-z_][\w.]*)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([A-Za-z_][\w.]*)))re");
  std::vector<WordComparison> found;
  std::string rest = expression, made;
  for (std::smatch match; std::regex_search(rest, match, kPattern);) {
    const auto begin = static_cast<std::size_t>(match.position(0)),
               size = static_cast<std::size_t>(match.length(0));
    const std::string before = rest.substr(0, begin);
    const bool inside_name = !before.empty() && in_name(before.back());
    const std::string name = fmt::format("_{}", found.size());
    if (!inside_name && name.size() <= size && may_precede(made + before) &&
        may_follow(rest.substr(begin + size))) {
      const std::size_t group = match[3].matched ? 3 : match[4].matched ? 4 : 5;
      const std::size_t at = made.size() + begin;
      found.push_back({match[1], match[group], match[2] == "==", group != 5, at + 1,
                       at + static_cast<std::size_t>(match.position(group)) - begin + 1, name});
      made += before + name + std::string(size - name.size(), ' ');
    } else {
      made += before + match.str(0);
    }
    rest.erase(0, begin + size);
  }
  expression = made + rest;
  return found;
}

}  // namespace

struct Expression::Parsed {
  std::string text, place;
  std::vector<std::string> names;
  std::deque<double> values;           // one per name; the parser holds their addresses
  std::vector<std::string> all_names;  // with those of comparisons, whose right side may be a word
  std::vector<WordComparison> comparisons;
  std::deque<double> results;  // one per comparison
  mu::Parser parser = fresh_parser();

  static double* add(const char* name, void* parsed) {
    auto& self = *static_cast<Parsed*>(parsed);
    self.names.emplace_back(name);
    return &self.values.emplace_back(0);
  }

  [[noreturn]] void refuse(const char* code, std::size_t column, const std::string& why) const {
    throw UserError(code, place, fmt::format("'{}', column {}: {}", text, column, why));
  }

  // Column of the name, counted from 1.
  std::size_t column_of(const std::string& name) const {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return at + 1;
    }
    return 1;
  }

  [[noreturn]] void refuse_name(const std::string& name, const Names& names) const {
    const std::vector<std::string> known = names.known();
    if (const auto word = names.word ? names.word(name) : std::nullopt)
      refuse("E-SWP-022", column_of(name),
             fmt::format("'{0}' is not a number: compare it with one of {1}, such as {0} == {2}", name,
                         fmt::join(word->legal, ", "), word->legal.front()));
    if (std::find(known.begin(), known.end(), name) != known.end())
      refuse("E-SWP-022", column_of(name), fmt::format("'{}' is not a number", name));
    refuse("E-SWP-021", column_of(name),
           fmt::format("there is no name '{}'{}", name, base::did_you_mean(name, known)));
  }

  [[noreturn]] void refuse_result() const {
    std::vector<std::string> given;
    for (std::size_t i = 0; i < names.size(); ++i)
      given.push_back(fmt::format("{} = {}", names[i], values[i]));
    refuse("E-SWP-022", 1,
           fmt::format("the result is not a finite number{}{}", given.empty() ? "" : " with ",
                       fmt::join(given, ", ")));
  }

  double number(const std::string& name, const Names& names) const {
    const auto value = names.value(name);
    if (!value) refuse_name(name, names);
    return *value;
  }

  // Compares a name with a word, or else two names of numbers.
  bool holds(const WordComparison& c, const Names& names) const {
    const auto word = names.word ? names.word(c.left) : std::nullopt;
    if (!word && c.quoted) {
      number(c.left, names);  // an unknown name is the likelier mistake
      refuse("E-SWP-022", c.right_column,
             fmt::format("'{}' is a number, and is never '{}'", c.left, c.right));
    }
    if (!word) return (number(c.left, names) == number(c.right, names)) == c.equal;
    if (std::find(word->legal.begin(), word->legal.end(), c.right) == word->legal.end())
      refuse("E-SWP-022", c.right_column,
             fmt::format("'{}' is never '{}': expected {}{}", c.left, c.right, fmt::join(word->legal, ", "),
                         base::did_you_mean(c.right, word->legal)));
    return (word->word == c.right) == c.equal;
  }

  void parse() {
    std::string arithmetic = text;
    comparisons = take_word_comparisons(arithmetic);
    for (const WordComparison& c : comparisons) parser.DefineVar(c.name, &results.emplace_back(0));
    parser.SetVarFactory(&Parsed::add, this);
    if (text.find_first_not_of(" \t\n") == std::string::npos)
      refuse("E-SWP-020", 1, "the expression is empty");
    if (const std::size_t at = assignment_in(text); at != std::string::npos)
      refuse("E-SWP-020", at + 1, "assignments are not supported: '==' compares");
    try {
      parser.SetExpr(arithmetic);
      parser.Eval();
    } catch (const mu::ParserError& e) {
      const std::size_t column = e.GetPos() < 0 ? 1 : static_cast<std::size_t>(e.GetPos()) + 1;
      refuse("E-SWP-020", std::min(column, text.size() + 1), words_of(e.GetCode()));
    }
    all_names = names;
    for (const WordComparison& c : comparisons)
      for (const std::string& name : {c.left, c.quoted ? c.left : c.right})
        if (std::find(all_names.begin(), all_names.end(), name) == all_names.end()) all_names.push_back(name);
    if (parser.GetNumResults() != 1)
      refuse("E-SWP-020", text.find(',') + 1, "a comma is allowed only between the arguments of a function");
  }
};

Expression::Expression(const std::string& text, std::string place) : parsed_(std::make_shared<Parsed>()) {
  parsed_->text = text;
  parsed_->place = std::move(place);
  parsed_->parse();
}

const std::string& Expression::text() const { return parsed_->text; }
const std::string& Expression::place() const { return parsed_->place; }
const std::vector<std::string>& Expression::names() const { return parsed_->all_names; }

double Expression::value(const Names& names) const {
  for (std::size_t i = 0; i < parsed_->names.size(); ++i)
    parsed_->values[i] = parsed_->number(parsed_->names[i], names);
  for (std::size_t i = 0; i < parsed_->comparisons.size(); ++i)
    parsed_->results[i] = parsed_->holds(parsed_->comparisons[i], names) ? 1 : 0;
  const double result = parsed_->parser.Eval();
  if (!std::isfinite(result)) parsed_->refuse_result();
  return result;
}

void Expression::require(const Names& names) const {
  for (const std::string& name : parsed_->names) parsed_->number(name, names);
  for (const WordComparison& comparison : parsed_->comparisons) parsed_->holds(comparison, names);
}

bool is_free_name(const std::string& name) {
  static const mu::Parser parser = fresh_parser();
  if (name.empty() || !std::all_of(name.begin(), name.end(), in_name)) return false;
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 || name.front() == '.') return false;
  return !parser.GetConst().contains(name) && !parser.GetFunDef().contains(name);
}

}  // namespace tahoma::runtime
