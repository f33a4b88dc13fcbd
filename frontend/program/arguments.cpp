// SPDX-License-Identifier: Apache-2.0
#include "frontend/program/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "model/base/error.h"

namespace tahoma::workloads {

namespace {

constexpr const char* kPlace = "workload.tensors";
constexpr std::string_view kExpect = "expect=";

[[noreturn]] void refuse(const std::string& code, const std::string& text) {
  throw base::UserError(code, kPlace, text);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) pieces.push_back(piece);
  return pieces;
}

std::vector<std::string> words_of(const std::string& entry) {
  std::istringstream in(entry);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::uint64_t> parse_shape(const std::string& entry, const std::string& text) {
  std::vector<std::uint64_t> shape;
  for (const std::string& extent : split(text, 'x')) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(extent.data(), extent.data() + extent.size(), n);
    if (error != std::errc() || end != extent.data() + extent.size() || n == 0 ||
        n > (std::uint64_t{1} << 32))
      refuse("E-RUN-060", fmt::format("'{}': expected a shape such as 128x512, got '{}'", entry, text));
    shape.push_back(n);
  }
  return shape;
}

// Parses "within=1e-5".
double parse_within(const std::string& entry, const std::string& word) {
  constexpr std::string_view kName = "within=";
  double value = 0;
  const char* end = word.data() + word.size();
  const bool named = word.starts_with(kName);
  const auto read =
      named ? std::from_chars(word.data() + kName.size(), end, value) : std::from_chars_result{};
  if (!named || read.ec != std::errc() || read.ptr != end || !(value > 0 && value < 1))
    refuse("E-RUN-060", fmt::format("'{}': expected within=ERROR between 0 and 1, got '{}'", entry, word));
  return value;
}

ArgumentSpec parse_tensor(const std::string& entry, const std::vector<std::string>& words) {
  ArgumentSpec spec;
  const auto dtype = isa::dtype_from_name(words[1]);
  if (!dtype) {
    refuse("E-RUN-060",
           fmt::format("'{}': no dtype '{}'{}", entry, words[1],
                       base::did_you_mean(words[1], {"fp32", "bf16", "fp16", "int32", "uint32", "uint8"})));
  }
  spec.dtype = *dtype;
  spec.shape = parse_shape(entry, words[2]);
  spec.fill = words[3];
  if (words.size() >= 5) spec.expect = words[4].substr(kExpect.size());
  if (words.size() == 6) spec.within = parse_within(entry, words[5]);
  return spec;
}

ArgumentSpec parse_entry(const std::string& entry) {
  const std::vector<std::string> words = words_of(entry);
  ArgumentSpec spec;
  const bool has_expect = (words.size() == 5 || words.size() == 6) && words[4].starts_with(kExpect) &&
                          words[4].size() > kExpect.size();
  if (words.size() == 4 || has_expect) {
    spec = parse_tensor(entry, words);
  } else if (words.size() == 2 && (words[1] == "core" || words[1] == "next_core")) {
    spec.kind = words[1] == "core" ? ArgumentSpec::Kind::kCore : ArgumentSpec::Kind::kNextCore;
  } else if (words.size() == 3 && (words[1] == "next" || words[1] == "peer")) {
    spec.kind = words[1] == "next" ? ArgumentSpec::Kind::kNextTensor : ArgumentSpec::Kind::kPeerTensor;
    spec.target = words[2];
  } else {
    refuse("E-RUN-060",
           fmt::format("'{}': expected NAME DTYPE SHAPE seed|zero|FILE [expect=FILE [within=ERROR]], "
                       "NAME core, NAME next_core, NAME next TENSOR or NAME peer TENSOR",
                       entry));
  }
  spec.name = words[0];
  return spec;
}

std::vector<std::string> names_of(const std::vector<ArgumentSpec>& specs) {
  std::vector<std::string> names;
  for (const ArgumentSpec& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

std::vector<ArgumentSpec> parse_arguments(const std::string& text) {
  std::vector<ArgumentSpec> specs;
  for (const std::string& entry : split(text, ';')) {
    if (words_of(entry).empty()) continue;
    ArgumentSpec spec = parse_entry(entry);
    for (const ArgumentSpec& other : specs)
      if (other.name == spec.name) refuse("E-RUN-060", fmt::format("'{}' is given twice", spec.name));
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::string map_argument_paths(const std::string& text, const base::PathMap& map) {
  std::string mapped;
  for (const std::string& entry : split(text, ';')) {
    std::vector<std::string> words = words_of(entry);
    if (words.empty()) continue;
    if (words.size() >= 4 && words[3] != "seed" && words[3] != "zero") words[3] = map(words[3]);
    if (words.size() >= 5 && words[4].starts_with(kExpect)) {
      const std::string file = words[4].substr(kExpect.size());
      words[4] = std::string(kExpect) + (file.empty() ? file : map(file));
    }
    mapped += fmt::format("{}{}", mapped.empty() ? "" : "; ", fmt::join(words, " "));
  }
  return mapped;
}

std::vector<ArgumentSpec> match_arguments(const std::vector<ArgumentSpec>& specs,
                                          const std::vector<std::string>& names) {
  const auto find = [&](const std::string& name) {
    return std::find_if(specs.begin(), specs.end(), [&](const ArgumentSpec& s) { return s.name == name; });
  };
  for (const ArgumentSpec& spec : specs) {
    if (std::find(names.begin(), names.end(), spec.name) == names.end())
      refuse("E-RUN-061", fmt::format("the program has no argument '{}'{}", spec.name,
                                      base::did_you_mean(spec.name, names)));
    if (spec.target.empty()) continue;
    const auto target = find(spec.target);
    if (target == specs.end() || target->kind != ArgumentSpec::Kind::kTensor)
      refuse("E-RUN-061", fmt::format("'{} {} {}': no tensor of that name{}", spec.name,
                                      spec.kind == ArgumentSpec::Kind::kNextTensor ? "next" : "peer",
                                      spec.target, base::did_you_mean(spec.target, names_of(specs))));
  }
  std::vector<ArgumentSpec> matched;
  for (const std::string& name : names) {
    const auto spec = find(name);
    if (spec == specs.end())
      refuse("E-RUN-061", fmt::format("the program's argument '{}' has no entry", name));
    matched.push_back(*spec);
  }
  return matched;
}

}  // namespace tahoma::workloads
