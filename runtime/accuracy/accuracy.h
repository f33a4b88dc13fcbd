// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of one file, or of every file of a folder that has the key `accuracy`: pages, and with `out`
// a folder with accuracy.txt, accuracy.json, accuracy.csv and manifest.json; a folder of checks gives a
// folder for each of its files, by the file's name. Equal checks give equal bytes in all but the manifest.
#pragma once

#include <string>
#include <vector>

#include "runtime/accuracy/page.h"
#include "runtime/accuracy/page_files.h"
#include "runtime/accuracy/page_text.h"

namespace tahoma::runtime {

struct AccuracyOptions {
  std::vector<std::string> families;   // only these; none: all
  std::vector<std::string> overrides;  // --set
  std::size_t jobs = 1;
  std::string out;                        // "": no folder
  std::vector<std::string> command_line;  // for the manifest
};

// UserError beside those of suite.h: E-ACC-001, a folder without such a file.
std::vector<Page> check_accuracy(const std::string& path, const AccuracyOptions& options);

}  // namespace tahoma::runtime
