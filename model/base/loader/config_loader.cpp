// SPDX-License-Identifier: Apache-2.0
#include "model/base/loader/config_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "model/base/loader/config_loader_events.h"

namespace tahoma::base {
namespace {

bool below(const std::string& path, const std::string& group) {
  return path.size() > group.size() && path.starts_with(group) &&
         (path[group.size()] == '.' || path[group.size()] == '[');
}

// "a.b[2]" is in the list "a.b"; other paths are in no list.
std::string list_of(const std::string& path) {
  return path.ends_with(']') ? path.substr(0, path.rfind('[')) : std::string();
}

// Returns the maps and lists that contain `path`, outermost first.
std::vector<std::string> groups_of(const std::string& path) {
  std::vector<std::string> groups;
  for (std::size_t at = path.find_first_of(".["); at != std::string::npos;
       at = path.find_first_of(".[", at + 1))
    groups.push_back(path.substr(0, at));
  return groups;
}

// Indexes a parent's leaves by path, and the first leaf of each of its groups.
struct Index {
  std::map<std::string, std::size_t> leaves, groups;
  explicit Index(const FlatConfig& config) {
    for (std::size_t i = 0; i < config.leaves.size(); ++i) {
      leaves.emplace(config.leaves[i].path, i);
      for (const std::string& group : groups_of(config.leaves[i].path)) groups.emplace(group, i);
    }
  }
};

void refuse_change_of_shape(const FlatConfig& parent, const Index& index, const Leaf& child) {
  if (const auto group = index.groups.find(child.path); group != index.groups.end())
    throw UserError("E-CFG-019", child.place,
                    fmt::format("'{}' is a group at {}, and cannot become one value", child.path,
                                parent.leaves[group->second].key_place));
  for (const std::string& group : groups_of(child.path)) {
    if (const auto leaf = index.leaves.find(group); leaf != index.leaves.end())
      throw UserError("E-CFG-019", child.key_place,
                      fmt::format("'{}' is one value at {}, and cannot become a group", group,
                                  parent.leaves[leaf->second].place));
  }
}

// Merges the child's leaves over the parent's. A list replaces a list as a whole.
FlatConfig merge(FlatConfig parent, const FlatConfig& child) {
  std::set<std::string> lists;
  for (const Leaf& leaf : child.leaves) lists.insert(list_of(leaf.path));
  std::erase_if(parent.leaves, [&](const Leaf& old) {
    return old.path.ends_with(']') && lists.contains(list_of(old.path));
  });
  const Index index(parent);
  FlatConfig merged = parent;
  for (const Leaf& leaf : child.leaves) {
    refuse_change_of_shape(parent, index, leaf);
    if (const auto same = index.leaves.find(leaf.path); same != index.leaves.end()) {
      merged.leaves[same->second] = leaf;
    } else {
      merged.leaves.push_back(leaf);
    }
  }
  merged.empty.insert(merged.empty.end(), child.empty.begin(), child.empty.end());
  return merged;
}

NamedText read_parent(const Leaf& extends, const std::string& child, const TextReader& reader) {
  if (!reader)
    throw UserError("E-CFG-016", extends.place,
                    "'extends' cannot be used here: there are no files to search");
  try {
    return reader(extends.text, child);
  } catch (const UserError& e) {
    if (!e.place.empty()) throw;
    throw UserError(e.code, extends.place, e.message, e.status);
  }
}

// `chain` holds the labels of the texts along the `extends:` path, the current one last.
FlatConfig flatten_chain(const NamedText& source, const TextReader& reader, std::vector<std::string>& chain) {
  FlatConfig config = flatten_text(source, "");
  const auto extends = config.take("extends");
  for (const Leaf& leaf : config.leaves)
    if (below(leaf.path, "extends")) throw UserError("E-CFG-019", leaf.key_place, "'extends' takes one name");
  if (!extends) return config;
  const NamedText parent = read_parent(*extends, source.label, reader);
  if (std::find(chain.begin(), chain.end(), parent.label) != chain.end())
    throw UserError("E-CFG-016", extends->place,
                    fmt::format("'{}' extends itself through a cycle", parent.label));
  if (chain.size() >= static_cast<std::size_t>(kMostDepth))
    throw UserError("E-CFG-014", extends->place,
                    fmt::format("more than {} files extend each other", kMostDepth));
  chain.push_back(parent.label);
  return merge(flatten_chain(parent, reader, chain), config);
}

}  // namespace

const Leaf* FlatConfig::find(const std::string& path) const {
  const auto found =
      std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& leaf) { return leaf.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

std::optional<Leaf> FlatConfig::take(const std::string& path) {
  const Leaf* found = find(path);
  if (found == nullptr) return std::nullopt;
  Leaf leaf = *found;
  leaves.erase(leaves.begin() + (found - leaves.data()));
  return leaf;
}

FlatConfig flatten(const NamedText& source, const TextReader& reader) {
  FlatConfig config = flatten_keeping_empty(source, reader);
  refuse_empty(config, {});
  return config;
}

FlatConfig flatten_keeping_empty(const NamedText& source, const TextReader& reader) {
  std::vector<std::string> chain{source.label};
  return flatten_chain(source, reader, chain);
}

void refuse_empty(const FlatConfig& config, const std::vector<ParamTree*>& trees) {
  if (config.empty.empty()) return;
  const Leaf& leaf = config.empty.front();
  for (ParamTree* tree : trees) {
    if (!below(leaf.path, tree->root())) continue;
    try {
      tree->at(leaf.path, leaf.key_place);
    } catch (const UserError& error) {
      if (error.code == "E-CFG-002") throw;  // otherwise a group, which is empty
    }
  }
  throw UserError("E-CFG-019", leaf.place,
                  fmt::format("'{}' is empty: give it a value, or leave the key out", leaf.path));
}

void apply(const FlatConfig& config, ParamTree& tree) {
  const std::string& root = tree.root();
  for (const Leaf& leaf : config.leaves) {
    if (!root.empty() && leaf.path != root && !below(leaf.path, root)) continue;
    // an unknown key is reported at the key, an invalid value at the value
    tree.at(leaf.path, leaf.key_place);
    tree.set(leaf.path, leaf.text, leaf.place, leaf.folder);
  }
}

std::vector<Leaf> parse_override(const std::string& argument) {
  const std::string place = "--set " + argument;
  const std::size_t equals = argument.find('=');
  const std::string path = argument.substr(0, equals);
  if (equals == std::string::npos || path.empty() || path.find_first_of(" \t{[:\"'") != std::string::npos)
    throw UserError("E-CFG-018", place, "expected path=value, such as machine.chip.hbm.stacks=6");
  const std::string value = argument.substr(equals + 1);
  if (value.find_first_of("{[\"'") == 0) return flatten_text({"--set " + path, value}, path).leaves;
  return {{path, value, place, place}};
}

}  // namespace tahoma::base
