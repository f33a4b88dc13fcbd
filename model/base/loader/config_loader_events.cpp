// SPDX-License-Identifier: Apache-2.0
#include "model/base/loader/config_loader_events.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "model/base/error.h"

namespace tahoma::base {
namespace {

// Appended to every text as a comment. yaml-cpp takes the end of the text for the end of a quotation, so a
// scalar that contains this was never closed.
constexpr std::string_view kEnd = "#\x1F end of the configuration";

// Positions in the user's text, which ends with its last visible character: whatever the parser misses at the
// end is reported there, not after the appended comment.
class Positions {
 public:
  explicit Positions(const NamedText& source) : label_(source.label) {
    const std::size_t last = source.text.find_last_not_of(" \t\r\n");
    const std::string_view visible(source.text.data(), last == std::string::npos ? 0 : last + 1);
    const std::size_t newline = visible.rfind('\n');
    line_ = static_cast<int>(std::count(visible.begin(), visible.end(), '\n'));
    column_ =
        static_cast<int>(newline == std::string_view::npos ? visible.size() : visible.size() - newline - 1);
  }
  std::string of(const YAML::Mark& mark) const {
    const auto [line, column] = std::min(std::pair(mark.line, mark.column), std::pair(line_, column_));
    return fmt::format("{}:{}:{}", label_, line + 1, column + 1);
  }

 private:
  std::string label_;
  int line_ = 0, column_ = 0;  // behind the last character, from 0
};

// The first of two passes: it finds errors of YAML before the second finds errors of configuration. (An open
// brace can look like a key that is a map.)
class SyntaxCheck final : public YAML::EventHandler {
 public:
  explicit SyntaxCheck(const Positions& positions) : positions_(positions) {}
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (value.find(kEnd) != std::string::npos)
      throw UserError("E-CFG-017", positions_.of(mark), "not YAML: a quotation is not closed");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void open(const YAML::Mark& mark) {
    if (++depth_ > kMostDepth)
      throw UserError("E-CFG-014", positions_.of(mark), fmt::format("nested more than {} deep", kMostDepth));
  }
  const Positions& positions_;
  int depth_ = 0;
};

// A map or list that is being read.
struct Frame {
  bool is_map = false;
  std::string path;
  std::string place;
  std::string value_path;  // of the next value; in a map, empty until its key is read
  std::string key_place;
  std::set<std::string> keys;
  std::size_t children = 0;
};

class Flattener final : public YAML::EventHandler {
 public:
  Flattener(const Positions& positions, std::string root) : positions_(positions), root_(std::move(root)) {}
  FlatConfig take() { return std::move(config_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      refuse("E-CFG-012", mark, "expected one document; there is text after the first one");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    if (frames_.empty() && root_.empty())
      refuse("E-CFG-015", mark, "expected a map of keys and values, got nothing");
    if (awaits_key()) refuse("E-CFG-019", mark, "expected a key");
    refuse("E-CFG-019", mark, fmt::format("'{}' has no value: give one, or leave the key out", value_path()));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse("E-CFG-011", mark, "aliases are not followed: write the value, or use 'extends:'");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    if (frames_.empty() && root_.empty())
      refuse("E-CFG-015", mark,
             fmt::format("expected a map of keys and values, got '{}'", value.substr(0, 40)));
    if (awaits_key()) return take_key(mark, value);
    scalars_.insert(value_path());
    config_.leaves.push_back({value_path(), value, positions_.of(mark), key_place(mark)});
    value_done();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void refuse(const char* code, const YAML::Mark& mark, const std::string& text) const {
    throw UserError(code, positions_.of(mark), text);
  }

  // Plain scalars have the tag "?", quoted ones "!", collections "?" or none. Any other tag was written by
  // the user.
  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor)
      refuse("E-CFG-011", mark, "anchors are not followed: write the value, or use 'extends:'");
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse("E-CFG-011", mark, fmt::format("tags are not supported: remove '{}'", tag));
  }

  bool awaits_key() const {
    return !frames_.empty() && frames_.back().is_map && frames_.back().value_path.empty();
  }

  std::string value_path() const {
    if (frames_.empty()) return root_;
    const Frame& frame = frames_.back();
    return frame.is_map ? frame.value_path : fmt::format("{}[{}]", frame.path, frame.children);
  }

  std::string key_place(const YAML::Mark& mark) const {
    return frames_.empty() || !frames_.back().is_map ? positions_.of(mark) : frames_.back().key_place;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = frames_.back();
    if (key.empty()) refuse("E-CFG-019", mark, "expected a key");
    if (key == "<<") refuse("E-CFG-011", mark, "merge keys are not followed: use 'extends:'");
    frame.value_path = frame.path.empty() ? key : frame.path + "." + key;
    frame.key_place = positions_.of(mark);
    // The search covers the whole text and not only this map, because 'a.b: 1' is short for 'a: {b: 1}'.
    if (!frame.keys.insert(key).second || scalars_.contains(frame.value_path))
      refuse("E-CFG-010", mark, fmt::format("key '{}' is given twice", frame.value_path));
  }

  void value_done() {
    if (frames_.empty()) return;
    frames_.back().value_path.clear();
    ++frames_.back().children;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map) {
    refuse_extras(mark, tag, anchor);
    if (frames_.empty() && root_.empty() && !is_map)
      refuse("E-CFG-015", mark, "expected a map of keys and values, got a list");
    if (awaits_key()) refuse("E-CFG-019", mark, "expected a key, got a map or a list");
    frames_.push_back({is_map, value_path(), positions_.of(mark), "", "", {}, 0});
  }

  void close() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    const bool keys = frame.path.find('[') == std::string::npos && frame.path.find('.') != std::string::npos;
    if (frame.children == 0 && frame.is_map && keys && root_.empty())
      config_.empty.push_back({frame.path, "", frame.place, frames_.back().key_place});
    else if (frame.children == 0 && !frame.path.empty())
      throw UserError("E-CFG-019", frame.place,
                      fmt::format("'{}' is empty: give it a value, or leave the key out", frame.path));
    value_done();
  }

  const Positions& positions_;
  std::string root_;
  FlatConfig config_;
  std::set<std::string> scalars_;  // their paths
  std::vector<Frame> frames_;
  int documents_ = 0;
};

// The parser accepts at most two documents, because for some texts (",") it never reports the end.
void parse_events(const std::string& text, const Positions& positions, YAML::EventHandler& handler) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(handler)) handler.OnNull(YAML::Mark(), YAML::NullAnchor);
    parser.HandleNextDocument(handler);
  } catch (const YAML::Exception& e) {
    throw UserError("E-CFG-017", positions.of(e.mark), "not YAML: " + e.msg);
  }
}

}  // namespace

FlatConfig flatten_text(const NamedText& source, const std::string& root) {
  if (source.text.size() > kMostText)
    throw UserError("E-CFG-014", source.label, fmt::format("longer than the limit of {} bytes", kMostText));
  std::string text = source.text;
  if (!text.ends_with('\n')) text += '\n';
  text += kEnd;
  text += '\n';
  const Positions positions(source);
  SyntaxCheck syntax(positions);
  parse_events(text, positions, syntax);
  Flattener flattener(positions, root);
  parse_events(text, positions, flattener);
  FlatConfig config = flattener.take();
  for (Leaf& leaf : config.leaves) leaf.folder = source.folder;
  return config;
}

}  // namespace tahoma::base
