// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of a file with the key `accuracy`: its page, and with `out` a folder with accuracy.txt,
// accuracy.json, accuracy.csv and manifest.json. Equal checks give equal bytes in all files but the manifest.
#pragma once

#include <string>
#include <vector>

#include "studies/validation/accuracy/accuracy_page.h"
#include "studies/validation/accuracy/accuracy_page_files.h"
#include "studies/validation/accuracy/accuracy_page_text.h"

namespace tahoma::runtime {

struct AccuracyOptions {
  std::vector<std::string> families;   // only these; empty: all
  std::vector<std::string> overrides;  // --set
  std::size_t jobs = 1;
  std::string out;                        // "": no folder
  std::vector<std::string> command_line;  // for the manifest
  std::string intervals = {};  // of the parameters of these provenances (provenance_group); "": none
};

Page check_accuracy(const std::string& file, const AccuracyOptions& options);

}  // namespace tahoma::runtime
