// SPDX-License-Identifier: Apache-2.0
// The interface of pe_array.sv, one clock cycle at a time, for any array size. Each element holds the bits of
// its format in the low bits of a word.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "model/rtl/waves.h"

namespace tahoma::rtl {

enum class Format : std::uint8_t {  // format_t of fp_types.sv
  kBf16,
  kFp16,
  kFp8E4M3,
  kFp8E5M2,
  kFp8E3M4,
  kFp32Half,  // fp32 with at most 12 significant bits
  kBits       // 16 bits: weights of a transpose
};
// The dtype must be narrower than 32 bits.
Format format_of(isa::DType dtype);

struct MovingRow {
  Format format = Format::kBf16;
  bool is_double = false;         // two fp8 in an element, slice 0 in the low byte
  bool turn = false;              // a transpose
  bool bank = false;              // of the weights that it uses
  std::vector<std::uint8_t> use;  // participating rows of the array
  std::vector<std::uint32_t> elements;
  // Columns with meaningful sums (not a port): other columns hold the weights of other tiles, or none.
  unsigned column = 0, columns = 0;
};

// Adjacent columns of weights that are written together.
struct WeightColumns {
  static constexpr unsigned kLanes = 4;
  Format format = Format::kBf16;
  bool is_double = false;
  bool bank = false;
  unsigned column = 0, count = kLanes;
  std::vector<std::uint8_t> rows;  // that are written
  std::vector<std::array<std::uint32_t, kLanes>> weights;
};

struct ArrayInputs {
  const MovingRow* moving = nullptr;  // null: not valid
  const WeightColumns* weights = nullptr;
  bool result_ready = true;
};
struct ArrayOutputs {
  bool moving_ready = false, weight_ready = false, result_valid = false;
  std::vector<std::uint32_t> result;
};

class ArrayGates : public Waves {
 public:
  virtual unsigned rows() const = 0;
  virtual unsigned columns() const = 0;
  virtual void reset() = 0;
  // Returns the RTL's outputs for these inputs within the cycle.
  virtual const ArrayOutputs& answer(const ArrayInputs& inputs) = 0;
  virtual void clock() = 0;                                  // ends the cycle
  virtual void write_coverage(const std::string& path) = 0;  // if the RTL is built with coverage
};

}  // namespace tahoma::rtl
