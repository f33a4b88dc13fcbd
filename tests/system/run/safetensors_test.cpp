// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/safetensors.h"

#include <catch2/catch.hpp>
#include <functional>

#include "model/base/error.h"
#include "runtime/run/inputs.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::runtime;
using isa::DType;

namespace {

// The published layout: length of the header, header, data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return bytes + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Two tensors: w, fp32 [2, 3], and h, bf16 [2] of 1 and -2.
std::string checkpoint() {
  const std::string data = raw<float>({1, 2, 3, 4, 5, 6.00390625F}) + raw<std::uint16_t>({0x3f80, 0xc000});
  return file_of(
      R"({"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},)"
      R"( "h": {"dtype": "BF16", "shape": [2], "data_offsets": [24, 28]}})",
      data);
}

}  // namespace

TEST_CASE("safetensors: a tensor comes by its name, in its own dtype or rounded to the input's", "[inputs]") {
  const tests::TempDir folder;
  const std::string file = folder.write("model.safetensors", checkpoint());
  const HostTensor w = load_input(file + "#w", "a", DType::kFp32, {2, 3});
  CHECK(w.at(1, 1) == 5);
  CHECK(w.at(1, 2) == 6.00390625F);
  CHECK(load_input(file, "w", DType::kBf16, {2, 3}).at(1, 2) == 6);  // 2^-8 is beyond bf16 at 6
  CHECK(load_input(file + "#h", "a", DType::kBf16, {2}).at(0, 1) == -2);
  CHECK(load_input(file + "#h", "a", DType::kFp32, {2}).at(0, 0) == 1);
}

TEST_CASE("safetensors: invalid contents are refused with their place", "[inputs]") {
  const tests::TempDir folder;
  const std::string file = folder.write("model.safetensors", checkpoint());
  const auto load = [&](const std::string& path, DType dtype, const std::vector<std::uint64_t>& shape) {
    return tests::code_of([&] { load_input(path, "a", dtype, shape); });
  };
  CHECK(load(folder / "none.safetensors", DType::kFp32, {2}) == "E-STF-001");
  CHECK(load(folder.write("short.safetensors", "abc"), DType::kFp32, {2}) == "E-STF-002");
  CHECK(load(folder.write("text.safetensors", file_of("no json", "")), DType::kFp32, {2}) == "E-STF-002");
  CHECK(load(folder.write("no_shape.safetensors", file_of(R"({"a": {"dtype": "F32"}})", "")), DType::kFp32,
             {2}) == "E-STF-002");
  CHECK(load(file + "#v", DType::kFp32, {2, 3}) == "E-STF-003");
  CHECK(load(file + "#__metadata__", DType::kFp32, {2, 3}) == "E-STF-003");
  CHECK(load(file + "#w", DType::kInt32, {2, 3}) == "E-STF-004");
  CHECK(load(file + "#w", DType::kFp32, {3, 2}) == "E-STF-005");
  const std::string beyond =
      file_of(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})", raw<float>({1, 2}));
  CHECK(load(folder.write("beyond.safetensors", beyond), DType::kFp32, {2}) == "E-STF-006");
}

TEST_CASE("safetensors: shapes and offsets are whole numbers", "[inputs][bad-input]") {
  const tests::TempDir folder;
  const std::string values = raw<float>({1, 2, 3, 4});
  for (const char* wrong :
       {R"("shape": [2.5], "data_offsets": [0, 8])", R"("shape": [2.0], "data_offsets": [0, 8])",
        R"("shape": [-2], "data_offsets": [0, 8])", R"("shape": ["2"], "data_offsets": [0, 8])",
        R"("shape": 2, "data_offsets": [0, 8])", R"("shape": [true], "data_offsets": [0, 8])",
        R"("shape": [2], "data_offsets": [0.5, 8.5])", R"("shape": [2], "data_offsets": [0])",
        R"("shape": [2], "data_offsets": [0, 8, 16])"}) {
    const std::string file = folder.write(
        "wrong.safetensors", file_of(std::string(R"({"a": {"dtype": "F32", )") + wrong + "}}", values));
    INFO(wrong);
    CHECK(tests::code_of([&] { load_input(file, "a", DType::kFp32, {2}); }) == "E-STF-002");
  }
}
