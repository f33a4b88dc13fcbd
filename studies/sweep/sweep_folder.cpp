// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/batch/atomic_files.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

// True if the folder is empty except for the remains of a sweep that was killed while
// it wrote its first file.
bool is_fresh(const fs::path& folder) {
  if (!fs::exists(folder)) return true;
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(), [](const auto& entry) {
    return entry.path().filename() == std::string("sweep.yaml") + kPartial;
  });
}

// The first line in which two texts differ, of the second.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  for (std::string line_a, line_b; std::getline(lines_b, line_b);)
    if (!std::getline(lines_a, line_a) || line_a != line_b) return line_b;
  return "fewer keys";
}

// Resuming a sweep of other points would drop those of the folder from its tables.
void require_same_points(const fs::path& known, const SweepSpec& spec) {
  const std::string there = load_sweep(known.string()).points_yaml(), wanted = spec.points_yaml();
  if (there == wanted) return;
  throw base::UserError(
      "E-SWP-044", known.string(),
      fmt::format("is a sweep of other points: there is '{}' where this one has '{}'; expected the same "
                  "workloads, machine, settings and axes, or another --out",
                  base::trimmed(first_difference(wanted, there)),
                  base::trimmed(first_difference(there, wanted))));
}

}  // namespace

void make_sweep_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw base::UserError("E-OUT-001", folder.string(), "cannot be created: " + error.message(),
                          base::ExitStatus::kHost);
}

void open_sweep_folder(const fs::path& out, bool resume, const SweepSpec& spec) {
  const fs::path known = out / "sweep.yaml";
  const bool there = fs::exists(known);
  if (there && !resume)
    throw base::UserError("E-SWP-041", out.string(),
                          "already contains a sweep; expected another folder, or --resume to continue it");
  if (!there && resume)
    throw base::UserError("E-SWP-042", out.string(),
                          "contains no sweep to resume; expected the folder of an earlier --out");
  if (!there && !is_fresh(out))
    throw base::UserError("E-OUT-002", out.string(),
                          "exists and contains something that tahoma did not write");
  if (there) require_same_points(known, spec);
  make_sweep_folder(out);
  write_whole(known, spec.to_yaml());
  make_sweep_folder(out / "points");
}

HostLock locked_sweep_folder(const fs::path& folder) {
  if (auto lock = HostLock::of_folder(folder)) return std::move(*lock);
  throw base::UserError("E-SWP-043", folder.string(),
                        "another sweep is running in this folder; expected one at a time");
}

}  // namespace tahoma::runtime
