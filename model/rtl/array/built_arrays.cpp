// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/array/built_arrays.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::rtl {

// CMake generates one line for each size.
#define TAHOMA_ARRAY(rows, columns) std::unique_ptr<ArrayGates> make_array_##rows##x##columns();
#include "array_sizes.inc"
#undef TAHOMA_ARRAY

namespace {

struct Built {
  isa::ArraySize size;
  std::unique_ptr<ArrayGates> (*make)();
};
const Built kBuilt[] = {
#define TAHOMA_ARRAY(rows, columns) {{rows, columns}, make_array_##rows##x##columns},
#include "array_sizes.inc"
#undef TAHOMA_ARRAY
};

const Built& find(const isa::ArraySize& size, const std::string& place) {
  std::vector<std::string> names;
  for (const Built& built : kBuilt) {
    if (built.size.rows == size.rows && built.size.columns == size.columns) return built;
    names.push_back(fmt::format("{}x{}", built.size.rows, built.size.columns));
  }
  throw base::UserError(
      "E-RTL-001", place,
      fmt::format(
          "no array of {0} rows x {1} columns is built, only {2}; build it with: cmake --preset release "
          "-DTAHOMA_ARRAY_SIZES='{3};{0}x{1}' && cmake --build build --target tahoma",
          size.rows, size.columns, fmt::join(names, ", "), fmt::join(names, ";")));
}

}  // namespace

std::vector<isa::ArraySize> built_sizes() {
  std::vector<isa::ArraySize> sizes;
  for (const Built& built : kBuilt) sizes.push_back(built.size);
  return sizes;
}

std::unique_ptr<ArrayGates> make_gates(const isa::ArraySize& size, const std::string& place) {
  return find(size, place).make();
}

void require_built(const isa::ArraySize& size, const std::string& place) { find(size, place); }

}  // namespace tahoma::rtl
