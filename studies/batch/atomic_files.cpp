// SPDX-License-Identifier: Apache-2.0
#include "studies/batch/atomic_files.h"

#include <fstream>
#include <sstream>

#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

void write_whole(const std::filesystem::path& file, std::string_view bytes) {
  try {
    write_file_as(file.string(), behind_links(file).string() + kPartial, bytes);
  } catch (const base::UserError& error) {
    // The sweep could write here when it began.
    throw base::UserError(error.code, error.place, error.message, base::ExitStatus::kHost);
  }
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

}  // namespace tahoma::runtime
