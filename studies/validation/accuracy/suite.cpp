// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "model/base/error.h"
#include "model/base/params.h"
#include "model/base/quantity.h"
#include "runtime/config/config_files.h"
#include "studies/validation/accuracy/tables/suite_tables.h"

namespace tahoma::runtime {

using base::FlatConfig, base::Leaf, base::ParamTree, base::UserError;

namespace {

constexpr std::string_view kSuiteRoot = "accuracy";
constexpr std::string_view kFamilies = "accuracy.families.";
constexpr std::uint64_t kMostPhases = 1024;

// The keys of one family, as text.
struct FamilyKeys {
  std::string doc, table, traffic, fabric, collectives, peaks, rows, mean, worst;
  std::uint64_t phases = 0;

  struct LimitKeys {
    std::string& mean;
    std::string& worst;
    void declare(ParamTree& t) {
      t.add("mean", mean, "none", {}, "largest mean of the absolute errors", base::chosen());
      t.add("worst", worst, "none", {}, "largest absolute error", base::chosen());
    }
  };

  void declare(ParamTree& t) {
    t.add("doc", doc, "", {}, "one sentence about the figures", base::chosen());
    t.add("table", table, "", {}, "the table of figures, next to this file", base::chosen());
    t.add("traffic", traffic, "", {}, "the table of memory traffic, next to this file", base::chosen());
    t.add("fabric", fabric, "", {}, "the table of traffic through the fabric, next to this file",
          base::chosen());
    t.add("collectives", collectives, "", {}, "the table of collectives, next to this file", base::chosen());
    t.add("peaks", peaks, "", {}, "the table of published peaks, next to this file", base::chosen());
    t.add("rows", rows, "*", {}, "rows of the table: ids, or prefixes of ids with a '*'", base::chosen());
    t.add("phases", phases, std::uint64_t{0}, {0, kMostPhases}, "phases of the throttle window to run",
          base::chosen());
    LimitKeys limits{mean, worst};
    t.group("limits", limits);
  }
};

std::string set_at(ParamTree& tree, const std::string& path) { return tree.find(path)->set_at; }

double parse_percent(const std::string& place, const std::string& path, const std::string& text,
                     const char* expected) {
  try {
    if (text.ends_with(" %")) return base::parse_number(text.substr(0, text.size() - 2));
  } catch (const UserError&) {  // reported below
  }
  throw UserError("E-ACC-010", place,
                  fmt::format("'{}': expected a percentage such as {}; got '{}'", path, expected, text));
}

std::optional<double> parse_limit(ParamTree& tree, const std::string& path, const std::string& text) {
  if (text == "none") return std::nullopt;
  return parse_percent(set_at(tree, path), path, text, "'2 %', or none");
}

void require_suite_key(const std::string& value, const std::string& path, const std::string& place) {
  if (value.empty()) throw UserError("E-ACC-013", place, fmt::format("key '{}' is missing", path));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// Exclusive keys of a family, which determine the kind of its table's rows.
struct KindKey {
  const char* key;
  FigureKind kind;
  std::string FamilyKeys::*file;
};
constexpr std::array<KindKey, 5> kKindKeys{
    {{".table", FigureKind::kProbe, &FamilyKeys::table},
     {".traffic", FigureKind::kMemory, &FamilyKeys::traffic},
     {".fabric", FigureKind::kFabric, &FamilyKeys::fabric},
     {".collectives", FigureKind::kCollective, &FamilyKeys::collectives},
     {".peaks", FigureKind::kPeak, &FamilyKeys::peaks}}};

// Names of the families in the order of the file, with their places.
std::vector<std::pair<std::string, std::string>> family_names(const FlatConfig& config) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Leaf& leaf : config.leaves) {
    if (!leaf.path.starts_with(kFamilies)) continue;
    const std::string rest = leaf.path.substr(kFamilies.size());
    const std::string name = rest.substr(0, rest.find_first_of(".["));
    if (names.empty() || names.back().first != name) names.emplace_back(name, leaf.key_place);
  }
  return names;
}

FlatConfig read_suite(const std::string& path) {
  return base::flatten(read_config_text(path), read_extended);
}

bool below_root(const Leaf& leaf) {
  return leaf.path == kSuiteRoot || leaf.path.starts_with(std::string(kSuiteRoot) + ".");
}

[[noreturn]] void refuse_both(ParamTree& tree, const char* one, const char* other) {
  throw UserError("E-ACC-017", set_at(tree, tree.root() + one),
                  fmt::format("'{0}{1}' excludes '{0}{2}': expected one of them", tree.root(), one, other));
}

// The default is a table of figures: its key is then reported as missing.
const KindKey& kind_by_key(ParamTree& tree, const FamilyKeys& keys) {
  const KindKey* kind = nullptr;
  for (const KindKey& each : kKindKeys) {
    if ((keys.*each.file).empty()) continue;
    if (kind != nullptr) refuse_both(tree, kind->key, each.key);
    kind = &each;
  }
  if (kind == nullptr) return kKindKeys.front();
  const bool phases = !set_at(tree, tree.root() + ".phases").empty();
  if (phases && kind->kind != FigureKind::kProbe) refuse_both(tree, ".phases", kind->key);
  return *kind;
}

// Takes the leaves below a family's `misses`, whose keys are ids.
std::vector<Leaf> take_misses(FlatConfig& config, const std::string& root) {
  const std::string group = root + ".misses";
  const auto of_misses = [&](const Leaf& leaf) {
    return leaf.path == group || leaf.path.starts_with(group + ".");
  };
  std::vector<Leaf> taken;
  std::copy_if(config.leaves.begin(), config.leaves.end(), std::back_inserter(taken), of_misses);
  std::erase_if(config.leaves, of_misses);
  return taken;
}

struct MissKeys {
  std::string error, reason;
  void declare(ParamTree& t) {
    t.add("error", error, "", {}, "the error that is known, in percent of the reference", base::chosen());
    t.add("reason", reason, "", {}, "why the model misses the figure", base::chosen());
  }
};

std::vector<KnownMiss> read_misses(const std::vector<Leaf>& leaves, const Family& family,
                                   const std::string& root) {
  std::vector<KnownMiss> misses;
  std::vector<std::string> ids;
  for (const Figure& figure : family.figures) ids.push_back(figure.id);
  const std::string group = root + ".misses";
  for (const Leaf& leaf : leaves) {
    const std::size_t begin = std::min(group.size() + 1, leaf.path.size()), end = leaf.path.find('.', begin);
    const std::string id = leaf.path.substr(begin, end - begin);
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      throw UserError("E-ACC-018", leaf.key_place,
                      fmt::format("'{}': family {} has no figure '{}'{}", group, family.name, id,
                                  base::did_you_mean(id, ids)));
    if (!family.limits.worst)
      throw UserError("E-ACC-013", leaf.key_place,
                      fmt::format("key '{}.limits.worst' is missing, which '{}' misses", root, id));
    const bool known =
        std::any_of(misses.begin(), misses.end(), [&](const KnownMiss& miss) { return miss.id == id; });
    if (known) continue;
    MissKeys keys;
    ParamTree tree(fmt::format("{}.{}", group, id));
    keys.declare(tree);
    base::apply(FlatConfig{leaves}, tree);
    require_suite_key(keys.error, tree.root() + ".error", leaf.key_place);
    require_suite_key(keys.reason, tree.root() + ".reason", leaf.key_place);
    const std::string path = tree.root() + ".error";
    misses.push_back({id, parse_percent(set_at(tree, path), path, keys.error, "'-10 %'"), keys.reason});
  }
  return misses;
}

Family read_family(FlatConfig config, const std::string& name, const std::string& place,
                   SuiteTables& tables) {
  ParamTree tree(std::string(kFamilies) + name);
  FamilyKeys keys;
  keys.declare(tree);
  const std::string root = tree.root();
  const std::vector<Leaf> misses = take_misses(config, root);
  base::apply(config, tree);
  require_suite_key(keys.doc, root + ".doc", place);
  const KindKey& kind = kind_by_key(tree, keys);
  const std::string key = root + kind.key, table = keys.*kind.file;
  require_suite_key(table, key, place);
  Family family{name, keys.doc, table, kind.kind, {}, keys.phases, {}};
  family.limits.mean = parse_limit(tree, root + ".limits.mean", keys.mean);
  family.limits.worst = parse_limit(tree, root + ".limits.worst", keys.worst);
  family.figures = tables.take({table, kind.kind, set_at(tree, key)}, words_of(keys.rows), name);
  family.misses = read_misses(misses, family, root);
  return family;
}

// A suite with cases must name the machine that they run on.
void require_machine(const Suite& suite) {
  const bool cases = std::any_of(suite.families.begin(), suite.families.end(),
                                 [](const Family& family) { return family.kind == FigureKind::kProbe; });
  if (cases) require_suite_key(suite.machine, "accuracy.machine", suite.file);
}

void require_families(const std::vector<std::string>& only,
                      const std::vector<std::pair<std::string, std::string>>& families) {
  std::vector<std::string> names;
  for (const auto& [name, place] : families) names.push_back(name);
  for (const std::string& name : only)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UserError("E-ACC-014", "--family " + name,
                      fmt::format("unknown family: expected {}{}", fmt::join(names, ", "),
                                  base::did_you_mean(name, names)));
}

}  // namespace

