// SPDX-License-Identifier: Apache-2.0
// The folder that a run writes, all or nothing: files go to a hidden sibling folder that takes the final name
// in one rename, so a folder of that name is always a complete run. A run that is interrupted while it
// simulates leaves nothing, unless a file has been asked for before (a timeline): then the hidden folder.
//
// Errors (UserError, place = the folder or file):
//   E-OUT-001  the folder cannot be written: raised by the constructor, before anything is simulated
//   E-OUT-002  the folder exists and holds something that tahoma did not write
//   E-OUT-003  a file cannot be written (disk full)
//   E-OUT-004  the last rename failed; says where the results are
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime {

class OutputDir {
 public:
  // Checks that `path` can become the output: its parent (made if missing) takes new folders, and `path` is
  // missing, empty, or holds nothing but the files that its manifest.json lists.
  explicit OutputDir(const std::string& path);
  // Removes all traces unless commit() was reached.
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  void write(const std::string& name, std::string_view bytes);
  // A path for a file that someone else writes.
  std::string file(const std::string& name);
  // A new folder inside it for files that someone else writes. All that is in it counts as the run's.
  std::string folder(const std::string& name);
  const std::vector<std::string>& files() const { return files_; }

  // Gives the folder its name, replacing an earlier run's.
  void commit();
  std::string path() const { return target_.string(); }

 private:
  void probe();
  void begin();

  std::filesystem::path target_, staging_;
  std::vector<std::filesystem::path> made_parents_;  // outermost first
  std::vector<std::string> files_;
  bool begun_ = false, kept_ = false;
};

}  // namespace tahoma::runtime
