// SPDX-License-Identifier: Apache-2.0
// Loads YAML text into a ParamTree. This module alone depends on yaml-cpp. It receives text, never a path:
// the caller resolves `extends:` through the reader it passes in. Configurations are plain YAML: maps, lists
// and scalars in one document. Constructs that yaml-cpp would accept silently are rejected: duplicate keys,
// merge keys, octal integers, .nan and .inf, further documents, more than 1 MiB or 32 levels. So are
// constructs that a configuration does not need: anchors, aliases, tags, empty values. error_codes.md lists
// the codes; locations are file:line:column, counted from 1.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::base {

// A scalar leaf of a configuration, with the locations of its value and its key.
struct Leaf {
  std::string path, text, place;
  std::string key_place;
  std::string folder = {};  // of the file that has the leaf; "": the working directory
};

// Flat form of one YAML map, nested keys joined with '.', in order of appearance. A list leaf becomes
// path[0], path[1]...
struct FlatConfig {
  std::vector<Leaf> leaves;
  std::vector<Leaf> empty =
      {};  // maps without keys below other keys, without text; flatten_keeping_empty() only
  const Leaf* find(const std::string& path) const;
  // Removes the leaf at `path` and returns it.
  std::optional<Leaf> take(const std::string& path);
};

// Reads the text that an `extends:` names; returns its label (for locations) and its text. A UserError
// without a location gets the location of the `extends:`.
struct NamedText {
  std::string label, text;
  std::string folder = {};  // relative paths of the text start here; "": in the working directory
};
using TextReader = std::function<NamedText(const std::string& name, const std::string& extended_by)>;

inline constexpr std::size_t kMostText = std::size_t{1} << 20;  // bytes of one YAML text
inline constexpr int kMostDepth = 32;  // nested maps and lists, and texts that extend another

// Flattens one YAML text and follows `extends:` (one parent, deep merge, the child wins, cycles
// are rejected).
FlatConfig flatten(const NamedText& source, const TextReader& reader);

// An empty map is refused, but an unknown key comes first, which only a tree knows. The caller of
// flatten_keeping_empty() therefore calls refuse_empty() in any case, with the trees that the text is for.
FlatConfig flatten_keeping_empty(const NamedText& source, const TextReader& reader);
void refuse_empty(const FlatConfig& config, const std::vector<ParamTree*>& trees);

// Applies every leaf below the tree's root to the tree, in order; the caller handles leaves elsewhere.
// Unknown keys, units and ranges raise UserError at the leaf's location.
void apply(const FlatConfig& config, ParamTree& tree);

// Parses the "path=value" of --set and checks its form. A value '{a: 1, b: 2}' becomes several leaves.
std::vector<Leaf> parse_override(const std::string& argument);

// Formats a text as one YAML scalar: unquoted if it reads as a plain word, else quoted. parse_override() and
// flatten() return the original text.
std::string yaml_scalar(const std::string& text);

// Formats all parameters as nested YAML in declaration order. Loading it again gives the same values. `root`
// is the tree's root. `map`, if any, maps every path that a parameter holds.
std::string to_yaml(const ParamTree& tree, const std::string& root, const PathMap& map = {});

}  // namespace tahoma::base
