// SPDX-License-Identifier: Apache-2.0
// A file of an output folder that is written while the simulation runs, through a buffer of fixed size.
//
// UserError E-OUT-003: the file cannot be written.
#pragma once

#include <string>
#include <string_view>

namespace tahoma::runtime::serving {

class StreamedFile {
 public:
  explicit StreamedFile(std::string path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  void add(std::string_view text);
  // Writes the rest and completes the file.
  void close();

 private:
  void flush();

  std::string path_, buffer_;
  int descriptor_;
};

}  // namespace tahoma::runtime::serving
