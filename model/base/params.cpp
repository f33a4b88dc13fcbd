// SPDX-License-Identifier: Apache-2.0
#include "model/base/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::base {
namespace {

void parse_into(bool& ref, std::string_view text) { ref = parse_switch(text); }
void parse_into(std::uint64_t& ref, std::string_view text) { ref = parse_count(text); }
void parse_into(double& ref, std::string_view text) { ref = parse_number(text); }
void parse_into(std::string& ref, std::string_view text) { ref = text; }
void parse_into(Duration& ref, std::string_view text) { ref = parse_duration(text); }
void parse_into(Cycles& ref, std::string_view text) { ref = parse_cycles(text); }
void parse_into(Bytes& ref, std::string_view text) { ref = parse_bytes(text); }
void parse_into(Frequency& ref, std::string_view text) { ref = parse_frequency(text); }
void parse_into(Bandwidth& ref, std::string_view text) { ref = parse_bandwidth(text); }
void parse_into(Energy& ref, std::string_view text) { ref = parse_energy(text); }
void parse_into(Power& ref, std::string_view text) { ref = parse_power(text); }

template <class T>
bool inside(T value, const Range<T>& range) {
  return range.min <= value && value <= range.max;
}
bool inside(Bandwidth value, const Range<Bandwidth>& range) {
  return value.ideal || (range.min.bytes_per_second <= value.bytes_per_second &&
                         value.bytes_per_second <= range.max.bytes_per_second);
}

template <class T>
bool vanishes(const Range<T>&) {
  return false;
}
bool vanishes(const Range<Duration>& range) { return range.min.fs == 0; }
bool vanishes(const Range<Cycles>& range) { return range.min.count == 0; }
bool vanishes(const Range<Bandwidth>&) { return true; }

// clang-tidy 14 does not see the move inside a template's initialiser.
template <class T>  // NOLINTNEXTLINE(performance-unnecessary-value-param)
Param ranged(const char* name, T& ref, T initial, Range<T> range, const char* doc, Source source) {
  ref = initial;
  Param param{.path = name,
              .value = &ref,
              .default_text = to_text(initial),
              .range_text = to_text(range.min) + " .. " + to_text(range.max),
              .doc = doc,
              .source = std::move(source),
              .may_be_ideal = vanishes(range),
              .check = {},
              .choices = {},
              .set_at = {}};
  param.check = [&ref, range, text = param.range_text]() -> std::string {
    return inside(ref, range) ? "" : fmt::format("must lie in {}, got {}", text, to_text(ref));
  };
  return param;
}

std::string check_choice(const std::string& value, const std::vector<std::string>& choices) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
  return fmt::format("must be one of {}, got '{}'{}", fmt::join(choices, ", "), value,
                     did_you_mean(value, choices));
}

// Returns the names directly below `group`; empty if it is not a group.
std::vector<std::string> members_of(const std::string& group, const std::vector<std::string>& paths) {
  std::vector<std::string> members;
  for (const std::string& path : paths) {
    if (!path.starts_with(group + ".")) continue;
    const std::string rest = path.substr(group.size() + 1);
    const std::string member = rest.substr(0, rest.find('.'));
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
  }
  return members;
}

[[noreturn]] void refuse_at(const Param& param, const char* code, const std::string& place,
                            const std::string& text) {
  throw UserError(code, place, fmt::format("'{}' {}", param.path, text));
}

// Parses into the bound value; throws and leaves it unchanged on an error.
template <class T>
void parse_at(const Param& param, T* ref, const std::string& text, const std::string& place) {
  const T saved = *ref;
  try {
    parse_into(*ref, text);
  } catch (const UserError& e) {
    refuse_at(param, e.code.c_str(), place, e.message);
  }
  if (const std::string wrong = param.check(); !wrong.empty()) {
    *ref = saved;
    refuse_at(param, std::is_same_v<T, std::string> ? "E-CFG-006" : "E-CFG-005", place, wrong);
  }
}
void parse_at(const Param& param, const ChoiceRef& choice, const std::string& text,
              const std::string& place) {
  if (!choice.set(text)) refuse_at(param, "E-CFG-006", place, check_choice(text, choice.names()));
}

}  // namespace

