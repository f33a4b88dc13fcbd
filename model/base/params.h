// SPDX-License-Identifier: Apache-2.0
// One declaration per parameter: path, type and unit, default, legal range, one sentence, provenance. A
// parameter is a plain member of a plain struct; the struct's declare() binds it to a ParamTree, and
// everything else (YAML, --set, range checks, `tahoma params`, the resolved configuration, sweep axes, the
// ledger of assumptions) reads the tree.
//
//   struct LinkParams {
//     Bandwidth rate;
//     void declare(ParamTree& t) {
//       t.add("rate", rate, 128_GBps, {1_GBps, 10000_GBps}, "payload rate of one direction",
//       documented("trn2-arch"));
//     }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/param_choice.h"
#include "model/base/units.h"

namespace tahoma::base {

enum class Provenance : std::uint8_t {
  kDocumented,
  kMeasured,
  kDerived,
  kAssumed,
  kChosen
};  // kChosen: the user's input
// A range around a value, as factors: the true value lies in it with a confidence of about 95 %.
struct Uncertainty {
  double low = 1, high = 1;
};
struct Source {
  Provenance kind = Provenance::kAssumed;
  std::string note;  // where from; for derived: how; for assumed: why
  // If unset, the range is that of the provenance (studies/whatif/uncertain.h).
  std::optional<Uncertainty> range = std::nullopt;

  // The same source with a range of its own, which contains the value: low <= 1 <= high.
  Source within(double low, double high) const {
    Source narrowed = *this;
    narrowed.range = Uncertainty{low, high};
    return narrowed;
  }
};
inline Source documented(std::string note) { return {Provenance::kDocumented, std::move(note)}; }
inline Source measured(std::string note) { return {Provenance::kMeasured, std::move(note)}; }
inline Source derived(std::string note) { return {Provenance::kDerived, std::move(note)}; }
inline Source assumed(std::string note) { return {Provenance::kAssumed, std::move(note)}; }
inline Source chosen() { return {Provenance::kChosen, "set by the user"}; }
const char* name_of(Provenance kind);

template <class T>
struct Range {
  T min, max;
};

using ParamRef = std::variant<bool*, std::uint64_t*, double*, std::string*, Duration*, Cycles*, Bytes*,
                              Frequency*, Bandwidth*, Energy*, Power*, ChoiceRef>;

// Maps one path to another.
using PathMap = std::function<std::string(const std::string& path)>;
// Returns a text with each path that it holds mapped; the rest of it is unchanged.
using PathsOf = std::function<std::string(const std::string& text, const PathMap& map)>;
// The text is one path, or none if it is empty. In FILE.py:FUNCTION and FILE.safetensors#TENSOR, the suffix
// belongs to the path.
std::string one_path(const std::string& text, const PathMap& map);

struct Param {
  std::string path;          // "machine.chip.hbm.stacks"
  ParamRef value;            // bound member
  std::string default_text;  // as it would be written in YAML
  std::string range_text;    // "1 .. 16", "one of: ring, torus", ...
  std::string doc;
  Source source;
  bool may_be_ideal = false;           // `ideal` is legal: a resource
  std::function<std::string()> check;  // "" if the bound value is legal, else the error
  std::vector<std::string> choices;    // the legal names of a choice or a switch; empty if free
  PathsOf paths = {};                  // of a text that names files
  std::string set_at;                  // place that set it last (file:line:column, --set), "" while default
};

class ParamTree {
 public:
  // With an empty root the parameters are at the top level.
  explicit ParamTree(std::string root) : prefix_(std::move(root)) {}

