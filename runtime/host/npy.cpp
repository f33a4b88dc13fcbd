// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/npy.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "model/base/error.h"
#include "runtime/host/npy_header.h"
#include "runtime/host/text/text_file.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kVersionAt = 6, kLengthAt = 8;
constexpr std::size_t kAlignment = 64;           // of the first element, as NumPy pads it
constexpr std::size_t kMostNpyHeader = 1 << 20;  // a shape of tensors never needs more

struct Element {
  const char* written;  // the spelling in a file
  const char* descr;    // our spelling
  std::size_t size;
};
constexpr std::array kElements{Element{"<f4", "<f4", 4}, Element{"<f2", "<f2", 2}, Element{"<i4", "<i4", 4},
                               Element{"<i2", "<i2", 2}, Element{"|i1", "|i1", 1}, Element{"<u4", "<u4", 4},
                               Element{"<u2", "<u2", 2}, Element{"|u1", "|u1", 1}, Element{"|V2", "|V2", 2},
                               Element{"<V2", "|V2", 2}, Element{"|V1", "|V1", 1}, Element{"<V1", "|V1", 1}};

const Element* find_element(const std::string& written) {
  for (const Element& e : kElements)
    if (written == e.written) return &e;
  return nullptr;
}

// A file that is read from front to back, with its current offset.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::error_code error;
    // Opening a directory succeeds on Linux and fails at the first read with a puzzling message.
    if (std::filesystem::is_directory(path, error))
      throw UserError("E-NPY-001", path, "cannot read the file: it is a directory");
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_)
      throw UserError("E-NPY-001", path, fmt::format("cannot read the file: {}", std::strerror(errno)));
  }

  // Reads up to `count` bytes; fewer at the end of the file.
  std::string take(std::size_t count) {
    std::string bytes(count, '\0');
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(file_.gcount()));
    at_ += bytes.size();
    return bytes;
  }

  std::size_t take_into(std::byte* to, std::size_t count) {
    file_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
    at_ += static_cast<std::size_t>(file_.gcount());
    return static_cast<std::size_t>(file_.gcount());
  }

  std::size_t at() const { return at_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::ifstream file_;
  std::size_t at_ = 0;
};

std::size_t little_endian(const std::string& bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Names the actual format of the file by its first bytes.
std::string instead_of_magic(const std::string& begin) {
  const std::string format = known_format(begin);
  return format.empty() ? ": expected it to begin with the bytes 93 'NUMPY'" : ", but " + format;
}

// Reads the dict literal behind magic, version and length.
NpyHeader read_header(Reader& reader) {
  const std::string start = reader.take(kLengthAt);
  if (start.substr(0, kMagic.size()) != kMagic)
    throw UserError("E-NPY-002", npy_place(reader.path(), 0),
                    "not a .npy file" + instead_of_magic(start + reader.take(kLengthAt * kLengthAt)));
  if (start.size() < kLengthAt)
    throw UserError("E-NPY-004", npy_place(reader.path(), start.size()), "the file ends inside its header");
  const int major = static_cast<unsigned char>(start[kVersionAt]);
  if ((major != 1 && major != 2) || start[kVersionAt + 1] != 0)
    throw UserError("E-NPY-003", npy_place(reader.path(), kVersionAt),
                    fmt::format("expected format version 1.0 or 2.0, got {}.{}", major,
                                static_cast<unsigned char>(start[kVersionAt + 1])));
  const std::size_t width = major == 1 ? 2 : 4;
  const std::string length_bytes = reader.take(width);
  const std::size_t length = little_endian(length_bytes);
  if (length_bytes.size() == width && length > kMostNpyHeader)
    throw UserError(
        "E-NPY-004", npy_place(reader.path(), kLengthAt),
        fmt::format("a header of {} bytes is longer than the {} that are read", length, kMostNpyHeader));
  const std::size_t text_at = reader.at();
  const std::string text = reader.take(length);
  if (length_bytes.size() < width || text.size() < length)
    throw UserError("E-NPY-004", npy_place(reader.path(), reader.at()), "the file ends inside its header");
  return parse_npy_header(text, text_at, reader.path());
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

// Returns the number of bytes of the shape; it is compared with the file's size before memory is allocated.
std::uint64_t data_bytes(const std::vector<std::uint64_t>& shape, std::size_t size, const Reader& reader) {
  std::uint64_t bytes = size;
  for (const std::uint64_t n : shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      throw UserError("E-NPY-004", npy_place(reader.path(), kLengthAt),
                      fmt::format("malformed .npy header: a shape of {} is too large", shape_text(shape)));
  return bytes;
}

}  // namespace

std::uint64_t NpyArray::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t n : shape) count *= n;
  return count;
}

std::size_t element_size(const std::string& descr) {
  const Element* element = find_element(descr);
  return element == nullptr ? 0 : element->size;
}

NpyArray read_npy(const std::string& path) {
  Reader reader(path);
  const NpyHeader header = read_header(reader);
  const Element* element = find_element(header.descr);
  if (header.descr.find('O') != std::string::npos)
    throw UserError(
        "E-NPY-005", npy_place(path, header.descr_at),
        fmt::format("element type '{}' is that of pickled Python objects: expected an array of numbers",
                    header.descr));
  if (element == nullptr)
    throw UserError(
        "E-NPY-005", npy_place(path, header.descr_at),
        fmt::format("element type '{}' is not one of '<f4', '<f2', '<i4', '<i2', '|i1', '<u4', '<u2', '|u1', "
                    "and '|V2' or '|V1' for raw bits",
                    header.descr));
  if (header.fortran_order)
    throw UserError("E-NPY-006", npy_place(path, header.order_at),
                    "the array is in Fortran order, expected C order (numpy.ascontiguousarray)");

  NpyArray array{element->descr, header.shape, {}};
  const std::uint64_t wanted = data_bytes(header.shape, element->size, reader);
  const std::size_t data_at = reader.at();
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  const std::uint64_t have = error ? 0 : file_bytes - data_at;
  if (have < wanted)
    throw UserError("E-NPY-007", npy_place(path, data_at + have),
                    fmt::format("the file is truncated: {} elements of '{}' take {} bytes, got {}",
                                shape_text(header.shape), array.descr, wanted, have));
  if (have > wanted)
    throw UserError("E-NPY-008", npy_place(path, data_at + wanted),
                    fmt::format("{} bytes follow the {} elements of '{}' that the header announces",
                                have - wanted, shape_text(header.shape), array.descr));
  array.bytes.resize(wanted);
  const std::size_t got = reader.take_into(array.bytes.data(), wanted);
  if (got < wanted)
    throw UserError("E-NPY-001", npy_place(path, data_at + got),
                    "cannot read the file: a read stopped short");
  return array;
}

void write_npy(const std::string& path, const NpyArray& array) {
  TAHOMA_INVARIANT(element_size(array.descr) * array.elements() == array.bytes.size(),
                   fmt::format("write_npy {}: {} bytes for shape {} of {}", path, array.bytes.size(),
                               shape_text(array.shape), array.descr));
  std::string header = format_npy_header(array.descr, array.shape);
  const std::size_t used = kLengthAt + 2 + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  TAHOMA_INVARIANT(header.size() <= 0xffff, "write_npy " + path + ": too many dimensions for version 1.0");

  const std::array fixed{char{1}, char{0}, static_cast<char>(header.size() & 0xff),
                         static_cast<char>(header.size() >> 8)};
  write_new_file(path, {kMagic,
                        {fixed.data(), fixed.size()},
                        header,
                        {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}});
}

}  // namespace tahoma::runtime