const char* name_of(Provenance kind) {
  switch (kind) {
    case Provenance::kDocumented:
      return "documented";
    case Provenance::kMeasured:
      return "measured";
    case Provenance::kDerived:
      return "derived";
    case Provenance::kAssumed:
      return "assumed";
    case Provenance::kChosen:
      return "chosen";
  }
  TAHOMA_INVARIANT(false, "provenance " + std::to_string(static_cast<int>(kind)));
}

bool takes_words(const ParamRef& value) {
  return std::holds_alternative<std::string*>(value) || std::holds_alternative<ChoiceRef>(value);
}

std::string text_of(const ParamRef& value) {
  return std::visit(
      [](const auto& ref) -> std::string {
        if constexpr (std::is_same_v<decltype(ref), const ChoiceRef&>) {
          return ref.name();
        } else if constexpr (std::is_same_v<decltype(ref), std::string* const&>) {
          return *ref;
        } else {
          return to_text(*ref);
        }
      },
      value);
}

void ParamTree::bind(Param param) {
  if (!prefix_.empty()) param.path = prefix_ + "." + param.path;
  TAHOMA_INVARIANT(find(param.path) == nullptr, "'" + param.path + "' is declared twice");
  TAHOMA_INVARIANT(param.check().empty(), "the default of '" + param.path + "' " + param.check());
  TAHOMA_INVARIANT(!param.source.range || (param.source.range->low > 0 && param.source.range->low <= 1 &&
                                           param.source.range->high >= 1),
                   "the range of '" + param.path + "' does not contain its value");
  params_.push_back(std::move(param));
}

void ParamTree::add(const char* name, bool& ref, bool initial, const char* doc, Source source) {
  ref = initial;
  bind({.path = name,
        .value = &ref,
        .default_text = to_text(initial),
        .range_text = "true or false",
        .doc = doc,
        .source = std::move(source),
        .may_be_ideal = false,
        .check = [] { return std::string(); },
        .choices = {"true", "false"},
        .set_at = {}});
}

void ParamTree::add(const char* name, std::string& ref, const std::string& initial,
                    std::vector<std::string> choices, const char* doc, Source source) {
  ref = initial;
  bind({.path = name,
        .value = &ref,
        .default_text = initial,
        .range_text = choices.empty() ? "any text" : fmt::format("one of: {}", fmt::join(choices, ", ")),
        .doc = doc,
        .source = std::move(source),
        .may_be_ideal = false,
        .check = [&ref, choices] { return check_choice(ref, choices); },
        .choices = choices,
        .set_at = {}});
}

void ParamTree::add(const char* name, const ChoiceRef& ref, const char* doc, Source source) {
  const std::vector<std::string> names = ref.names();
  bind({.path = name,
        .value = ref,
        .default_text = ref.name(),
        .range_text = fmt::format("one of: {}", fmt::join(names, ", ")),
        .doc = doc,
        .source = std::move(source),
        .may_be_ideal = false,
        .check = [ref] { return check_choice(ref.name(), ref.names()); },
        .choices = names,
        .set_at = {}});
}

#define TAHOMA_ADD(T)                                                                                        \
  void ParamTree::add(const char* name, T& ref, T initial, Range<T> range, const char* doc, Source source) { \
    bind(ranged(name, ref, initial, range, doc, std::move(source)));                                         \
  }
TAHOMA_ADD(std::uint64_t)
TAHOMA_ADD(double)
TAHOMA_ADD(Duration)
TAHOMA_ADD(Cycles)
TAHOMA_ADD(Bytes)
TAHOMA_ADD(Frequency)
TAHOMA_ADD(Bandwidth)
TAHOMA_ADD(Energy)
TAHOMA_ADD(Power)
#undef TAHOMA_ADD

