// SPDX-License-Identifier: Apache-2.0
// Parses sweeps from the command line.
#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/sweep/spec/spec_text.h"

namespace tahoma::runtime {
namespace {

using base::UserError;

// "a..b", "a..b:step" or "a..b:xfactor"; "../b" is a text.
void split_range(const std::string& text, std::size_t dots, const std::string& place, TrackText& track) {
  const std::string rest = text.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  track.from = Written{text.substr(0, dots), place};
  track.to = Written{rest.substr(0, colon), place};
  if (colon == std::string::npos) return;
  const std::string step = rest.substr(colon + 1);
  if (step.starts_with('x')) {
    track.factor = Written{step.substr(1), place};
  } else {
    track.step = Written{step, place};
  }
}

TrackText track_of(const std::string& word, const std::string& place) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UserError(
        "E-SWP-006", place,
        "expected PATH=a,b,c or PATH=from..to:step or PATH=from..to:xfactor, with ';' between linked ones");
  TrackText track;
  track.path = word.substr(0, equals);
  track.place = place;
  const std::string values = word.substr(equals + 1);
  const std::size_t dots = values.find("..");
  if (dots != std::string::npos && dots > 0) {
    split_range(values, dots, place, track);
  } else if (!values.empty()) {
    for (const std::string_view value : base::split(values, ","))
      track.values.push_back({std::string(value), place});
  }
  return track;
}

}  // namespace

SweepSpec sweep_of(const SweepRequest& request) {
  SweepSpec spec;
  SweepText text;
  text.place = request.workload;
  spec.workloads = text.workloads = {request.workload};
  spec.machine = request.machine;
  spec.mode = request.mode;
  spec.seed = request.seed;
  spec.repeat = request.repeat;
  const auto option = [&](const char* path, const std::string& value) {
    const std::string place = fmt::format("--{} {}", path, value);
    if (!value.empty()) text.overrides.push_back({path, value, place, place});
  };
  option("mode", request.mode);
  option("seed", request.seed);
  for (const std::string& argument : request.overrides)
    for (base::Leaf& leaf : base::parse_override(argument)) text.overrides.push_back(std::move(leaf));
  for (const std::string& axis : request.axes) {
    text.axes.emplace_back();
    for (const std::string_view word : base::split(axis, ";"))
      text.axes.back().push_back(track_of(std::string(word), "--sweep " + axis));
  }
  check_sweep(text, spec);
  return spec;
}

}  // namespace tahoma::runtime
