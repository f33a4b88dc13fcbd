// SPDX-License-Identifier: Apache-2.0
#include "report/tables/column_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

struct JsonValue {
  Json operator()(std::monostate) const { return nullptr; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

}  // namespace

Json json_of(const base::Cell& cell) { return std::visit(JsonValue{}, cell); }

void put(Json& object, const std::string& key, Json value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) {
    object[key] = std::move(value);
    return;
  }
  Json& inner = object[key.substr(0, dot)];
  // The library makes an object of a null that is indexed, but leaves it damaged if that allocation fails.
  if (inner.is_null()) inner = Json::object();
  put(inner, key.substr(dot + 1), std::move(value));
}

}  // namespace tahoma::runtime
