// SPDX-License-Identifier: Apache-2.0
// The shapes of a sweep file: which of its keys are texts, lists, maps and axes. E-SWP-002 where one is of
// another shape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/config_loader.h"
#include "runtime/sweep/spec/axis.h"

namespace tahoma::runtime {

inline const std::string kRoot = "sweep";

// What of the leaf's path is below `sweep.KEY`: ".a.b", "[0].a"; nothing where the leaf is elsewhere.
std::optional<std::string> rest_below(const base::Leaf& leaf, const std::string& key);

// `sweep.KEY`, a text or a list of texts.
std::vector<Written> texts_of(const base::FlatConfig& config, const std::string& key);

// Leaves below the map `sweep.KEY`, their paths from there.
std::vector<base::Leaf> map_of(const base::FlatConfig& config, const std::string& key, const char* example);

// `sweep.axes`: of each item its tracks.
std::vector<std::vector<TrackText>> axes_of(const base::FlatConfig& config);

}  // namespace tahoma::runtime
