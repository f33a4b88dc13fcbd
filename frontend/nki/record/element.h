// SPDX-License-Identifier: Apache-2.0
// The element types of nki.language, by name, and the type in which this core computes them.
//
// float8_e4m3fn is float8_e4m3 before Trainium3 (largest value 240). bool is a byte. The types of
// micro-scaling exist on Trainium3 alone: kernels name them in branches that Trainium2 does not take, so they
// have a size and no type there. Instructions move them as bits; only those of MX compute with them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/core/core_version.h"
#include "isa/core/dtype.h"

namespace tahoma::runtime::nki {

struct Element {
  std::string_view name;  // "bfloat16"
  std::uint8_t bytes;
  std::optional<isa::DType> dtype;  // unset: not before Trainium3
  std::optional<isa::DType> later =
      std::nullopt;  // on Trainium3, where it differs; of packed types: their bits
  std::optional<isa::DType> quad = std::nullopt;  // of packed types: of the four numbers, as operands of MX

  // The type on this core; unset: it has none.
  std::optional<isa::DType> on(isa::CoreVersion core) const {
    return core >= isa::CoreVersion::kV4 && later ? later : dtype;
  }
};

std::span<const Element> elements();
const Element* element_by_name(std::string_view name);  // null if unknown
const Element& element_of(isa::DType dtype);

}  // namespace tahoma::runtime::nki
