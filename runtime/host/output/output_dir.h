// SPDX-License-Identifier: Apache-2.0
// The output folder of a run, written atomically: files go to a hidden sibling folder that is renamed at the
// end, so a folder of the final name is always a complete run. A run that is interrupted by SIGINT, SIGTERM
// or SIGHUP leaves nothing (signals/unfinished.h); one that is killed may leave the hidden folder.
//
// Errors (UserError, place = the folder or file):
//   E-OUT-001  the folder cannot be written: thrown by the constructor, before the simulation
//   E-OUT-002  the folder exists and contains something that tahoma did not write
//   E-OUT-003  a file cannot be written (disk full)
//   E-OUT-004  the final rename failed; the message says where the results are
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/host/signals/unfinished.h"

namespace tahoma::runtime {

class OutputDir {
 public:
  // Checks that `path` can become the output: new folders can be created in its parent (created if missing),
  // and `path` is missing, empty, or contains only the files that its manifest.json lists.
  explicit OutputDir(const std::string& path);
  // Removes everything unless commit() succeeded.
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  void write(const std::string& name, std::string_view bytes);
  // A path for a file that another component writes.
  std::string file(const std::string& name);
  // Creates a subfolder for files that another component writes. Everything in it belongs to the run.
  std::string folder(const std::string& name);
  const std::vector<std::string>& files() const { return files_; }

  // Renames the folder to its final name, replacing that of an earlier run.
  void commit();
  std::string path() const { return target_.string(); }

 private:
  void probe();
  void begin();

  std::filesystem::path target_, staging_;
  std::optional<UnfinishedFolder> unfinished_;
  std::vector<std::filesystem::path> made_parents_;  // outermost first
  std::vector<std::string> files_;
  bool begun_ = false, kept_ = false;
};

}  // namespace tahoma::runtime
