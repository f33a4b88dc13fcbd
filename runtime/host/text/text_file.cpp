// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/text/text_file.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

using namespace std::string_view_literals;

constexpr auto kUtf8Mark = "\xEF\xBB\xBF"sv;  // of UTF-8

struct KnownFormat {
  std::string_view begin;
  const char* name;
};

// The first that matches.
constexpr KnownFormat kKnownFormats[] = {
    {"version https://git-lfs.github.com/spec/"sv,
     "a Git LFS pointer: 'git lfs pull' fetches the file that it stands for"},
    {"\xFF\xFE\0\0"sv, "text in UTF-32: expected UTF-8"},
    {"\0\0\xFE\xFF"sv, "text in UTF-32: expected UTF-8"},
    {"\xFF\xFE"sv, "text in UTF-16: expected UTF-8"},
    {"\xFE\xFF"sv, "text in UTF-16: expected UTF-8"},
    {"\x93NUMPY"sv, "a .npy file"},
    {"PK\x03\x04"sv, "a zip archive, as .npz files and PyTorch checkpoints are"},
    {"\x1F\x8B"sv, "compressed by gzip"},
    {"\x28\xB5\x2F\xFD"sv, "compressed by zstd"},
    {"\xFD\x37zXZ"sv, "compressed by xz"},
    {"BZh9"sv, "compressed by bzip2"},
    {"\x89HDF\r\n"sv, "an HDF5 file"},
    {"PAR1"sv, "a Parquet file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x7F"
     "ELF"sv,
     "a program (ELF)"},
    {"%PDF-"sv, "a PDF document"},
    {"<!DOCTYPE html"sv, "an HTML page, perhaps that of a download that failed"},
    {"<!doctype html"sv, "an HTML page, perhaps that of a download that failed"},
    {"<html"sv, "an HTML page, perhaps that of a download that failed"},
    {"\x80\x02"sv, "a pickle of Python"},
    {"\x80\x03"sv, "a pickle of Python"},
    {"\x80\x04"sv, "a pickle of Python"},
    {"\x80\x05"sv, "a pickle of Python"}};

// The text has letters of ASCII with a zero byte before or behind each.
bool is_unmarked_utf16(std::string_view begin) {
  if (begin.size() < 4) return false;
  const bool little = begin[1] == 0 && begin[3] == 0 && begin[0] != 0 && begin[2] != 0,
             big = begin[0] == 0 && begin[2] == 0 && begin[1] != 0 && begin[3] != 0;
  const std::size_t letter = little ? 0 : 1;
  return (little || big) && begin[letter] >= ' ' && begin[letter + 2] >= ' ';
}

// The text is read no further than the first reader asked for.
const std::string& standard_input(std::size_t most) {
  static const std::string text = [most] {
    std::string read;
    char buffer[1 << 14];
    while (read.size() < most && std::cin) {
      std::cin.read(buffer, static_cast<std::streamsize>(std::min(sizeof buffer, most - read.size())));
      read.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    }
    return read;
  }();
  if (text.empty())
    throw base::UserError("E-RUN-001", name_of_file("-"),
                          "standard input is empty, expected the text of a file");
  return text;
}

}  // namespace

std::string known_format(std::string_view begin) {
  for (const KnownFormat& format : kKnownFormats)
    if (begin.starts_with(format.begin)) return format.name;
  return is_unmarked_utf16(begin) ? "text in UTF-16: expected UTF-8" : "";
}

std::string as_text(std::string bytes, const std::string& path) {
  if (const std::string format = known_format(bytes); !format.empty())
    throw base::UserError("E-RUN-002", path, "expected text, but the file is " + format);
  if (bytes.starts_with(kUtf8Mark)) bytes.erase(0, kUtf8Mark.size());
  return bytes;
}

std::string name_of_file(const std::string& path) { return path == kStandardInput ? "standard input" : path; }

std::string read_text(const std::string& path, std::size_t most) {
  return as_text(path == kStandardInput ? standard_input(most) : read_file(path, most), name_of_file(path));
}

}  // namespace tahoma::runtime
