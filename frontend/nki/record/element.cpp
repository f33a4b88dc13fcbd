// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/element.h"

#include <algorithm>

#include "isa/table/table.h"

namespace tahoma::runtime::nki {

namespace {

using isa::DType;

// The first row of a dtype is the one that element_of() returns.
constexpr Element kElements[] = {
    {"float32", 4, DType::kFp32},
    {"bfloat16", 2, DType::kBf16},
    {"float16", 2, DType::kFp16},
    {"tfloat32", 4, DType::kTf32},
    {"float8_e4m3", 1, DType::kFp8E4M3},
    {"float8_e4m3fn", 1, DType::kFp8E4M3, DType::kFp8E4M3Fn},
    {"float8_e5m2", 1, DType::kFp8E5M2},
    {"float8_e3m4", 1, DType::kFp8E3M4},
    {"int32", 4, DType::kInt32},
    {"uint32", 4, DType::kUint32},
    {"int16", 2, DType::kInt16},
    {"uint16", 2, DType::kUint16},
    {"int8", 1, DType::kInt8},
    {"uint8", 1, DType::kUint8},
    {"bool", 1, DType::kUint8},
    {"float8_e8m0fnu", 1, std::nullopt, DType::kUint8},
    {"float8_e4m3fn_x4", 4, std::nullopt, DType::kUint32, DType::kFp8E4M3Fn},
    {"float8_e5m2_x4", 4, std::nullopt, DType::kUint32, DType::kFp8E5M2},
    {"float4_e2m1fn_x4", 2, std::nullopt, DType::kUint16, isa::kMxFp4},
};

}  // namespace

std::span<const Element> elements() { return kElements; }

const Element* element_by_name(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kElements), std::end(kElements),
                                         [&](const Element& e) { return e.name == name; });
  return found == std::end(kElements) ? nullptr : found;
}

const Element& element_of(isa::DType dtype) {
  return *std::find_if(std::begin(kElements), std::end(kElements),
                       [&](const Element& e) { return e.dtype == dtype; });
}

}  // namespace tahoma::runtime::nki