Param* ParamTree::find(const std::string& path) {
  const auto found =
      std::find_if(params_.begin(), params_.end(), [&](const Param& p) { return p.path == path; });
  return found == params_.end() ? nullptr : &*found;
}

std::vector<std::string> ParamTree::paths() const {
  std::vector<std::string> paths;
  for (const Param& param : params_) paths.push_back(param.path);
  return paths;
}

void ParamTree::on_demand(const char* name, OnDemand groups) {
  on_demand_.emplace_back(prefix_ + "." + name, std::move(groups));
}

void ParamTree::demand_examples() {
  std::vector<std::string> examples;
  for (const auto& [name, groups] : on_demand_)
    if (const std::vector<std::string> legal = groups.legal(); !legal.empty())
      examples.push_back(fmt::format("{}.{}", name, legal.front()));
  for (const std::string& example : examples) demand(example);
}

void ParamTree::demand(const std::string& path) {
  for (const auto& [name, groups] : on_demand_) {
    if (!path.starts_with(name + ".")) continue;
    const std::string group = groups.group_of(path.substr(name.size() + 1));
    // A group has its own parameters; deeper paths below it may belong to other groups.
    const std::string parameters = fmt::format("{}.{}.", name, group);
    const bool declared = std::any_of(params_.begin(), params_.end(), [&](const Param& param) {
      return param.path.starts_with(parameters) &&
             param.path.find('.', parameters.size()) == std::string::npos;
    });
    if (group.empty() || declared) continue;
    const std::string saved = std::exchange(prefix_, name);
    groups.declare(*this, group);
    prefix_ = saved;
  }
}

std::vector<std::string> ParamTree::legal_near(const std::string& path) const {
  std::vector<std::string> legal = paths();
  for (const auto& [name, groups] : on_demand_) {
    if (path != name && !path.starts_with(name + ".")) continue;
    for (const std::string& rest : groups.legal()) legal.push_back(fmt::format("{}.{}", name, rest));
  }
  return legal;
}

Param& ParamTree::at(const std::string& path, const std::string& place) {
  demand(path);
  if (Param* param = find(path)) return *param;
  const std::vector<std::string> legal = legal_near(path);
  if (const auto members = members_of(path, legal); !members.empty())
    throw UserError("E-CFG-019", place,
                    fmt::format("'{}' is a group, not a value: expected {}", path, fmt::join(members, ", ")));
  for (const Param& param : params_) {
    if (path.starts_with(param.path + ".") || path.starts_with(param.path + "["))
      refuse_at(param, "E-CFG-019", place,
                fmt::format("takes one value, not a {}", path[param.path.size()] == '.' ? "map" : "list"));
  }
  throw UserError("E-CFG-002", place,
                  fmt::format("unknown parameter '{}'{}", path, did_you_mean(path, legal)));
}

std::string one_path(const std::string& text, const PathMap& map) { return text.empty() ? text : map(text); }

void ParamTree::add_files(const char* name, std::string& ref, const char* doc, Source source, PathsOf paths) {
  add(name, ref, std::string(), {}, doc, std::move(source));
  params_.back().paths = std::move(paths);
}

void ParamTree::set(const std::string& path, const std::string& written, const std::string& place,
                    const std::string& folder) {
  Param& param = at(path, place);
  // The path is not normalised: `..` after a symbolic link to a folder leads to the parent of that folder.
  const auto from_folder = [&](const std::string& file) {
    return (std::filesystem::path(folder) / file).string();
  };
  const std::string text = param.paths && !folder.empty() ? param.paths(written, from_folder) : written;
  const bool word = takes_words(param.value);
  if (text == kIdeal && !param.may_be_ideal && !word)
    refuse_at(param, "E-CFG-007", place, fmt::format("cannot be ideal: expected {}", param.range_text));
  std::visit([&](const auto& ref) { parse_at(param, ref, text, place); }, param.value);
  param.set_at = place;
}

}  // namespace tahoma::base
