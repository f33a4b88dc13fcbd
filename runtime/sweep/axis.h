// SPDX-License-Identifier: Apache-2.0
// The values of one axis. Values stand in the parameter's own unit and in its shortest exact text, as
// base::text_of writes it: 1.2 GHz to 2.8 GHz in steps of 400 MHz are '1.2 GHz', '1.6 GHz', ... Steps and
// factors are exact decimal arithmetic, and must arrive at `to`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::runtime {

// A text of the sweep and where it stands.
struct Written {
  std::string text, place;
};

// What a sweep says of one parameter, as it says it: values, or from, to and at most one of step and factor.
struct TrackText {
  std::string path, place;
  std::vector<Written> values;
  std::optional<Written> from, to, step, factor, log;
};

// One parameter along an axis: its values in order, or a range without steps.
struct Track {
  struct Range {
    std::string from, to;  // from < to
    bool log = false;
  };
  std::string path, place;
  std::vector<std::string> values;
  std::optional<Range> range;  // then `values` is empty
};

// Parameters that move together: equally long, or all of them ranges.
struct Axis {
  std::vector<Track> tracks;
  bool continuous() const { return tracks.front().range.has_value(); }
  std::size_t size() const { return tracks.front().values.size(); }  // 0: continuous
  std::string name() const;                                          // "machine.torus.x, machine.torus.y"
};

inline constexpr std::size_t kMostValues = 1'000'000;  // of one axis

// The values of `text` for a parameter of the kind of `param`, whose own value is overwritten. UserError:
//   E-SWP-010 no values, or too few keys of a range   E-SWP-011 keys that exclude each other
//   E-SWP-012 a step or factor that does not lead from `from` to `to`   E-SWP-013 no range of such a
//   parameter E-SWP-014 more than kMostValues   and E-CFG-003 to E-CFG-007 for values, at their places.
Track read_track(const TrackText& text, base::ParamTree& tree);

// E-SWP-015 unequally long tracks, E-SWP-016 the same values twice.
Axis linked(std::vector<Track> tracks);

// The value at `position` in [0, 1) of a range: every whole base unit from `from` to `to` alike, or their
// logarithms; the same bits on every host.
std::string value_at(const Track& track, double position, base::ParamTree& tree);

}  // namespace tahoma::runtime
