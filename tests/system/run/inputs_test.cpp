// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/inputs.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "model/base/error.h"
#include "runtime/host/npy_dtype.h"
#include "tests/support/program/refusal_of.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using isa::DType;

// A .npy file that is removed at the end of the test.
class TemporaryNpy {
 public:
  TemporaryNpy(const std::string& name, const NpyArray& array)
      : path_((std::filesystem::temp_directory_path() / ("tahoma_inputs_test_" + name + ".npy")).string()) {
    write_npy(path_, array);
  }
  ~TemporaryNpy() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

template <class Element>
NpyArray array_of(const std::string& descr, std::vector<std::uint64_t> shape,
                  const std::vector<Element>& values) {
  NpyArray array{descr, std::move(shape), {}};
  array.bytes.resize(values.size() * sizeof(Element));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

}  // namespace

TEST_CASE("inputs: a value depends on seed, name and index alone", "[inputs]") {
  const HostTensor flat = generate_input("x", DType::kFp32, {24}, 5);
  const HostTensor matrix = generate_input("x", DType::kFp32, {4, 6}, 5);
  CHECK(flat.values == matrix.values);
  CHECK(flat.at(0, 13) == GeneratedValues(5, "x")[13]);
  CHECK(generate_input("x", DType::kFp32, {24}, 6).values != flat.values);
  CHECK(generate_input("y", DType::kFp32, {24}, 5).values != flat.values);
}

TEST_CASE("inputs: values spread evenly from -1 up to 1 and do not repeat", "[inputs]") {
  const std::uint64_t n = 200000;
  double sum = 0, square = 0;
  std::array<int, 16> histogram{};
  std::set<float> distinct;
  const GeneratedValues values(1, "x");
  for (std::uint64_t i = 0; i < n; ++i) {
    const float x = values[i];
    REQUIRE((x >= -1.0F && x < 1.0F));
    sum += x;
    square += double{x} * x;
    ++histogram[static_cast<std::size_t>((x + 1) * 8)];
    distinct.insert(x);
  }
  // Six standard deviations of the mean of n uniform values, of their squares, and of a bin's count.
  CHECK(std::fabs(sum / n) < 6 * std::sqrt(1.0 / 3 / n));
  CHECK(std::fabs(square / n - 1.0 / 3) < 6 * std::sqrt(4.0 / 45 / n));
  for (const int count : histogram) CHECK(std::fabs(count - n / 16.0) < 6 * std::sqrt(n / 16.0));
  CHECK(distinct.size() > n - 2 * n * n / (1 << 24));  // of 2^24 values n^2 / 2^25 pairs coincide
}

TEST_CASE("inputs: a generated 16-bit tensor is the rounded fp32 tensor", "[inputs]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16);
  const HostTensor wide = generate_input("x", DType::kFp32, {50, 3}, 9);
  const HostTensor narrow = generate_input("x", dtype, {50, 3}, 9);
  const float half_last_place = dtype == DType::kBf16 ? 0x1p-9F : 0x1p-12F;
  for (std::uint64_t i = 0; i < 50; ++i)
    for (std::uint64_t j = 0; j < 3; ++j)
      CHECK(std::fabs(narrow.at(i, j) - wide.at(i, j)) <= half_last_place);
}

TEST_CASE("inputs: windows agree with single elements", "[inputs]") {
  const DType dtype = GENERATE(DType::kFp32, DType::kBf16, DType::kFp16);
  const HostTensor tensor = generate_input("x", dtype, {3, 47, 70}, 2);
  REQUIRE(tensor.rows() == 141);
  REQUIRE(tensor.columns() == 70);
  const Window w{40, 5, 65, 41};
  HostTensor copy = make_tensor("copy", dtype, {65, 41}),
             transposed = make_tensor("transposed", dtype, {41, 65});
  std::vector<float> wide(65 * 41);
  copy_window(tensor, w, copy.values.data());
  copy_window_transposed(tensor, w, transposed.values.data());
  widen_window(tensor, w, wide.data());
  HostTensor pasted = make_tensor("pasted", dtype, {141, 70});
  paste_window(pasted, w, copy.values.data());
  bool right = true;
  for (std::uint64_t r = 0; r < 65; ++r)
    for (std::uint64_t c = 0; c < 41; ++c) {
      const float value = tensor.at(40 + r, 5 + c);
      right = right && copy.at(r, c) == value && transposed.at(c, r) == value && wide[r * 41 + c] == value;
      right = right && pasted.at(40 + r, 5 + c) == value;
    }
  CHECK(right);
  CHECK(pasted.at(39, 5) == 0);
  CHECK(pasted.at(40, 46) == 0);
  CHECK_THROWS_AS(copy_window(tensor, {100, 0, 42, 1}, copy.values.data()), base::InvariantError);
}

TEST_CASE("inputs: files keep their bits where types agree and are rounded from float32", "[inputs]") {
  const std::vector<float> values{1.0F, -2.5F, 0.1F, 3e38F, 1e-3F, 0.0F};
  const TemporaryNpy single("single", array_of<float>("<f4", {2, 3}, values));
  const HostTensor fp32 = input(single.path(), "a", DType::kFp32, {2, 3}, 1);
  for (std::uint64_t i = 0; i < 6; ++i) CHECK(fp32.at(i / 3, i % 3) == values[i]);
  const HostTensor bf16 = input(single.path(), "a", DType::kBf16, {2, 3}, 1);
  CHECK(bf16.at(0, 1) == -2.5F);
  CHECK(bf16.at(0, 2) == 0.10009765625F);  // 205 * 2^-11, the nearest of 8 significant bits to 0.1
  const std::vector<std::uint16_t> raw{0x3F80, 0xC020};
  for (const char* descr : {"<u2", "|V2"}) {
    const TemporaryNpy bits("bits", array_of<std::uint16_t>(descr, {2}, raw));
    const HostTensor tensor = load_input(bits.path(), "a", DType::kBf16, {2});
    CHECK(tensor.at(0, 0) == 1.0F);
    CHECK(tensor.at(0, 1) == -2.5F);
  }
  const TemporaryNpy half("half", array_of<std::uint16_t>("<f2", {1, 2}, {0x3C00, 0xC100}));
  CHECK(load_input(half.path(), "a", DType::kFp16, {1, 2}).at(0, 1) == -2.5F);
}

TEST_CASE("inputs: a tensor of every dtype comes back from the file that it was written to", "[inputs]") {
  for (std::size_t k = 0; k < isa::kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    CAPTURE(isa::name_of(dtype));
    const HostTensor tensor = generate_input("a", dtype, {7, 9}, 4);
    const NpyArray array = to_npy(dtype, tensor.shape, tensor.values);
    CHECK(array.elements() == 63);
    CHECK_THAT(npy_types_of(dtype), Catch::VectorContains(array.descr));
    const TemporaryNpy file("round_trip", array);
    CHECK(load_input(file.path(), "a", dtype, {7, 9}).values == tensor.values);
    for (std::size_t i = 0; i < 63 && array.descr == "<f4"; ++i) {
      float wide = 0;
      std::memcpy(&wide, array.bytes.data() + 4 * i, 4);
      CHECK(wide == tensor.at(i / 9, i % 9));
    }
  }
}

TEST_CASE("inputs: types without a NumPy type come from raw bits, or rounded from float32", "[inputs]") {
  const std::vector<float> values{0.3F, 1000.0F, -1.0F};
  const TemporaryNpy single("rounded", array_of<float>("<f4", {1, 3}, values));
  const HostTensor e4m3 = load_input(single.path(), "a", DType::kFp8E4M3, {1, 3});
  CHECK(e4m3.at(0, 0) == 0.3125F);  // 10 * 2^-5, the nearest of 4 significant bits
  CHECK(e4m3.at(0, 1) == std::numeric_limits<float>::infinity());
  CHECK(e4m3.at(0, 2) == -1.0F);
  const HostTensor tf32 = load_input(single.path(), "a", DType::kTf32, {1, 3});
  CHECK(tf32.at(0, 0) == 1229 * 0x1p-12F);  // the nearest of 11 significant bits
  CHECK(tf32.values[0] == std::byte{0});    // the bits that tf32 does not use
  const TemporaryNpy own_type("int16", array_of<std::int16_t>("<i2", {2}, {-300, 7}));
  CHECK(load_input(own_type.path(), "a", DType::kInt16, {2}).at(0, 0) == -300);
  CHECK(tests::code_of([&] { load_input(own_type.path(), "a", DType::kUint16, {2}); }) == "E-NPY-010");
  CHECK(tests::code_of([&] { load_input(single.path(), "a", DType::kInt8, {1, 3}); }) == "E-NPY-010");
  for (const char* descr : {"|u1", "|V1"}) {
    const TemporaryNpy raw("raw", array_of<std::uint8_t>(descr, {2}, {0x38, 0xBC}));
    CHECK(load_input(raw.path(), "a", DType::kFp8E4M3, {2}).at(0, 1) == -1.5F);
    CHECK(load_input(raw.path(), "a", DType::kFp8E5M2, {2}).at(0, 1) == -1.0F);
    CHECK(load_input(raw.path(), "a", DType::kFp8E3M4, {2}).at(0, 0) == 1.5F);
  }
}

TEST_CASE("inputs: a file of another type or shape is refused at its path", "[inputs]") {
  const TemporaryNpy single("other", array_of<float>("<f4", {2, 3}, std::vector<float>(6)));
  const TemporaryNpy half("other_half",
                          array_of<std::uint16_t>("<f2", {2, 3}, std::vector<std::uint16_t>(6)));
  CHECK(tests::code_of([&] { load_input(single.path(), "a", DType::kFp32, {3, 2}); }) == "E-NPY-011");
  CHECK(tests::code_of([&] { load_input(single.path(), "a", DType::kFp32, {6}); }) == "E-NPY-011");
  CHECK(tests::code_of([&] { load_input(half.path(), "a", DType::kFp32, {2, 3}); }) == "E-NPY-010");
  CHECK(tests::code_of([&] { load_input(half.path(), "a", DType::kBf16, {2, 3}); }) == "E-NPY-010");
  CHECK(tests::code_of([&] {
          load_input(single.path() + ".absent", "a", DType::kFp32, {2, 3});
        }) == "E-NPY-001");
  try {
    load_input(half.path(), "a", DType::kBf16, {2, 3});
  } catch (const base::UserError& error) {
    CHECK(error.place == half.path());
    CHECK_THAT(error.what(), Catch::Contains("<u2 or |V2 or <f4"));
  }
}
