// SPDX-License-Identifier: Apache-2.0
// One YAML text into flat leaves, straight from the parser's events: that is where duplicate keys, merge
// keys, anchors, depth and further documents can still be seen. Internal to the configuration loader.
#pragma once

#include <string>

#include "model/base/loader/config_loader.h"

namespace tahoma::base {

// The leaves of `source`. With an empty `root` the text must be one map; otherwise it may be any value, which
// stands at path `root`. Throws UserError E-CFG-010 to E-CFG-015, E-CFG-017, E-CFG-019 at its places.
FlatConfig flatten_text(const NamedText& source, const std::string& root);

}  // namespace tahoma::base
