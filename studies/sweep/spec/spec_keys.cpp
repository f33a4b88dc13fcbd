// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/spec_keys.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::FlatConfig, base::Leaf, base::UserError;

namespace {

[[noreturn]] void refuse_shape(const Leaf& leaf, const std::string& expected) {
  throw UserError("E-SWP-002", leaf.key_place, fmt::format("'{}': expected {}", leaf.path, expected));
}

struct RangeKey {
  const char* suffix;
  std::optional<Written> TrackText::*member;
};
constexpr RangeKey kRangeKeys[] = {{".from", &TrackText::from},
                                   {".to", &TrackText::to},
                                   {".step", &TrackText::step},
                                   {".factor", &TrackText::factor},
                                   {".log", &TrackText::log}};

TrackText& track_at(std::vector<TrackText>& axis, const std::string& path, const std::string& place) {
  for (TrackText& track : axis)
    if (track.path == path) return track;
  TrackText track;
  track.path = path;
  track.place = place;
  return axis.emplace_back(std::move(track));
}

// `path` is that of the parameter, extended by the position of the value in its list or range.
void add_value(std::vector<TrackText>& axis, const std::string& path, const Leaf& leaf) {
  for (const RangeKey& key : kRangeKeys)
    if (path.ends_with(key.suffix)) {
      TrackText& track = track_at(axis, path.substr(0, path.rfind('.')), leaf.key_place);
      track.*key.member = Written{leaf.text, leaf.place};
      return;
    }
  const std::string parameter = path.ends_with(']') ? path.substr(0, path.rfind('[')) : path;
  track_at(axis, parameter, leaf.key_place).values.push_back({leaf.text, leaf.place});
}

}  // namespace

std::optional<std::string> rest_below(const Leaf& leaf, const std::string& key) {
  const std::string path = kRoot + "." + key;
  if (!leaf.path.starts_with(path)) return std::nullopt;
  const std::string rest = leaf.path.substr(path.size());
  if (!rest.empty() && rest[0] != '.' && rest[0] != '[') return std::nullopt;
  return rest;
}

std::vector<Written> texts_of(const FlatConfig& config, const std::string& key) {
  std::vector<Written> texts;
  for (const Leaf& leaf : config.leaves) {
    const auto rest = rest_below(leaf, key);
    if (!rest) continue;
    if (!rest->empty() && rest->find(']') != rest->size() - 1)
      refuse_shape(leaf, fmt::format("'{}.{}' to be a text, or a list of texts", kRoot, key));
    texts.push_back({leaf.text, leaf.place});
  }
  return texts;
}

std::vector<Leaf> map_of(const FlatConfig& config, const std::string& key, const char* example) {
  std::vector<Leaf> leaves;
  for (const Leaf& leaf : config.leaves) {
    const auto rest = rest_below(leaf, key);
    if (!rest) continue;
    if (rest->empty() || rest->front() != '.')
      refuse_shape(leaf, fmt::format("'{}.{}' to be a map, such as {}", kRoot, key, example));
    leaves.push_back({rest->substr(1), leaf.text, leaf.place, leaf.key_place});
  }
  return leaves;
}

std::vector<std::vector<TrackText>> axes_of(const FlatConfig& config) {
  std::vector<std::vector<TrackText>> axes;
  std::string item;
  for (const Leaf& leaf : config.leaves) {
    const auto rest = rest_below(leaf, "axes");
    if (!rest) continue;
    const std::size_t end = rest->find(']');
    if (rest->empty() || rest->front() != '[' || end + 1 >= rest->size() || (*rest)[end + 1] != '.')
      refuse_shape(leaf, "a list of axes, such as '- machine.chip.hbm.stacks: [4, 6, 8]'");
    if (axes.empty() || rest->substr(0, end) != item) axes.emplace_back();
    item = rest->substr(0, end);
    add_value(axes.back(), rest->substr(end + 2), leaf);
  }
  return axes;
}

}  // namespace tahoma::runtime
