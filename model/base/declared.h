// SPDX-License-Identifier: Apache-2.0
// A statistic is declared in one line at its counter: type, name, unit and one sentence.
//
//   struct DmaMeasurement {
//     std::string path;  // of the instance
//     TAHOMA_STATISTICS(DmaMeasurement);
//     TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets moved by the 16 engines");
//   };
//
// The line declares an ordinary member and a function that describes it. statistics_walk.h finds these
// functions by their line numbers, and lists, adds and renders the statistics in the order of the lines.
// Nothing else has to be edited: the component increments the member.
//
//   TAHOMA_COUNTER         adds up over instances
//   TAHOMA_LEVEL           does not add up: a mean, a percentile, a maximum
//   TAHOMA_COUNTER_IF      is listed only if the condition on `self` holds
//   TAHOMA_COUNTERS_BY     an array by an enum, whose name_of() and doc_of() are the names and the sentences
//   TAHOMA_FIGURE          a derived figure: a member function of the `elapsed` time of the run, an
//                          expression over `self` and `elapsed`; an empty std::optional is not listed
//   TAHOMA_DERIVED         the same without the member function, under any name
//   TAHOMA_PART            a struct, or a vector of structs, with statistics of their own
//   TAHOMA_TOTALS          a vector whose counters are listed as sums over its elements
//   TAHOMA_INHERITED       the statistics of a base class
//   TAHOMA_INHERITED_IF    the same for the kind of instance of which the condition on `self` holds
//
// A level and a figure take one more argument, kLess or kMore, if their unit does not say which is better
// (stats.h). Fronts, comparisons and pages rely on it. A number that identifies something has the unit
// kIdentifier: it is never compared by size.
//
// A part has its own path (member `path`), or its path is its owner's path and its name (`name()`, or the
// name of the member). A part with `bool took_part() const` is listed only if that returns true.
#pragma once

#include "model/base/stats.h"
#include "model/base/units.h"

namespace tahoma::base {

// The most lines that the declarations of one struct may span.
inline constexpr int kMostLines = 64;
template <int kNumber>
struct Line {};

template <class Owner, class Value>
struct DeclaredCounter {
  const char* name;
  Unit unit;
  const char* doc;
  bool adds;
  Value Owner::*member;
  bool (*listed)(const Owner&);
  Better better = usually_better(unit);
};
template <class Owner, class Values, class Key>
struct DeclaredFamily {
  Unit unit;
  Values Owner::*member;
};
template <class Function>
struct DeclaredFigure {
  const char* name;
  Unit unit;
  const char* doc;
  Function value;  // (const Owner&, Duration elapsed)
  Better better = usually_better(unit);
};
template <class Function>
constexpr DeclaredFigure<Function> declared_figure(const char* name, Unit unit, const char* doc,
                                                   Function value) {
  return {name, unit, doc, value};
}
template <class Function>
constexpr DeclaredFigure<Function> declared_figure(const char* name, Unit unit, const char* doc,
                                                   Function value, Better better) {
  return {name, unit, doc, value, better};
}
template <class Owner, class Part>
struct DeclaredPart {
  const char* name;
  Part Owner::*member;
};
template <class Owner, class Part>
struct DeclaredTotals {
  const char* name;
  Part Owner::*member;
};
template <class Owner, class Base>
struct DeclaredBase {
  bool (*listed)(const Owner&);
};

}  // namespace tahoma::base

#define TAHOMA_STATISTICS(type) \
  using Self = type;            \
  static constexpr int kFirstLine = __LINE__

#define TAHOMA_DECLARATION(...)                                       \
  static constexpr auto declaration(::tahoma::base::Line<__LINE__>) { \
    static_assert(__LINE__ < kFirstLine + ::tahoma::base::kMostLines, \
                  "the declarations span too many lines");            \
    return __VA_ARGS__;                                               \
  }                                                                   \
  static_assert(true, "")

#define TAHOMA_BETTER(...) __VA_OPT__(, ::tahoma::base::Better::__VA_ARGS__)
#define TAHOMA_MEMBER(type, name, unit, doc, adds, condition, ...) \
  type name{};                                                     \
  TAHOMA_DECLARATION(::tahoma::base::DeclaredCounter<Self, type>{  \
      #name, ::tahoma::base::Unit::unit, doc, adds, &Self::name, condition TAHOMA_BETTER(__VA_ARGS__)})
#define TAHOMA_CONDITION(condition) [](const Self& self) -> bool { return condition; }

#define TAHOMA_COUNTER(type, name, unit, doc) TAHOMA_MEMBER(type, name, unit, doc, true, nullptr)
#define TAHOMA_LEVEL(type, name, unit, doc, ...) \
  TAHOMA_MEMBER(type, name, unit, doc, false, nullptr __VA_OPT__(, ) __VA_ARGS__)
#define TAHOMA_COUNTER_IF(condition, type, name, unit, doc) \
  TAHOMA_MEMBER(type, name, unit, doc, true, TAHOMA_CONDITION(condition))
#define TAHOMA_COUNTERS_BY(key, type, name, unit) \
  type name{};                                    \
  TAHOMA_DECLARATION(::tahoma::base::DeclaredFamily<Self, type, key>{::tahoma::base::Unit::unit, &Self::name})
#define TAHOMA_DERIVED(name, unit, doc, expression, ...)                        \
  TAHOMA_DECLARATION(::tahoma::base::declared_figure(                           \
      name, ::tahoma::base::Unit::unit, doc,                                    \
      [](const Self& self, [[maybe_unused]] ::tahoma::base::Duration elapsed) { \
        return expression;                                                      \
      } TAHOMA_BETTER(__VA_ARGS__)))
#define TAHOMA_FIGURE(type, name, unit, doc, expression, ...)          \
  type name([[maybe_unused]] ::tahoma::base::Duration elapsed) const { \
    const Self& self = *this;                                          \
    return expression;                                                 \
  }                                                                    \
  TAHOMA_DERIVED(#name, unit, doc, self.name(elapsed) __VA_OPT__(, ) __VA_ARGS__)
#define TAHOMA_PART(type, name) \
  type name{};                  \
  TAHOMA_DECLARATION(::tahoma::base::DeclaredPart<Self, type>{#name, &Self::name})
#define TAHOMA_TOTALS(type, name) \
  type name{};                    \
  TAHOMA_DECLARATION(::tahoma::base::DeclaredTotals<Self, type>{#name, &Self::name})
#define TAHOMA_INHERITED(type) TAHOMA_DECLARATION(::tahoma::base::DeclaredBase<Self, type>{nullptr})
#define TAHOMA_INHERITED_IF(condition, type) \
  TAHOMA_DECLARATION(::tahoma::base::DeclaredBase<Self, type>{TAHOMA_CONDITION(condition)})
