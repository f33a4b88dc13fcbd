// SPDX-License-Identifier: Apache-2.0
// The folder with the runs and points of a study: below the output, or one that outlives the command.
//
// UserError E-HFC-016: the folder cannot keep a study, because the output, a sweep or another command uses
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/host/host_lock.h"
#include "runtime/host/output/output_dir.h"
#include "studies/model/results/kept_points.h"

namespace tahoma::runtime {

struct StudyFolder {
  std::filesystem::path path;
  std::string from_page;         // the folder, as a page in the output refers to it
  std::optional<HostLock> lock;  // of a folder that outlives the command
};

// `keep`: the folder that the user named; "": below the output.
StudyFolder study_folder(const std::string& keep, OutputDir& out);

// Searches with executed points. Each of them is in sweep.db before the next ones begin.
std::vector<SearchedPoint> search_and_keep(const LayoutSearch& search, std::vector<SearchedPoint> points,
                                           KeptPoints& kept, const ExecutePoints& execute);

}  // namespace tahoma::runtime
