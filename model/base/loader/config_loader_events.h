// SPDX-License-Identifier: Apache-2.0
// Converts one YAML text into flat leaves directly from the parser's events, because only the events
// still show duplicate keys, merge keys, anchors, depth and further documents. Internal to the
// configuration loader.
#pragma once

#include <string>

#include "model/base/loader/config_loader.h"

namespace tahoma::base {

// Returns the leaves of `source`. With an empty `root` the text must be one map; otherwise it may be any
// value, which is placed at path `root`. Throws UserError E-CFG-010 to E-CFG-015, E-CFG-017, E-CFG-019 with
// locations in `source`.
FlatConfig flatten_text(const NamedText& source, const std::string& root);

}  // namespace tahoma::base
