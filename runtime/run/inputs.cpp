// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>

#include "isa/core/mixing.h"
#include "isa/simd/convert_loop.h"
#include "model/base/error.h"
#include "runtime/host/host_threads.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/host/safetensors.h"

namespace tahoma::runtime {

namespace {

std::uint64_t product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t n = 1;
  for (const std::uint64_t extent : shape) n *= extent;
  return n;
}

// Generates elements [first, first + n).
void generate(HostTensor& tensor, const GeneratedValues& values, std::uint64_t first, std::uint64_t n) {
  const std::size_t size = isa::size_of(tensor.dtype);
  std::byte* at = tensor.values.data() + first * size;
  if (!isa::has_row_conversion(tensor.dtype)) {
    for (std::uint64_t i = 0; i < n; ++i)
      isa::store_from_fp32(at + i * size, tensor.dtype, values[first + i]);
    return;
  }
  std::array<float, 1024> numbers{};
  for (std::uint64_t done = 0; done < n; done += numbers.size()) {
    const std::uint64_t part = std::min<std::uint64_t>(numbers.size(), n - done);
    for (std::uint64_t i = 0; i < part; ++i) numbers[i] = values[first + done + i];
    isa::narrow_row(tensor.dtype, numbers.data(), at + done * size, part);
  }
}

void require_inside(const HostTensor& tensor, const Window& w) {
  TAHOMA_INVARIANT(w.row + w.rows <= tensor.rows() && w.column + w.columns <= tensor.columns(),
                   fmt::format("window [{}+{}, {}+{}] of tensor {} {}", w.row, w.rows, w.column, w.columns,
                               tensor.name, tensor.shape));
}

template <class Element>
void transpose_window(const std::byte* src, std::uint64_t src_stride, const Window& w, std::byte* dst) {
  constexpr std::uint64_t kBlock = 32;  // a square block whose rows stay in the L1 cache
  for (std::uint64_t r0 = 0; r0 < w.rows; r0 += kBlock)
    for (std::uint64_t c0 = 0; c0 < w.columns; c0 += kBlock)
      for (std::uint64_t r = r0; r < std::min(w.rows, r0 + kBlock); ++r)
        for (std::uint64_t c = c0; c < std::min(w.columns, c0 + kBlock); ++c)
          std::memcpy(dst + (c * w.rows + r) * sizeof(Element), src + (r * src_stride + c) * sizeof(Element),
                      sizeof(Element));
}

void widen_row(const std::byte* src, isa::DType dtype, std::uint64_t n, float* dst) {
  if (dtype == isa::DType::kFp32) {
    std::memcpy(dst, src, n * sizeof(float));
  } else if (dtype == isa::DType::kBf16) {
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, src + 2 * i, 2);
      dst[i] = isa::fp32_from_bf16(bits);
    }
  } else {
    const std::size_t size = isa::size_of(dtype);
    for (std::uint64_t i = 0; i < n; ++i) dst[i] = isa::load_as_fp32(src + i * size, dtype);
  }
}

// Workloads read their files on several threads.
std::mutex& files_mutex() {
  static std::mutex mutex;
  return mutex;
}
FileValues& file_values() {
  static FileValues values;
  return values;
}

std::uint64_t count_not_finite(std::span<const std::byte> values, isa::DType dtype) {
  if (!isa::is_float(dtype)) return 0;
  const std::size_t size = isa::size_of(dtype);
  std::uint64_t count = 0;
  for (std::size_t at = 0; at + size <= values.size(); at += size)
    count += std::isfinite(isa::load_as_fp32(values.data() + at, dtype)) ? 0 : 1;
  return count;
}

// Adds the count of a file's values that are not finite, as stored, to file_values().
std::uint64_t noted(std::span<const std::byte> values, isa::DType dtype) {
  const std::uint64_t count = count_not_finite(values, dtype);
  const std::lock_guard lock(files_mutex());
  file_values().not_finite += count;
  return count;
}

// `before` counts the values of the file that are not finite.
void note_rounding(const std::string& path, const HostTensor& tensor, std::uint64_t before) {
  const std::uint64_t after = count_not_finite(tensor.values, tensor.dtype);
  if (after <= before) return;
  const std::lock_guard lock(files_mutex());
  if (file_values().beyond_range.empty())
    file_values().beyond_range =
        fmt::format("{} of {} values of {} are beyond the largest number of input {}, which is {}",
                    after - before, tensor.elements(), path, tensor.name, isa::name_of(tensor.dtype));
}

}  // namespace

std::uint64_t HostTensor::elements() const { return product(shape); }
std::uint64_t HostTensor::columns() const { return shape.empty() ? 1 : shape.back(); }
std::uint64_t HostTensor::rows() const { return columns() == 0 ? 0 : elements() / columns(); }

float HostTensor::at(std::uint64_t row, std::uint64_t column) const {
  return isa::load_as_fp32(values.data() + (row * columns() + column) * isa::size_of(dtype), dtype);
}

HostTensor make_tensor(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape) {
  HostTensor tensor{name, dtype, std::move(shape), {}};
  tensor.values.resize(tensor.elements() * isa::size_of(dtype));
  return tensor;
}

