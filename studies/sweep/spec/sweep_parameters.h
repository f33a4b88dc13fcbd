// SPDX-License-Identifier: Apache-2.0
// Parameters of a resolved configuration by path, and as numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "runtime/config/config.h"
#include "studies/sweep/spec/expression.h"

namespace tahoma::runtime {

// Returns the number in base units: bytes, hertz, bytes per second, seconds, cycles. A switch is 0 or 1, an
// ideal bandwidth infinite. It is unset for a text.
std::optional<double> number_of(const base::ParamRef& value);

// The tree with the parameter at `path`, in the notation of --set; E-CFG-002 at `place`,
// with the nearest path.
base::ParamTree& tree_of(ResolvedConfig& config, const std::string& path, const std::string& place);

// `text` for the parameter `path`; if it names files, with absolute paths, which start in `folder`.
std::string with_absolute_paths(ResolvedConfig& config, const std::string& path, const std::string& text,
                                const std::string& folder);

// "path=value", which --set parses to this text.
std::string override_of(const std::string& path, const std::string& text);

// Names with this prefix are figures of the chip's area (report/area/chip_area.h).
inline constexpr const char* kAreaFigures = "area.";

// Returns all parameters of a configuration, and the figures of its chip's area. A text has a name but no
// value. `config` must outlive the names.
Names names_of(ResolvedConfig& config);

}  // namespace tahoma::runtime