bool is_suite(const std::string& path) {
  const FlatConfig config = read_suite(path);
  return std::any_of(config.leaves.begin(), config.leaves.end(), below_root);
}

Suite load_suite(const std::string& path, const std::vector<std::string>& only) {
  const FlatConfig config = read_suite(path);
  FlatConfig top;
  for (const Leaf& leaf : config.leaves) {
    if (!below_root(leaf))
      throw UserError("E-ACC-001", leaf.key_place,
                      fmt::format("unknown key '{}': expected accuracy{}", leaf.path,
                                  base::did_you_mean(leaf.path, {std::string(kSuiteRoot)})));
    if (!leaf.path.starts_with(kFamilies)) top.leaves.push_back(leaf);
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Suite suite;
  suite.file = path;
  ParamTree tree{std::string(kSuiteRoot)};
  tree.add("title", suite.title, "", {}, "title of the page", base::chosen());
  tree.add("machine", suite.machine, "", {}, "preset or file of the machine", base::chosen());
  base::apply(top, tree);
  require_suite_key(suite.title, "accuracy.title", path);
  if (!suite.machine.empty())
    suite.machine_path = find_machine(suite.machine, folder, set_at(tree, "accuracy.machine"));

  const auto names = family_names(config);
  if (names.empty()) throw UserError("E-ACC-013", path, "key 'accuracy.families' is missing");
  require_families(only, names);
  SuiteTables tables(folder);
  for (const auto& [name, place] : names)
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end())
      suite.families.push_back(read_family(config, name, place, tables));
  if (only.empty()) tables.require_all_taken();
  require_machine(suite);
  return suite;
}

}  // namespace tahoma::runtime