GeneratedValues::GeneratedValues(std::uint64_t seed, std::string_view name)
    : key_(isa::mixed(seed + isa::kMixingStep)) {
  for (const char c : name)
    key_ = isa::mixed(key_ + (std::uint64_t{static_cast<unsigned char>(c)} + 1) * isa::kMixingStep);
}

float GeneratedValues::operator[](std::uint64_t index) const {
  const std::uint64_t bits = isa::mixed(key_ + (index + 1) * isa::kMixingStep) >> 40;
  return static_cast<float>(static_cast<std::int64_t>(bits) - (std::int64_t{1} << 23)) * 0x1p-23F;
}

HostTensor generate_input(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape,
                          std::uint64_t seed) {
  HostTensor result = make_tensor(name, dtype, std::move(shape));
  const GeneratedValues values(seed, name);
  const std::uint64_t n = result.elements();
  constexpr std::uint64_t kBlock = 1 << 18;  // elements, a millisecond of a host's thread
  for_each_block((n + kBlock - 1) / kBlock, [&](std::uint64_t block) {
    generate(result, values, block * kBlock, std::min(kBlock, n - block * kBlock));
  });
  return result;
}

FileValues values_of_files() {
  const std::lock_guard lock(files_mutex());
  return file_values();
}

void note_file(std::span<const std::byte> values, isa::DType dtype) { noted(values, dtype); }

HostTensor load_input(const std::string& path, const std::string& name, isa::DType dtype,
                      std::vector<std::uint64_t> shape) {
  if (names_safetensors(path)) {
    StoredTensor stored = read_stored(path, name, dtype, shape);
    const isa::DType from = stored.dtype;
    const std::uint64_t not_finite = noted(stored.values, from);
    HostTensor tensor{name, dtype, std::move(shape), converted(std::move(stored), dtype)};
    if (from != dtype) note_rounding(path, tensor, not_finite);
    return tensor;
  }
  NpyArray array = read_npy(path);
  if (array.shape != shape)
    throw base::UserError(
        "E-NPY-011", path,
        fmt::format("input {} must have shape {}, the file has {}", name, shape, array.shape));
  const std::vector<std::string> accepted = npy_types_of(dtype);
  if (std::find(accepted.begin(), accepted.end(), array.descr) == accepted.end())
    throw base::UserError("E-NPY-010", path,
                          fmt::format("input {} is {}: expected element type {}, the file has {}", name,
                                      isa::name_of(dtype), fmt::join(accepted, " or "), array.descr));
  const bool fp32 = array.descr == npy_types_of(isa::DType::kFp32).front();
  const isa::DType from = fp32 ? isa::DType::kFp32 : dtype;
  const std::uint64_t not_finite = noted(array.bytes, from);
  HostTensor tensor{name, dtype, std::move(shape), from_npy(std::move(array), dtype)};
  if (from != dtype) note_rounding(path, tensor, not_finite);
  return tensor;
}

HostTensor input(const std::string& path, const std::string& name, isa::DType dtype,
                 std::vector<std::uint64_t> shape, std::uint64_t seed) {
  return path.empty() ? generate_input(name, dtype, std::move(shape), seed)
                      : load_input(path, name, dtype, std::move(shape));
}

void copy_window(const HostTensor& tensor, const Window& w, std::byte* dst) {
  require_inside(tensor, w);
  if (w.columns == 0) return;
  const std::size_t size = isa::size_of(tensor.dtype);
  for (std::uint64_t r = 0; r < w.rows; ++r)
    std::memcpy(dst + r * w.columns * size,
                tensor.values.data() + ((w.row + r) * tensor.columns() + w.column) * size, w.columns * size);
}

void copy_window_transposed(const HostTensor& tensor, const Window& w, std::byte* dst) {
  require_inside(tensor, w);
  const std::size_t size = isa::size_of(tensor.dtype);
  const std::byte* src = tensor.values.data() + (w.row * tensor.columns() + w.column) * size;
  if (size == 4) transpose_window<std::uint32_t>(src, tensor.columns(), w, dst);
  if (size == 2) transpose_window<std::uint16_t>(src, tensor.columns(), w, dst);
  if (size == 1) transpose_window<std::uint8_t>(src, tensor.columns(), w, dst);
}

void widen_window(const HostTensor& tensor, const Window& w, float* dst) {
  require_inside(tensor, w);
  if (w.columns == 0) return;
  const std::size_t size = isa::size_of(tensor.dtype);
  for (std::uint64_t r = 0; r < w.rows; ++r)
    widen_row(tensor.values.data() + ((w.row + r) * tensor.columns() + w.column) * size, tensor.dtype,
              w.columns, dst + r * w.columns);
}

void paste_window(HostTensor& tensor, const Window& w, const std::byte* src) {
  require_inside(tensor, w);
  if (w.columns == 0) return;
  const std::size_t size = isa::size_of(tensor.dtype);
  for (std::uint64_t r = 0; r < w.rows; ++r)
    std::memcpy(tensor.values.data() + ((w.row + r) * tensor.columns() + w.column) * size,
                src + r * w.columns * size, w.columns * size);
}

}  // namespace tahoma::runtime
