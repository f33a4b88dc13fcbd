// SPDX-License-Identifier: Apache-2.0
// Reads and writes sweep files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "model/base/error.h"
#include "model/base/params.h"
#include "model/base/quantity.h"
#include "runtime/config/config_files.h"
#include "studies/sweep/spec/spec_keys.h"
#include "studies/sweep/spec/spec_text.h"
#include "studies/sweep/spec/sweep_parameters.h"

namespace tahoma::runtime {
namespace {

namespace fs = std::filesystem;
using base::FlatConfig, base::Leaf, base::ParamTree, base::UserError;

constexpr std::uint64_t kMostPoints = 1'000'000;
constexpr std::uint64_t kMostRetries = 100;
constexpr std::uint64_t kMostRepeats = 10000;
const std::vector<std::string> kKeys{"title", "workloads", "machine", "mode",   "seed",    "repeat", "set",
                                     "axes",  "derive",    "where",   "sample", "metrics", "limits"};

// The keys with a single value.
struct FixedKeys {
  std::string title, machine, mode, seed, time;
  std::uint64_t repeat = 0;
  SweepLimits limits;
  SweepSample sample;

  struct LimitKeys {
    FixedKeys& keys;
    void declare(ParamTree& t) {
      t.add("points", keys.limits.points, keys.limits.points, {1, kMostPoints},
            "limit on the points of the sweep, to catch mistakes", base::chosen());
      t.add("time", keys.time, "none", {}, "time limit of one attempt at a point: '10 min', or none",
            base::chosen());
      t.add("memory", keys.limits.memory, base::Bytes{0}, {base::Bytes{0}, base::Bytes{UINT64_MAX}},
            "memory limit of one point; 0 B: no limit", base::chosen());
      t.add("retries", keys.limits.retries, keys.limits.retries, {0, kMostRetries},
            "further attempts at a point that crashed", base::chosen());
    }
  };
  struct SampleKeys {
    SweepSample& sample;
    void declare(ParamTree& t) {
      t.add("method", sample.method, sample.method, sampling_methods(), "how points are drawn",
            base::chosen());
      t.add("points", sample.points, std::uint64_t{0}, {0, kMostPoints}, "number of points", base::chosen());
      t.add("seed", sample.seed, std::uint64_t{1}, {0, UINT64_MAX}, "seed of the sample", base::chosen());
    }
  };

