// SPDX-License-Identifier: Apache-2.0
// YAML text into a ParamTree. The one place that knows yaml-cpp, and it is handed text, never a path: the caller resolves
// `extends:` through the reader it passes in. Guards what yaml-cpp lets through: duplicate keys, merge keys, octal
// integers, .nan and .inf, further documents, depth and size.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::base {

// A scalar leaf of a configuration with the place it was written: "file:line:column".
struct Leaf {
  std::string path, text, place;
};

// Flat form of one YAML map, nested keys joined with '.', in order of appearance. A list leaf becomes path[0], path[1]...
struct FlatConfig {
  std::vector<Leaf> leaves;
  const Leaf* find(const std::string& path) const;
};

// Reads the text behind a name in `extends:`; returns its label (for places) and text.
struct NamedText {
  std::string label, text;
};
using TextReader = std::function<NamedText(const std::string& name, const std::string& extended_by)>;

// One YAML text, `extends:` followed (one parent, deep merge, the child wins, cycles refused).
FlatConfig flatten(const NamedText& source, const TextReader& reader);

// Apply every leaf below `root` to the tree; unknown keys, units and ranges raise UserError at the leaf's place.
void apply(const FlatConfig& config, ParamTree& tree);

// "path=value" of --set: splits, checks the form; a value '{a: 1, b: 2}' becomes several leaves.
std::vector<Leaf> parse_override(const std::string& argument);

// All parameters as nested YAML in declaration order: loading it again gives the same values.
std::string to_yaml(const ParamTree& tree, const std::string& root);

}  // namespace tahoma::base
