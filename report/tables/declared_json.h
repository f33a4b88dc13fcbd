// SPDX-License-Identifier: Apache-2.0
// The declared statistics and figures of a struct (model/base/declared.h) as keys of a JSON object, in the
// order of their lines.
#pragma once

#include <nlohmann/json.hpp>

#include "model/base/statistics_walk.h"

namespace tahoma::runtime {

class DeclaredJson {
 public:
  DeclaredJson(nlohmann::ordered_json& json, base::Duration elapsed) : json_(json), elapsed_(elapsed) {}

  template <class T, class V>
  void operator()(const base::DeclaredCounter<T, V>& d, const T& of) {
    json_[d.name] = value(of.*d.member);
  }
  template <class F, class T>
  void operator()(const base::DeclaredFigure<F>& d, const T& of) {
    json_[d.name] = value(d.value(of, elapsed_));
  }

 private:
  template <class V>
  static nlohmann::ordered_json value(const V& number) {
    return number;
  }
  template <class V>
  static nlohmann::ordered_json value(const std::optional<V>& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
  }

  nlohmann::ordered_json& json_;
  base::Duration elapsed_;
};

template <class T>
void add_declared(nlohmann::ordered_json& json, const T& of, base::Duration elapsed = {}) {
  DeclaredJson writer(json, elapsed);
  base::for_each_declaration<T>([&](const auto& declared) { writer(declared, of); });
}
template <class T>
nlohmann::ordered_json declared_json(const T& of, base::Duration elapsed = {}) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  add_declared(json, of, elapsed);
  return json;
}

}  // namespace tahoma::runtime
