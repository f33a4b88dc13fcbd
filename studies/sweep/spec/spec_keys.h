// SPDX-License-Identifier: Apache-2.0
// The structure of a sweep file: which of its keys are texts, lists, maps and axes. E-SWP-002 if a key
// has another structure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"
#include "studies/sweep/spec/axis.h"

namespace tahoma::runtime {

inline const std::string kRoot = "sweep";

// Returns the part of the leaf's path below `sweep.KEY`: ".a.b", "[0].a"; unset if the leaf is elsewhere.
std::optional<std::string> rest_below(const base::Leaf& leaf, const std::string& key);

// `sweep.KEY`, a text or a list of texts.
std::vector<Written> texts_of(const base::FlatConfig& config, const std::string& key);

// Leaves below the map `sweep.KEY`, with paths relative to it.
std::vector<base::Leaf> map_of(const base::FlatConfig& config, const std::string& key, const char* example);

// Reads `sweep.axes`: the tracks of each item.
std::vector<std::vector<TrackText>> axes_of(const base::FlatConfig& config);

}  // namespace tahoma::runtime
