// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/study_folder.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "studies/sweep/sweep_folder.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& why) {
  throw base::UserError("E-HFC-016", folder.string(), why);
}

// Locked against other commands.
HostLock locked(const std::filesystem::path& folder) {
  make_sweep_folder(folder);
  if (std::filesystem::exists(folder / "sweep.yaml"))
    refuse_folder(folder, "contains a sweep; expected a folder of its own");
  if (auto lock = HostLock::of_folder(folder)) return std::move(*lock);
  refuse_folder(folder, "another command uses this folder; expected one at a time");
}

}  // namespace

StudyFolder study_folder(const std::string& keep, OutputDir& out) {
  if (keep.empty()) return {out.folder("study"), "study", {}};
  const auto whole = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  const std::filesystem::path folder = whole(keep), page = whole(out.path());
  const std::string from_page = folder.lexically_relative(page).string();
  if (!from_page.starts_with(".."))
    refuse_folder(folder,
                  fmt::format("is in {}, which this command replaces; expected another folder", out.path()));
  return {folder, from_page, locked(folder)};
}

std::vector<SearchedPoint> search_and_keep(const LayoutSearch& search, std::vector<SearchedPoint> points,
                                           KeptPoints& kept, const ExecutePoints& execute) {
  kept.put(points);
  points = search_layouts(std::move(points), search, [&](const std::vector<ModelPoint>& wanted) {
    std::vector<ModelFigures> figures = execute(wanted);
    std::vector<SearchedPoint> executed;
    for (const ModelFigures& one : figures) executed.push_back({one, {}, one});
    kept.put(executed);
    return figures;
  });
  kept.put(points);
  return points;
}

}  // namespace tahoma::runtime
