// SPDX-License-Identifier: Apache-2.0
// YAML text into a ParamTree. The one room that knows yaml-cpp, and it is handed text, never a path: the
// caller resolves `extends:` through the reader it passes in. Configurations are plain YAML: maps, lists and
// scalars in one document. What yaml-cpp would let through in silence is refused: duplicate keys, merge keys,
// octal integers, .nan and .inf, further documents, more than 1 MiB or 32 levels; and so is what a
// configuration has no use for: anchors, aliases, tags, empty values. Codes are listed in error_codes.md,
// places are file:line:column, counted from 1.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::base {

// A scalar leaf of a configuration with the place where its value was written, and the place of its key.
struct Leaf {
  std::string path, text, place;
  std::string key_place;
};

// Flat form of one YAML map, nested keys joined with '.', in order of appearance. A list leaf becomes
// path[0], path[1]...
struct FlatConfig {
  std::vector<Leaf> leaves;
  const Leaf* find(const std::string& path) const;
  // Removes the leaf at `path` and returns it.
  std::optional<Leaf> take(const std::string& path);
};

// Reads the text behind a name in `extends:`; returns its label (for places) and text. A UserError without a
// place gets the place of the `extends:`.
struct NamedText {
  std::string label, text;
};
using TextReader = std::function<NamedText(const std::string& name, const std::string& extended_by)>;

inline constexpr std::size_t kMostText = std::size_t{1} << 20;  // bytes of one YAML text
inline constexpr int kMostDepth = 32;  // nested maps and lists, and texts that extend another

// One YAML text, `extends:` followed (one parent, deep merge, the child wins, cycles refused).
FlatConfig flatten(const NamedText& source, const TextReader& reader);

// Apply every leaf below the tree's root to the tree, in order; leaves elsewhere are the caller's. Unknown
// keys, units and ranges raise UserError at the leaf's place.
void apply(const FlatConfig& config, ParamTree& tree);

// "path=value" of --set: splits, checks the form; a value '{a: 1, b: 2}' becomes several leaves.
std::vector<Leaf> parse_override(const std::string& argument);

// A text as one YAML scalar: as it is if it reads as a plain word, else quoted. parse_override() and
// flatten() give it back.
std::string yaml_scalar(const std::string& text);

// All parameters as nested YAML in declaration order: loading it again gives the same values. `root` is the
// tree's root.
std::string to_yaml(const ParamTree& tree, const std::string& root);

}  // namespace tahoma::base
