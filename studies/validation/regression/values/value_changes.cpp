// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/values/value_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runtime/golden/golden_rule.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// Read as fp32, the type in whose shortest form it is written.
double kept_number(const std::string& text) { return std::strtof(text.c_str(), nullptr); }

bool is_changed(const KeptOutput& before, const KeptOutput& after, std::uint64_t block) {
  return before.values[block] != after.values[block] ||
         (!before.hashes.empty() && before.hashes[block] != after.hashes[block]);
}

void keep_larger(std::optional<ElementChange>& largest, const ElementChange& change) {
  if (!largest || change.error > largest->error) largest = change;
}

void add_errors(OutputChange& change, std::uint64_t index, double before, double after) {
  const double error = error_between(after, before);
  keep_larger(change.absolute, {index, before, after, error});
  if (std::isfinite(before) && before != 0)
    keep_larger(change.relative, {index, before, after, error / std::fabs(before)});
}

OutputChange incomparable(const KeptOutput& output, const std::string& why) {
  OutputChange change;
  change.name = output.name;
  change.shape = output.shape;
  change.incomparable = why;
  return change;
}

std::string kind_text(const KeptOutput& output) {
  return fmt::format("{} {}", output.dtype, fmt::join(output.shape, "x"));
}

OutputChange compared(const KeptOutput& before, const KeptOutput& after) {
  if (before.dtype != after.dtype || before.shape != after.shape)
    return incomparable(after, fmt::format("was {}, is {}", kind_text(before), kind_text(after)));
  if (before.values.size() != after.values.size())
    return incomparable(after, fmt::format("its golden has {} kept values, the case asks for {}",
                                           before.values.size(), after.values.size()));
  OutputChange change;
  change.name = after.name;
  change.shape = after.shape;
  change.block_length = after.block_length();
  change.blocks = after.values.size();
  for (std::uint64_t block = 0; block < change.blocks; ++block) {
    if (!is_changed(before, after, block)) continue;
    if (change.blocks_changed++ == 0) change.first = after.block(block);
    if (before.values[block] == after.values[block]) continue;
    ++change.values_changed;
    add_errors(change, after.kept_at(block), kept_number(before.values[block]),
               kept_number(after.values[block]));
  }
  return change;
}

const KeptOutput* named(const std::vector<KeptOutput>& outputs, const std::string& name) {
  const auto at =
      std::find_if(outputs.begin(), outputs.end(), [&](const KeptOutput& o) { return o.name == name; });
  return at == outputs.end() ? nullptr : &*at;
}

// "[2, 17]"
std::string index_text(const std::vector<std::uint64_t>& shape, std::uint64_t index) {
  std::vector<std::uint64_t> indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) indices[axis] = index % shape[axis];
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

std::string error_text(const char* name, const OutputChange& change, const ElementChange& element,
                       bool percent) {
  const std::string size =
      percent ? fmt::format("{:.3g} %", 100 * element.error) : fmt::format("{:.6g}", element.error);
  return fmt::format(", largest {} error {} at {} ({:.9g} -> {:.9g})", name, size,
                     index_text(change.shape, element.index), element.before, element.after);
}

std::string extent_text(const OutputChange& change) {
  if (change.block_length == 1)
    return fmt::format("{} of {} elements differ, the first is {}", change.blocks_changed, change.blocks,
                       index_text(change.shape, change.first.begin));
  return fmt::format(
      "{} of {} blocks of {} elements differ, the first is {} to {}; {} of {} kept values differ",
      change.blocks_changed, change.blocks, change.block_length, index_text(change.shape, change.first.begin),
      index_text(change.shape, change.first.end - 1), change.values_changed, change.blocks);
}

// JSON has no infinities.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

Json element_json(const std::optional<ElementChange>& element) {
  if (!element) return nullptr;
  return {{"index", element->index},
          {"before", number_json(element->before)},
          {"after", number_json(element->after)},
          {"error", number_json(element->error)}};
}

}  // namespace

std::vector<OutputChange> output_changes(const std::vector<KeptOutput>& before,
                                         const std::vector<KeptOutput>& after) {
  std::vector<OutputChange> changes;
  for (const KeptOutput& old : before) {
    const KeptOutput* now = named(after, old.name);
    const OutputChange change = now == nullptr ? incomparable(old, "is gone") : compared(old, *now);
    if (change.blocks_changed > 0 || !change.incomparable.empty()) changes.push_back(change);
  }
  for (const KeptOutput& now : after)
    if (named(before, now.name) == nullptr) changes.push_back(incomparable(now, "is new"));
  return changes;
}

std::string change_text(const OutputChange& change) {
  if (!change.incomparable.empty()) return fmt::format("{}: {}", change.name, change.incomparable);
  std::string text = change.name + ": " + extent_text(change);
  if (change.absolute) text += error_text("absolute", change, *change.absolute, false);
  if (change.relative) text += error_text("relative", change, *change.relative, true);
  return text;
}

Json changes_json(const std::vector<OutputChange>& changes) {
  Json list = Json::array();
  for (const OutputChange& change : changes) {
    Json json{{"name", change.name}, {"shape", change.shape}};
    if (!change.incomparable.empty()) {
      json["incomparable"] = change.incomparable;
    } else {
      json["blocks"] = {{"length", change.block_length},
                        {"number", change.blocks},
                        {"changed", change.blocks_changed},
                        {"first", {change.first.begin, change.first.end}}};
      json["values_changed"] = change.values_changed;
      json["largest_absolute_error"] = element_json(change.absolute);
      json["largest_relative_error"] = element_json(change.relative);
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace tahoma::runtime