  // These bind the member, set its default and record the declaration. `ideal` is legal for a bandwidth, and
  // for a Duration or Cycles whose range begins at zero (a cost that may vanish). A declaration whose default
  // breaks its own rules violates an invariant.
  void add(const char* name, bool& ref, bool initial, const char* doc, Source source);
  void add(const char* name, std::uint64_t& ref, std::uint64_t initial, Range<std::uint64_t> range,
           const char* doc, Source source);
  void add(const char* name, double& ref, double initial, Range<double> range, const char* doc,
           Source source);
  void add(const char* name, Duration& ref, Duration initial, Range<Duration> range, const char* doc,
           Source source);
  void add(const char* name, Cycles& ref, Cycles initial, Range<Cycles> range, const char* doc,
           Source source);
  void add(const char* name, Bytes& ref, Bytes initial, Range<Bytes> range, const char* doc, Source source);
  void add(const char* name, Frequency& ref, Frequency initial, Range<Frequency> range, const char* doc,
           Source source);
  void add(const char* name, Bandwidth& ref, Bandwidth initial, Range<Bandwidth> range, const char* doc,
           Source source);
  void add(const char* name, Energy& ref, Energy initial, Range<Energy> range, const char* doc,
           Source source);
  void add(const char* name, Power& ref, Power initial, Range<Power> range, const char* doc, Source source);
  // Free text. `choices` is for names that are registered at program start, such as kinds of workloads; a
  // fixed list of names is an enum.
  void add(const char* name, std::string& ref, const std::string& initial, std::vector<std::string> choices,
           const char* doc, Source source);
  // A text that names files: relative paths are relative to the folder that set() gets. The default is none.
  void add_files(const char* name, std::string& ref, const char* doc, Source source,
                 PathsOf paths = one_path);
  // One of the named values of an enum.
  template <Choosable E>
  void add(const char* name, E& ref, std::type_identity_t<E> initial,
           const std::type_identity_t<Choice<E>>& choice, const char* doc, Source source) {
    ref = initial;
    add(name, ChoiceRef(ref, choice), doc, std::move(source));
  }
  // The present value of the member is the default.
  void add(const char* name, const ChoiceRef& ref, const char* doc, Source source);

  // Declares `group` (anything with declare(ParamTree&)) below `name`.
  template <class Group>
  void group(const char* name, Group& g) {
    const std::string saved = prefix_;
    prefix_ += std::string(".") + name;
    g.declare(*this);
    prefix_ = saved;
  }

  // Groups below `name` that are declared when a path first names one: the settings of single instances of a
  // large machine.
  struct OnDemand {
    // The group that `rest`, a path below `name`, names or leads into; "" if none.
    std::function<std::string(const std::string& rest)> group_of;
    std::function<void(ParamTree&, const std::string& group)> declare;
    // Paths of all parameters that are legal there, to suggest the nearest one.
    std::function<std::vector<std::string>()> legal;
  };
  void on_demand(const char* name, OnDemand groups);
  // Declares the group on demand that `path` names or leads into, if there is one and it is not declared yet.
  void demand(const std::string& path);
  // Declares one legal group of each kind, to show its parameters.
  void demand_examples();

  const std::vector<Param>& params() const { return params_; }
  std::vector<Param>& params() { return params_; }
  Param* find(const std::string& path);
  std::vector<std::string> paths() const;

  const std::string& root() const { return prefix_; }

  // Returns the parameter at `path` and declares its group if that happens on demand. Throws UserError at
  // `place`: E-CFG-002 for an unknown path (with the nearest one), E-CFG-019 for a group.
  Param& at(const std::string& path, const std::string& place);

  // Parses `text` for the parameter at `path`. Throws UserError: unknown path (with the nearest one), missing
  // or wrong unit, not a number, out of range, `ideal` where it is not legal (E-CFG-002 to E-CFG-007).
  // `place` is the origin of the text. After an error the parameter has its old value. `folder` is that of
  // the file with the text; "" is the working directory.
  void set(const std::string& path, const std::string& text, const std::string& place,
           const std::string& folder = "");

 private:
  void bind(Param param);
  // All declared paths, and those that can be declared on demand at `path`.
  std::vector<std::string> legal_near(const std::string& path) const;

  std::string prefix_;
  std::vector<Param> params_;
  std::vector<std::pair<std::string, OnDemand>> on_demand_;  // by path
};

// Returns true for a text or a choice, which are neither a number nor a switch.
bool takes_words(const ParamRef& value);

// Returns the value as text with its unit: "725 GB/s", "24 GiB", "1283.33 ns", "ideal", "true". Strings are
// not quoted.
std::string text_of(const ParamRef& value);

}  // namespace tahoma::base
