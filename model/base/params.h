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
struct Source {
  Provenance kind = Provenance::kAssumed;
  std::string note;  // where from; for derived: how; for assumed: why
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
                              Frequency*, Bandwidth*, ChoiceRef>;

struct Param {
  std::string path;          // "machine.chip.hbm.stacks"
  ParamRef value;            // bound member
  std::string default_text;  // as it would be written in YAML
  std::string range_text;    // "1 .. 16", "one of: ring, torus", ...
  std::string doc;
  Source source;
  bool may_be_ideal = false;           // `ideal` is legal: a resource
  std::function<std::string()> check;  // "" if the bound value is legal, else what is wrong with it
  std::vector<std::string> choices;    // the legal names of a choice or a switch; empty if free
  std::string set_at;                  // place that set it last (file:line:column, --set), "" while default
};

class ParamTree {
 public:
  // An empty root: the parameters stand at the top level.
  explicit ParamTree(std::string root) : prefix_(std::move(root)) {}

  // Bind, set the default, and remember the rest. `ideal` is legal for a bandwidth, and for a Duration or
  // Cycles whose range begins at zero: a cost that may vanish. A declaration whose default breaks its own
  // rules is an invariant.
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
  // Free text. `choices` is for names that are registered while the program starts, such as kinds of
  // workloads; a fixed list of names is an enum.
  void add(const char* name, std::string& ref, const std::string& initial, std::vector<std::string> choices,
           const char* doc, Source source);
  // One of the named values of an enum.
  template <Choosable E>
  void add(const char* name, E& ref, std::type_identity_t<E> initial,
           const std::type_identity_t<Choice<E>>& choice, const char* doc, Source source) {
    ref = initial;
    add_choice(name, ChoiceRef(ref, choice), doc, std::move(source));
  }

  // Declare `group` (anything with declare(ParamTree&)) below `name`.
  template <class Group>
  void group(const char* name, Group& g) {
    const std::string saved = prefix_;
    prefix_ += std::string(".") + name;
    g.declare(*this);
    prefix_ = saved;
  }

  // Groups below `name` that nobody has declared until somebody names one of them: what is set in single
  // instances of a large machine.
  struct OnDemand {
    // The group that `rest`, a path below `name`, is or begins with; "" if none.
    std::function<std::string(const std::string& rest)> group_of;
    std::function<void(ParamTree&, const std::string& group)> declare;
    // Paths of all parameters that may stand there: for the nearest one.
    std::function<std::vector<std::string>()> legal;
  };
  void on_demand(const char* name, OnDemand groups);
  // Declares the group on demand that `path` is or leads into, if there is one and nobody has yet.
  void demand(const std::string& path);

  const std::vector<Param>& params() const { return params_; }
  std::vector<Param>& params() { return params_; }
  Param* find(const std::string& path);
  std::vector<std::string> paths() const;

  const std::string& root() const { return prefix_; }

  // The parameter at `path`, its group declared if that is done on demand; or UserError at `place`: E-CFG-002
  // unknown (with the nearest path), E-CFG-019 a group.
  Param& at(const std::string& path, const std::string& place);

  // Parse `text` for the parameter at `path`. Throws UserError: unknown path (with the nearest one), missing
  // or wrong unit, not a number, out of range, `ideal` where it is none (E-CFG-002 to E-CFG-007). `place` is
  // where the text came from. After an error the parameter has its old value.
  void set(const std::string& path, const std::string& text, const std::string& place);

 private:
  void bind(Param param);
  void add_choice(const char* name, ChoiceRef ref, const char* doc, Source source);
  // All declared paths, and those that could be on demand where `path` leads.
  std::vector<std::string> legal_near(const std::string& path) const;

  std::string prefix_;
  std::vector<Param> params_;
  std::vector<std::pair<std::string, OnDemand>> on_demand_;  // by path
};

// A text or a choice: neither a number nor a switch.
bool takes_words(const ParamRef& value);

// The value as text with its unit: "725 GB/s", "24 GiB", "1283.33 ns", "ideal", "true"; strings as they are,
// unquoted.
std::string text_of(const ParamRef& value);

}  // namespace tahoma::base
