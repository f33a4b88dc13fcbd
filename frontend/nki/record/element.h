// SPDX-License-Identifier: Apache-2.0
// The element types of nki.language, by name, and the type in which this core computes them.
//
// float8_e4m3fn is float8_e4m3 on Trainium2 (largest value 240). bool is a byte. The types of
// micro-scaling exist on Trainium3 alone: kernels name them in branches that Trainium2 does not take, so they
// have a size and no type of this core.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/core/dtype.h"

namespace tahoma::runtime::nki {

struct Element {
  std::string_view name;  // "bfloat16"
  std::uint8_t bytes;
  std::optional<isa::DType> dtype;  // unset: not on this core
};

std::span<const Element> elements();
const Element* element_by_name(std::string_view name);  // null if unknown
const Element& element_of(isa::DType dtype);

}  // namespace tahoma::runtime::nki
