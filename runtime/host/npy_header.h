// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a Python dict literal with the keys descr, fortran_order and shape, each
// exactly once. Only the forms that NumPy writes are accepted: quoted strings without escapes, True or
// False, a tuple of decimal integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t descr_at = 0, order_at = 0;  // offsets of the two values in the file, for errors
};

// `text` begins at byte `offset` of the file `path`. Throws UserError E-NPY-004.
NpyHeader parse_npy_header(std::string_view text, std::size_t offset, const std::string& path);
std::string format_npy_header(const std::string& descr, const std::vector<std::uint64_t>& shape);

// "path:byte N"
std::string npy_place(const std::string& path, std::size_t byte);

}  // namespace tahoma::runtime
