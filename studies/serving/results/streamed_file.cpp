// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/streamed_file.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::serving {

namespace {
constexpr std::size_t kBuffer = std::size_t{1} << 18;
}

StreamedFile::StreamedFile(std::string path) : path_(std::move(path)), descriptor_(create_new_file(path_)) {
  buffer_.reserve(kBuffer);
}

StreamedFile::~StreamedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StreamedFile::flush() {
  if (!write_all(descriptor_, buffer_)) refuse_write(path_, errno);
  buffer_.clear();
}

void StreamedFile::add(std::string_view text) {
  if (buffer_.size() + text.size() > kBuffer) flush();
  buffer_ += text;
}

void StreamedFile::close() {
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse_write(path_, errno);
}

}  // namespace tahoma::runtime::serving
