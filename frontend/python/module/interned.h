// SPDX-License-Identifier: Apache-2.0
// Values by names that Python gives as strings. The names in the package's text are interned: they are found
// by their address, without a comparison of characters.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <unordered_map>

namespace tahoma::python {

template <class Value>
class Interned {
 public:
  // find(name) is called for a name that is not known yet; its exceptions are not cached.
  template <class Find>
  Value get(const pybind11::handle& name, Find&& find) {
    const auto known = values_.find(name.ptr());
    if (known != values_.end()) return known->second;
    const Value value = find(pybind11::cast<std::string>(name));
    if (PyUnicode_Check(name.ptr()) && PyUnicode_CHECK_INTERNED(name.ptr())) {
      name.inc_ref();  // its address stays its own
      values_.emplace(name.ptr(), value);
    }
    return value;
  }

 private:
  std::unordered_map<PyObject*, Value> values_;
};

}  // namespace tahoma::python
