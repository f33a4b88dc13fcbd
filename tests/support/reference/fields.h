// SPDX-License-Identifier: Apache-2.0
// Counts the members of an aggregate by type, without their names, to find members that declare no statistic
// (model/base/declared.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "model/base/statistics_walk.h"

namespace tahoma::tests {

struct Anything {
  template <class V>
  operator V() const;
};
template <class U>
struct Exactly {
  template <class V>
  requires std::same_as<V, U>
  operator V() const;
};
template <class U>
struct OtherClass {
  template <class V>
  requires(!std::same_as<V, U> && !std::is_arithmetic_v<V>) operator V() const;
};

template <class T, class Last, std::size_t... kBefore>
constexpr bool takes(std::index_sequence<kBefore...>) {
  return requires { T{(static_cast<void>(kBefore), Anything{})..., Last{}}; };
}
// Members and base classes.
template <class T, std::size_t kFound = 0>
constexpr std::size_t field_count() {
  if constexpr (takes<T, Anything>(std::make_index_sequence<kFound>{}))
    return field_count<T, kFound + 1>();
  else
    return kFound;
}
// A member is a U if only a U initialises it: an aggregate that begins with a U accepts other classes, too.
template <class T, class U, std::size_t kAt>
constexpr bool is_of_type() {
  constexpr auto kBefore = std::make_index_sequence<kAt>{};
  return takes<T, Exactly<U>>(kBefore) && !takes<T, OtherClass<U>>(kBefore);
}
template <class T, class U>
constexpr std::size_t fields_of_type() {
  return []<std::size_t... kAt>(std::index_sequence<kAt...>) {
    return (std::size_t{0} + ... + (is_of_type<T, U, kAt>() ? 1U : 0U));
  }
  (std::make_index_sequence<field_count<T>()>{});
}

template <class T, class U>
std::size_t declared_of_type() {
  std::size_t declared = 0;
  const auto count = [&]<class D>(const D&) {
    if constexpr (std::same_as<D, base::DeclaredCounter<T, U>>) ++declared;
  };
  base::for_each_declaration<T>(count);
  return declared;
}
template <class T, class U>
std::size_t undeclared() {
  return fields_of_type<T, U>() - declared_of_type<T, U>();
}
// Counts, means and times without a declaration.
template <class T>
std::size_t undeclared_numbers() {
  return undeclared<T, std::uint64_t>() + undeclared<T, double>() + undeclared<T, base::Duration>();
}

}  // namespace tahoma::tests
