// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/npy.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using runtime::NpyArray;
using tests::TempDir;

namespace {

// A version-1 or -2 file according to the description of the format, independent of write_npy.
std::string npy_file(const std::string& header, const std::string& data, int major = 1) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

std::string header_of(const std::string& descr, const std::string& shape,
                      const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

base::UserError refusal_of_file(const std::string& path) {
  try {
    runtime::read_npy(path);
  } catch (const base::UserError& error) {
    return error;
  }
  return {"accepted", "", ""};
}

base::UserError error_of(const std::string& file) {
  const TempDir dir;
  return refusal_of_file(dir.write("a.npy", file));
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("npy: written arrays read back", "[npy]") {
  const TempDir dir;
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{}, {3}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}}) {
    for (const std::string descr : {"<f4", "<f2", "<i4", "<i2", "|i1", "<u4", "<u2", "|u1", "|V2", "|V1"}) {
      NpyArray array{descr, shape, {}};
      array.bytes.resize(array.elements() * runtime::element_size(descr));
      for (std::size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i * 37);
      runtime::write_npy(dir / "a.npy", array);
      const NpyArray again = runtime::read_npy(dir / "a.npy");
      CHECK(again.descr == descr);
      CHECK(again.shape == shape);
      CHECK(again.bytes == array.bytes);
    }
  }
}

TEST_CASE("npy: elements begin at a multiple of 64 bytes behind a NumPy header", "[npy]") {
  const TempDir dir;
  runtime::write_npy(dir / "a.npy", {"<f4", {2, 3}, bytes_of({1, 2, 3, 4, 5, 6})});
  const std::string file = tests::contents(dir / "a.npy");
  CHECK(file.size() % 64 == 24);
  CHECK(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  CHECK(file.substr(10, 61) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ");
  CHECK(file[file.size() - 25] == '\n');
}

TEST_CASE("npy: both versions and all spellings of NumPy are read", "[npy]") {
  const TempDir dir;
  const std::string data("\0\0\x80\x3f\0\0\0\x40", 8);
  for (const int major : {1, 2}) {
    const NpyArray array =
        runtime::read_npy(dir.write("a.npy", npy_file(header_of("<f4", "(2,)"), data, major)));
    CHECK(array.shape == std::vector<std::uint64_t>{2});
    CHECK(array.bytes == bytes_of({1, 2}));
  }
  // NumPy writes the void types of the bf16 and fp8 extensions with either byte order mark.
  const std::string halves = "abcd";
  CHECK(runtime::read_npy(dir.write("b.npy", npy_file(header_of("<V2", "(2,)"), halves))).descr == "|V2");
  CHECK(runtime::read_npy(dir.write("b.npy", npy_file(header_of("<V1", "(4,)"), halves))).descr == "|V1");
  const std::string other_order = "{\"shape\": (1,2), \"descr\": \"<u2\", \"fortran_order\": False}";
  CHECK(runtime::read_npy(dir.write("c.npy", npy_file(other_order, halves))).shape ==
        std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("npy: an unreadable file is reported", "[npy][bad-input]") {
  const TempDir dir;
  CHECK(refusal_of_file(dir / "missing.npy").code == "E-NPY-001");
  CHECK(std::string(refusal_of_file(dir / "missing.npy").what()).find("No such file") != std::string::npos);
  CHECK(refusal_of_file(dir.path().string()).code == "E-NPY-001");
}

TEST_CASE("npy: other magic, version and type are refused at their byte", "[npy][bad-input]") {
  const std::string data(8, '\0');
  const auto magic = error_of("PK\x03\x04 this is an .npz file");
  CHECK(magic.code == "E-NPY-002");
  CHECK(ends_with(magic.place, "a.npy:byte 0"));
  CHECK(error_of("").code == "E-NPY-002");
  const auto version = error_of(npy_file(header_of("<f4", "(2,)"), data, 3));
  CHECK(version.code == "E-NPY-003");
  CHECK(ends_with(version.place, ":byte 6"));
  for (const std::string descr : {"<f8", ">f4", "<i8", "|O", "<c8", "f4"}) {
    const auto type = error_of(npy_file(header_of(descr, "(2,)"), data));
    CHECK(type.code == "E-NPY-005");
    CHECK(ends_with(type.place, ":byte 20"));
  }
  const auto order = error_of(npy_file(header_of("<f4", "(2,)", "True"), data));
  CHECK(order.code == "E-NPY-006");
  CHECK(ends_with(order.place, ":byte 44"));
}

TEST_CASE("npy: a header that NumPy would not write is refused", "[npy][bad-input]") {
  const std::string data(8, '\0');
  for (const std::string header :
       {"", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "{'descr: <f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"}) {
    INFO(header);
    CHECK(error_of(npy_file(header, data)).code == "E-NPY-004");
  }
  const std::string whole = npy_file(header_of("<f4", "(2,)"), data);
  for (const std::size_t length : {6U, 7U, 9U, 10U, 40U})
    CHECK(error_of(whole.substr(0, length)).code == "E-NPY-004");
  CHECK(error_of(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f{}", 14)).code == "E-NPY-004");
}

TEST_CASE("npy: data must have the size of the shape", "[npy][bad-input]") {
  const std::string header = header_of("<f4", "(2, 3)");
  const auto shorter = error_of(npy_file(header, std::string(23, 'x')));
  CHECK(shorter.code == "E-NPY-007");
  CHECK(ends_with(shorter.place, ":byte " + std::to_string(10 + header.size() + 23)));
  const auto longer = error_of(npy_file(header, std::string(25, 'x')));
  CHECK(longer.code == "E-NPY-008");
  CHECK(ends_with(longer.place, ":byte " + std::to_string(10 + header.size() + 24)));
  // The header announces terabytes that are missing: it is refused before memory is allocated.
  CHECK(error_of(npy_file(header_of("<f4", "(1099511627776,)"), "")).code == "E-NPY-007");
}

TEST_CASE("npy: whatever a header's bytes become, the file is read or refused", "[npy][bad-input]") {
  const TempDir dir;
  const std::string good = npy_file(header_of("<f4", "(2,)"), std::string(8, '\0'));
  std::size_t refused = 0, accepted = 0;
  for (std::size_t at = 0; at < good.size() - 8; ++at) {
    for (const char c : {'\0', '\xff', '9', '\'', '(', ',', ' ', '}'}) {
      std::string bad = good;
      bad[at] = c;
      const base::UserError error = refusal_of_file(dir.write("a.npy", bad));
      INFO(error.what());
      const bool fine = error.code == "accepted";
      CHECK((fine || error.code.rfind("E-NPY-00", 0) == 0));
      ++(fine ? accepted : refused);
    }
  }
  // few bytes have no effect: blanks, and those that were replaced by themselves
  CHECK(refused > 9 * accepted);
}

TEST_CASE("npy: an unwritable file is reported", "[npy][bad-input]") {
  const TempDir dir;
  CHECK_THROWS_WITH(runtime::write_npy(dir / "no_such_folder/a.npy", {"<f4", {1}, bytes_of({1})}),
                    Catch::Contains("error[E-OUT-003]"));
}
