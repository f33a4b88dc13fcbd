// SPDX-License-Identifier: Apache-2.0
// The values of one axis, in the parameter's own unit and in their shortest exact text, as written by
// base::text_of: 1.2 GHz to 2.8 GHz in steps of 400 MHz are '1.2 GHz', '1.6 GHz', ... Steps and factors use
// exact decimal arithmetic and must reach `to`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::runtime {

// A text of the sweep and its place.
struct Written {
  std::string text, place;
};

// The text of a sweep for one parameter: values, or `from`, `to` and at most one of `step` and `factor`;
// `log` only without both.
struct TrackText {
  std::string path, place;
  std::vector<Written> values;
  std::optional<Written> from, to, step, factor, log;
};

// One parameter of an axis: its values in order, or a range without steps, from < to.
struct Track {
  struct Range {
    std::string from, to;
    bool log = false;
  };
  std::string path, place;
  std::vector<std::string> values;
  std::optional<Range> range;  // then `values` is empty
};

// Parameters that vary together: equally long, or all of them ranges without steps.
struct Axis {
  std::vector<Track> tracks;
  bool continuous() const { return tracks.front().range.has_value(); }
  std::size_t size() const { return tracks.front().values.size(); }  // 0: continuous
  std::string name() const;                                          // "machine.torus.x, machine.torus.y"
};

inline constexpr std::uint64_t kMostValues = 10'000;  // per axis

// The values of `text` for a parameter like `param` of `tree`; `tree` keeps one of them. UserError:
//   E-SWP-010 no values, or no `from` or `to`       E-SWP-011 keys that exclude each other
//   E-SWP-012 a step or factor that does not lead from `from` to `to`, or an invalid range
//   E-SWP-013 a range of words or switches, or one that ends at `ideal`
//   E-SWP-014 more than kMostValues                 and E-CFG-002 to E-CFG-007, all at their places.
Track read_track(const TrackText& text, base::ParamTree& tree);

// Throws E-SWP-015 for tracks of unequal length, E-SWP-016 for the same values twice.
Axis linked(std::vector<Track> tracks);

}  // namespace tahoma::runtime
