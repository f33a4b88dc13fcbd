// SPDX-License-Identifier: Apache-2.0
// Walks over the statistics that a struct declares (declared.h): lists them and adds them up.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/declared.h"
#include "model/base/error.h"

namespace tahoma::base {

// Calls `visit` with every declaration of T, in the order of the lines.
template <class T, class Visit>
constexpr void for_each_declaration(Visit&& visit) {
  const auto at = [&]<int kLine>(Line<kLine> line) {
    if constexpr (requires { T::declaration(line); }) visit(T::declaration(line));
  };
  [&]<int... kOffsets>(std::integer_sequence<int, kOffsets...>) {
    (at(Line<T::kFirstLine + kOffsets>{}), ...);
  }
  (std::make_integer_sequence<int, kMostLines>{});
}

// Adds the counters of one instance to another's. Levels and parts do not change.
template <class T>
void add_counters(T& sum, const T& more);

namespace detail {

struct Adder {
  template <class T, class V>
  void operator()(const DeclaredCounter<T, V>& d, T& sum, const T& more) const {
    if (d.adds) sum.*d.member += more.*d.member;
  }
  template <class T, class V, class K>
  void operator()(const DeclaredFamily<T, V, K>& d, T& sum, const T& more) const {
    for (std::size_t n = 0; n < (sum.*d.member).size(); ++n) (sum.*d.member)[n] += (more.*d.member)[n];
  }
  template <class T, class B>
  void operator()(const DeclaredBase<T, B>&, T& sum, const T& more) const {
    add_counters<B>(sum, more);
  }
  template <class D, class T>
  void operator()(const D&, T&, const T&) const {}
};

inline std::uint64_t number_of(std::uint64_t value) { return value; }
inline double number_of(double value) { return value; }
inline double number_of(Duration value) { return value.ns(); }

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

}  // namespace detail

template <class T>
void add_counters(T& sum, const T& more) {
  for_each_declaration<T>([&](const auto& declared) { detail::Adder{}(declared, sum, more); });
}

// Puts statistics into a sink.
class Lister {
 public:
  enum class What : std::uint8_t {
    kMeasured,  // parts that took no part and figures without a value are omitted
    kDeclared   // every statistic that is declared; every vector must have an instance
  };
  Lister(StatSink& sink, Duration elapsed, What what = What::kMeasured)
      : sink_(sink), elapsed_(elapsed), everything_(what == What::kDeclared) {}

  // `path` is that of the instance, "" for the run itself.
  template <class T>
  void list(const T& instance, const std::string& path) {
    if constexpr (requires { instance.took_part(); })
      if (!everything_ && !instance.took_part()) return;
    const std::string group = path.empty() ? "" : path + ".";
    for_each_declaration<T>([&](const auto& declared) { one(declared, instance, group); });
  }

 private:
  template <class T, class V>
  void one(const DeclaredCounter<T, V>& d, const T& instance, const std::string& group) {
    if (d.listed != nullptr && !everything_ && !d.listed(instance)) return;
    sink_.add(group + d.name, detail::number_of(instance.*d.member), d.unit, d.doc, d.adds, d.better);
  }
  template <class T, class V, class K>
  void one(const DeclaredFamily<T, V, K>& d, const T& instance, const std::string& group) {
    const V& values = instance.*d.member;
    for (std::size_t n = 0; n < values.size(); ++n)
      sink_.add(group + name_of(static_cast<K>(n)), detail::number_of(values[n]), d.unit,
                doc_of(static_cast<K>(n)));
  }
  template <class F, class T>
  void one(const DeclaredFigure<F>& d, const T& instance, const std::string& group) {
    const auto value = d.value(instance, elapsed_);
    if constexpr (detail::IsOptional<std::remove_const_t<decltype(value)>>::value) {
      if (value || everything_) sink_.add(group + d.name, value.value_or(0), d.unit, d.doc, true, d.better);
    } else {
      sink_.add(group + d.name, value, d.unit, d.doc, true, d.better);
    }
  }
  template <class T, class P>
  void one(const DeclaredPart<T, P>& d, const T& instance, const std::string& group) {
    if constexpr (detail::IsVector<P>::value) {
      TAHOMA_INVARIANT(!everything_ || !(instance.*d.member).empty(),
                       std::string("no instance of the statistics of ") + d.name);
      for (const auto& part : instance.*d.member) list(part, path_of(part, group, d.name));
    } else {
      list(instance.*d.member, path_of(instance.*d.member, group, d.name));
    }
  }
  template <class T, class P>
  void one(const DeclaredTotals<T, P>& d, const T& instance, const std::string& group) {
    typename P::value_type sum;
    for (const auto& part : instance.*d.member) add_counters(sum, part);
    list(sum, group + d.name);
  }
  template <class T, class B>
  void one(const DeclaredBase<T, B>& d, const T& instance, const std::string& group) {
    if (d.listed != nullptr && !d.listed(instance)) return;
    for_each_declaration<B>(
        [&](const auto& declared) { one(declared, static_cast<const B&>(instance), group); });
  }

  template <class Part>
  static std::string path_of(const Part& part, const std::string& group, const char* name) {
    if constexpr (requires { part.path; })
      return part.path;
    else if constexpr (requires { part.name(); })
      return group + part.name();
    else
      return group + name;
  }

  StatSink& sink_;
  Duration elapsed_;
  bool everything_;
};

}  // namespace tahoma::base
