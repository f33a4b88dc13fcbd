// SPDX-License-Identifier: Apache-2.0
// A parameter that takes one of several named values. The member holds an enum, and one table beside it has
// the names. Parsing, `tahoma params`, the resolved configuration, errors and sweep axes read that table. No
// component compares a name.
//
//   enum class PortModel : std::uint8_t { kBehavioural, kRtl };
//   inline constexpr base::Named<PortModel> kPortModels[] = {{PortModel::kBehavioural, "behavioural"},
//                                                            {PortModel::kRtl, "rtl"}};
//   t.add("model", model, PortModel::kBehavioural, kPortModels, "what computes the port", chosen());
//
// An enum that has a name_of() needs no table: t.add("dtype", dtype, isa::DType::kBf16,
// {isa::DType::kBf16, isa::DType::kFp32}, ...).
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tahoma::base {

template <class E>
struct Named {
  E value;
  const char* name;
};

// The name in the table; "" if the table lacks the value.
template <class E, std::size_t N>
constexpr const char* name_in(const Named<E> (&table)[N], std::type_identity_t<E> value) {
  for (const Named<E>& row : table)
    if (row.value == value) return row.name;
  return "";
}

// A choice holds an enum, or an optional enum.
template <class E>
inline constexpr bool kIsOptionalEnum = false;
template <class E>
inline constexpr bool kIsOptionalEnum<std::optional<E>> = std::is_enum_v<E>;
template <class E>
concept Choosable = std::is_enum_v<E> || kIsOptionalEnum<E>;

// The legal values, in the order in which they are listed, and their names.
template <Choosable E>
struct Choice {
  std::vector<E> values;
  std::vector<std::string> names;

  Choice() = default;
  template <std::size_t N>
  Choice(const Named<E> (&table)[N]) {  // NOLINT(google-explicit-constructor): a table is the declaration
    for (const Named<E>& row : table) push(row.value, row.name);
  }
  Choice(std::initializer_list<E> listed) {
    for (const E value : listed) push(value, std::string(name_of(value)));
  }
  template <class List>
  requires requires(const List& list) {
    list.begin() == list.end();
  } &&(!std::same_as<List, Choice>)explicit Choice(const List& listed) {
    for (const E value : listed) push(value, std::string(name_of(value)));
  }
  void push(E value, std::string name) {
    values.push_back(value);
    names.push_back(std::move(name));
  }
};

// The value is `nothing` or one of the values; the absent value is listed first.
template <class E>
Choice<std::optional<E>> absent_or(const char* nothing, const Choice<E>& choice) {
  Choice<std::optional<E>> wider;
  wider.push(std::nullopt, nothing);
  for (std::size_t i = 0; i < choice.values.size(); ++i) wider.push(choice.values[i], choice.names[i]);
  return wider;
}

// A bound member that holds a choice, whatever its enum.
class ChoiceRef {
 public:
  template <Choosable E>
  ChoiceRef(E& ref, const Choice<E>& choice)
      : names_(std::make_shared<const std::vector<std::string>>(choice.names)),
        index_([&ref, values = choice.values] {
          std::size_t i = 0;
          while (i < values.size() && values[i] != ref) ++i;
          return i;
        }),
        set_([&ref, values = choice.values](std::size_t i) { ref = values.at(i); }) {}

  const std::vector<std::string>& names() const { return *names_; }
  // The index of the value among the names; the number of names if the member holds none of them.
  std::size_t index() const { return index_(); }
  void set_index(std::size_t index) const { set_(index); }
  std::string name() const {
    const std::size_t i = index();
    return i < names_->size() ? (*names_)[i] : "";
  }
  // Returns false and leaves the member unchanged if no value has that name.
  bool set(std::string_view name) const {
    for (std::size_t i = 0; i < names_->size(); ++i)
      if ((*names_)[i] == name) return set_(i), true;
    return false;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
  std::function<std::size_t()> index_;
  std::function<void(std::size_t)> set_;
};

}  // namespace tahoma::base
