// SPDX-License-Identifier: Apache-2.0
// The package's objects for what the module represents as numbers: dtypes, buffers and shapes. Each is made
// or looked up once: kernels ask for them at every instruction.
#pragma once

#include <pybind11/pybind11.h>

#include <unordered_map>
#include <vector>

#include "frontend/nki/record/view.h"

namespace tahoma::python {

namespace py = pybind11;

class PackageNames {
 public:
  static PackageNames& get();

  // `dtypes` and `buffers` by name; `shape` makes a shape from a sequence. Until this is called, shapes are
  // tuples.
  void set(const py::dict& dtypes, py::object shape, const py::dict& buffers, py::object assign);

  py::object dtype(const runtime::nki::Element& element) const;
  py::object buffer(runtime::nki::Buffer buffer) const {
    return buffers_.at(static_cast<std::size_t>(buffer));
  }
  py::object shape(const runtime::nki::View& view);
  const py::object& assign() const { return assign_; }  // t[...] = value

 private:
  PackageNames();

  struct Hash {
    std::size_t operator()(const std::vector<std::int64_t>& counts) const;
  };
  static constexpr std::size_t kMostShapes = 4096;

  std::vector<py::object> dtypes_, buffers_;  // in the order of nki::elements() and of the enumerators
  py::object shape_, assign_;
  std::unordered_map<std::vector<std::int64_t>, py::object, Hash> shapes_;
};

}  // namespace tahoma::python
