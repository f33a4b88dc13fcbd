// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/sweep/spec/steps.h"

namespace tahoma::runtime {
namespace {

using base::ParamTree, base::UserError;

[[noreturn]] void refuse_axis(const char* code, const std::string& place, const std::string& path,
                              const std::string& why) {
  throw UserError(code, place, fmt::format("'{}': {}", path, why));
}

// Returns the value in the canonical form of the parameter.
std::string canonical(ParamTree& tree, const std::string& path, const Written& written) {
  tree.set(path, written.text, written.place);
  return base::text_of(tree.find(path)->value);
}

// Pairs of range keys that exclude each other.
void require_one_way(const TrackText& text) {
  const struct {
    const std::optional<Written>&one, &other;
    const char* why;
  } pairs[] = {{text.step, text.factor, "step and factor exclude each other"},
               {text.log, text.step, "log requires a range without step: use a factor instead"},
               {text.log, text.factor, "log requires a range without factor"}};
  for (const auto& pair : pairs)
    if (pair.one && pair.other) refuse_axis("E-SWP-011", pair.one->place, text.path, pair.why);
}

Written end_of_range(const TrackText& text, const std::optional<Written>& end, const char* name,
                     ParamTree& tree) {
  if (!end)
    refuse_axis("E-SWP-010", text.place, text.path, fmt::format("key '{}' of the range is missing", name));
  if (end->text == base::kIdeal)
    refuse_axis("E-SWP-013", end->place, text.path,
                "a range cannot end at 'ideal': write the values as a list");
  return {canonical(tree, text.path, *end), end->place};
}

bool is_log(const TrackText& text) {
  if (!text.log) return false;
  try {
    return base::parse_switch(text.log->text);
  } catch (const UserError& e) {
    refuse_axis(e.code.c_str(), text.log->place, text.path + ".log", e.message);
  }
}

Track::Range continuous(const TrackText& text, const base::ParamRef& kind, const Written& from,
                        const Written& to) {
  const bool log = is_log(text);
  const Exact low = parse_exact(kind, from.text), high = parse_exact(kind, to.text);
  if (compare(low, high) >= 0)
    refuse_axis("E-SWP-012", to.place, text.path,
                fmt::format("expected more than {}, where the range begins, got {}", from.text, to.text));
  if (log && low.digits <= 0)
    refuse_axis("E-SWP-012", from.place, text.path, "a logarithmic range begins above zero");
  return {from.text, to.text, log};
}

void read_range(const TrackText& text, ParamTree& tree, Track& track) {
  const base::Param& param = tree.at(text.path, text.place);
  if (!has_steps(param.value))
    refuse_axis("E-SWP-013", text.place, text.path,
                fmt::format("does not support ranges: write the values as a list ({})", param.range_text));
  require_one_way(text);
  const Written from = end_of_range(text, text.from, "from", tree),
                to = end_of_range(text, text.to, "to", tree);
  if (text.step) {
    track.values = by_step(param.value, from, to, *text.step);
  } else if (text.factor) {
    track.values = by_factor(param.value, from, to, *text.factor);
  } else {
    track.range = continuous(text, param.value, from, to);
  }
}

std::vector<std::string> row_of(const std::vector<Track>& tracks, std::size_t index) {
  std::vector<std::string> row;
  for (const Track& track : tracks) row.push_back(track.values[index]);
  return row;
}

}  // namespace

std::string Axis::name() const {
  std::vector<std::string> paths;
  for (const Track& track : tracks) paths.push_back(track.path);
  return fmt::format("{}", fmt::join(paths, ", "));
}

Track read_track(const TrackText& text, ParamTree& tree) {
  tree.at(text.path, text.place);
  Track track{text.path, text.place, {}, {}};
  const bool range = text.from || text.to || text.step || text.factor || text.log;
  if (range && !text.values.empty())
    refuse_axis("E-SWP-011", text.place, text.path, "values and a range exclude each other");
  if (range) {
    read_range(text, tree, track);
    return track;
  }
  if (text.values.empty())
    refuse_axis("E-SWP-010", text.place, text.path, "has no values: expected at least one");
  if (text.values.size() > kMostValues)
    refuse_axis("E-SWP-014", text.place, text.path,
                fmt::format("{} values on one axis, at most {}", text.values.size(), kMostValues));
  for (const Written& value : text.values) track.values.push_back(canonical(tree, text.path, value));
  return track;
}

Axis linked(std::vector<Track> tracks) {
  TAHOMA_INVARIANT(!tracks.empty(), "an axis of no parameter");
  const Track& first = tracks.front();
  for (const Track& track : tracks) {
    if (track.range.has_value() != first.range.has_value())
      refuse_axis(
          "E-SWP-015", track.place, track.path,
          fmt::format("varies together with '{}': one of them has steps or values, the other has none",
                      first.path));
    if (track.values.size() != first.values.size())
      refuse_axis("E-SWP-015", track.place, track.path,
                  fmt::format("has {} values, but varies together with '{}', which has {}: use equally many "
                              "values, or two axes",
                              track.values.size(), first.path, first.values.size()));
  }
  std::map<std::vector<std::string>, std::size_t> seen;
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    const auto row = row_of(tracks, i);
    if (const auto [old, is_new] = seen.emplace(row, i); !is_new)
      refuse_axis(
          "E-SWP-016", first.place, first.path,
          fmt::format("value {} is value {} again: {}", i + 1, old->second + 1, fmt::join(row, ", ")));
  }
  return {std::move(tracks)};
}

}  // namespace tahoma::runtime
