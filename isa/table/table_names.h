// SPDX-License-Identifier: Apache-2.0
// The names of enumerators as assembler text writes them, in both directions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "isa/core/instruction.h"

namespace tahoma::isa {

// "?" for a value that is no enumerator.
std::string_view name_of(Queue queue);      // "tensor", "vector", "scalar", "gpsimd", "sync", "cc0", "cc1"
std::string_view name_of(Space space);      // "sbuf", "psum", "hbm"
std::string_view name_of(AluOp op);         // "add", "subtract", ...
std::string_view name_of(CompareOp op);     // "eq", "ne", "lt", "le", "gt", "ge"
std::string_view name_of(MatmulMode mode);  // "dense", "double_row", "sparse_4_16", ...
std::string_view name_of(ReduceCommand command);  // "reset_reduce", "reduce", ...
std::string_view name_of(Indirection indirect);   // "none", "gather", "scatter"
std::string_view name_of(Dge dge);                // "none", "hw", "sw"
std::string_view name_of(ActFn function);         // "copy", "square", ...

template <class Enum>
inline constexpr std::size_t kEnumeratorCount = 0;
template <>
inline constexpr std::size_t kEnumeratorCount<Queue> = kQueueCount;
template <>
inline constexpr std::size_t kEnumeratorCount<Space> = 3;
template <>
inline constexpr std::size_t kEnumeratorCount<AluOp> = 28;
template <>
inline constexpr std::size_t kEnumeratorCount<CompareOp> = 6;
template <>
inline constexpr std::size_t kEnumeratorCount<MatmulMode> = 12;
template <>
inline constexpr std::size_t kEnumeratorCount<ReduceCommand> = 5;
template <>
inline constexpr std::size_t kEnumeratorCount<Indirection> = 3;
template <>
inline constexpr std::size_t kEnumeratorCount<Dge> = 3;
template <>
inline constexpr std::size_t kEnumeratorCount<ActFn> = 26;
template <>
inline constexpr std::size_t kEnumeratorCount<DType> = kDTypeCount;

template <class Enum>
bool is_enumerator(Enum value) {
  return static_cast<std::size_t>(value) < kEnumeratorCount<Enum>;
}

// For messages about values that may not be valid enumerators, dtypes included.
template <class Enum>
std::string_view shown(Enum value) {
  return is_enumerator(value) ? name_of(value) : "?";
}

template <class Enum>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i) names.push_back(name_of(static_cast<Enum>(i)));
  return names;
}

template <class Enum>
std::optional<Enum> from_name(std::string_view name) {
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i)
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace tahoma::isa
