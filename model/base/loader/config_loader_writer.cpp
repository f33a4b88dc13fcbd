// SPDX-License-Identifier: Apache-2.0
// to_yaml(), the writer of the configuration loader.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"

namespace tahoma::base {
namespace {

// Strings are quoted unless they read as plain words, because everything else in the file is a number, a
// quantity or a switch.
bool is_word(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kRest = "0123456789_-./";
  if (text.empty() || kLetters.find(text[0]) == std::string_view::npos) return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kLetters.find(c) != std::string_view::npos || kRest.find(c) != std::string_view::npos;
  });
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string value_of(const Param& param, const PathMap& map) {
  const std::string value = text_of(param.value), text = map && param.paths ? param.paths(value, map) : value;
  return takes_words(param.value) ? yaml_scalar(text) : text;
}

std::string first_key(const std::string& path) { return path.substr(0, path.find('.')); }

// One parameter and the rest of its path that is not yet written.
struct Entry {
  std::string rest;
  const Param* param;
};

void write(const std::vector<Entry>& entries, int depth, const PathMap& map, std::string& out) {
  std::vector<std::string> written;
  for (const Entry& entry : entries) {
    const std::string key = first_key(entry.rest);
    if (std::find(written.begin(), written.end(), key) != written.end()) continue;
    written.push_back(key);
    out += std::string(2 * static_cast<std::size_t>(depth), ' ') + key + ":";
    if (key == entry.rest) {
      out += fmt::format(" {}\n", value_of(*entry.param, map));
      continue;
    }
    out += "\n";
    std::vector<Entry> members;
    for (const Entry& other : entries)
      if (other.rest.starts_with(key + "."))
        members.push_back({other.rest.substr(key.size() + 1), other.param});
    write(members, depth + 1, map, out);
  }
}

}  // namespace

std::string yaml_scalar(const std::string& text) { return is_word(text) ? text : quoted(text); }

std::string to_yaml(const ParamTree& tree, const std::string& root, const PathMap& map) {
  TAHOMA_INVARIANT(root == tree.root(), "to_yaml of '" + root + "' from a tree at '" + tree.root() + "'");
  std::vector<Entry> entries;
  for (const Param& param : tree.params()) entries.push_back({param.path, &param});
  std::string out;
  write(entries, 0, map, out);
  return out;
}

}  // namespace tahoma::base
