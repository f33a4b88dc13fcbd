// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/results/atomic_files.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "model/base/error.h"
#include "runtime/host/whole_file.h"

namespace tahoma::runtime {

void write_whole(const std::filesystem::path& file, std::string_view bytes) {
  const int reason = replace_file(file.string() + kPartial, file.string(), bytes);
  if (reason != 0)
    throw base::UserError("E-OUT-003", file.string(),
                          fmt::format("cannot be written: {}", std::strerror(reason)),
                          base::ExitStatus::kHost);
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

}  // namespace tahoma::runtime