  void declare(ParamTree& t) {
    t.add("title", title, "", {}, "title of the sweep", base::chosen());
    t.add("machine", machine, "", {}, "preset or file; replaces that of the workloads", base::chosen());
    t.add("mode", mode, "", {}, "functional or timing", base::chosen());
    t.add("seed", seed, "", {}, "seed of generated inputs", base::chosen());
    t.add("repeat", repeat, std::uint64_t{0}, {0, kMostRepeats},
          "start phases with which each point runs, for the band of its time; 0: its own alone",
          base::chosen());
    LimitKeys limit_keys{*this};
    t.group("limits", limit_keys);
    SampleKeys sample_keys{sample};
    t.group("sample", sample_keys);
  }
};

struct TimeUnit {
  const char* suffix;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] = {{" s", 1}, {" min", 60}, {" h", 3600}};

double parse_time(const Leaf& leaf) {
  if (leaf.text == "none") return 0;
  for (const TimeUnit& unit : kTimeUnits) {
    if (!leaf.text.ends_with(unit.suffix)) continue;
    try {
      const double count =
          base::parse_number(leaf.text.substr(0, leaf.text.size() - std::string(unit.suffix).size()));
      if (count > 0) return count * unit.seconds;
    } catch (const UserError&) {  // reported below
    }
  }
  throw UserError(
      "E-SWP-004", leaf.place,
      fmt::format("'{}': expected a time of the host in s, min or h, such as '10 min', or none; got '{}'",
                  leaf.path, leaf.text));
}

FlatConfig read(const std::string& path) { return base::flatten(read_config_text(path), read_extended); }

void require_keys(const FlatConfig& config, const std::string& file) {
  for (const Leaf& leaf : config.leaves) {
    const std::string root = leaf.path.substr(0, leaf.path.find_first_of(".["));
    if (root != kRoot)
      throw UserError(
          "E-SWP-001", leaf.key_place,
          fmt::format("unknown key '{}': expected sweep{}", root, base::did_you_mean(root, {kRoot})));
    if (std::any_of(kKeys.begin(), kKeys.end(),
                    [&](const std::string& key) { return rest_below(leaf, key); }))
      continue;
    const std::string rest = leaf.path.substr(std::min(leaf.path.size(), kRoot.size() + 1));
    const std::string key = rest.substr(0, rest.find_first_of(".["));
    throw UserError("E-CFG-002", leaf.key_place,
                    fmt::format("unknown key 'sweep.{}': expected {}{}", key, fmt::join(kKeys, ", "),
                                base::did_you_mean(key, kKeys)));
  }
  if (config.leaves.empty()) throw UserError("E-SWP-001", file, "expected the key 'sweep'");
}

// The path becomes relative to the working directory; a preset keeps its name.
std::string machine_of(const Leaf& named, const fs::path& folder) {
  const fs::path path = find_machine(named.text, folder, named.place);
  for (const fs::path& presets : preset_directories())
    if (path.parent_path() == presets) return named.text;
  return path.string();
}

void read_fixed(const FlatConfig& config, const std::string& file, SweepSpec& spec) {
  FlatConfig fixed;
  for (const char* key : {"title", "machine", "mode", "seed", "repeat", "limits", "sample"})
    for (const Leaf& leaf : config.leaves)
      if (rest_below(leaf, key)) fixed.leaves.push_back(leaf);
  ParamTree tree(kRoot);
  FixedKeys keys;
  keys.declare(tree);
  base::apply(fixed, tree);
  spec.title = keys.title;
  spec.mode = keys.mode;
  spec.seed = keys.seed;
  spec.repeat = keys.repeat;
  if (const Leaf* repeat = fixed.find("sweep.repeat"); repeat != nullptr && spec.repeat == 1)
    throw UserError("E-SWP-033", repeat->place,
                    "'sweep.repeat': expected 0 or at least 2, because one time gives no band; got 1");
  spec.limits = keys.limits;
  if (const Leaf* machine = fixed.find("sweep.machine"))
    spec.machine = machine_of(*machine, fs::path(file).parent_path());
  if (const Leaf* time = fixed.find("sweep.limits.time")) spec.limits.time = parse_time(*time);
  const auto sampled = std::find_if(fixed.leaves.begin(), fixed.leaves.end(),
                                    [](const Leaf& leaf) { return rest_below(leaf, "sample").has_value(); });
  if (sampled == fixed.leaves.end()) return;
  if (keys.sample.points == 0)
    throw UserError("E-SWP-003", sampled->key_place,
                    "key 'sweep.sample.points' is missing: expected the number of points");
  keys.sample.place = tree.find("sweep.sample.points")->set_at;
  spec.sample = keys.sample;
}

void read_expressions(const FlatConfig& config, SweepText& text, SweepSpec& spec) {
  for (const Leaf& leaf : map_of(config, "derive", "'machine.chip.hbm.capacity: ...'")) {
    text.derived.push_back({leaf.path, leaf.key_place});
    spec.derived.emplace_back(leaf.path, Expression(leaf.text, leaf.place));
  }
  for (const Leaf& leaf : map_of(config, "metrics", "'price: ...'")) {
    text.metrics.push_back({leaf.path, leaf.key_place});
    spec.metrics.emplace_back(leaf.path, Expression(leaf.text, leaf.place));
  }
  for (const Written& where : texts_of(config, "where")) spec.where.emplace_back(where.text, where.place);
}

}  // namespace

bool is_sweep(const std::string& path) {
  const FlatConfig config = read(path);
  return std::any_of(config.leaves.begin(), config.leaves.end(), [](const Leaf& leaf) {
    return leaf.path == kRoot || leaf.path.starts_with(kRoot + ".");
  });
}

SweepSpec load_sweep(const std::string& path) {
  const FlatConfig config = read(path);
  require_keys(config, path);
  SweepSpec spec;
  SweepText text;
  spec.file = text.place = path;
  text.folder = fs::path(path).parent_path().string();
  for (const Written& workload : texts_of(config, "workloads"))
    text.workloads.push_back((fs::path(path).parent_path() / workload.text).lexically_normal().string());
  spec.workloads = text.workloads;
  read_fixed(config, path, spec);
  for (const char* key : {"mode", "seed"})
    if (const Leaf* leaf = config.find(kRoot + "." + key))
      text.overrides.push_back({key, leaf->text, leaf->place, leaf->key_place});
  for (Leaf& leaf : map_of(config, "set", "'machine.chip.hbm.model: flat'")) {
    leaf.folder = text.folder;
    text.overrides.push_back(std::move(leaf));
  }
  text.axes = axes_of(config);
  read_expressions(config, text, spec);
  check_sweep(text, spec);
  return spec;
}

}  // namespace tahoma::runtime
