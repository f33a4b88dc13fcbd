// SPDX-License-Identifier: Apache-2.0
// nki.language.NkiTensor: the tensor and view type of kernels.
#include <pybind11/stl.h>

#include "frontend/nki/record/listed_columns.h"
#include "frontend/nki/record/overlap.h"
#include "frontend/python/module/package_names.h"
#include "frontend/python/module/tracer.h"

namespace tahoma::python {

namespace {

// A part of a slice. A slice's parts are members of a public struct of CPython, and reading them there is
// several times faster than by name.
std::optional<std::int64_t> part_of(PyObject* value) {
  if (value == Py_None) return std::nullopt;
  if (PyLong_CheckExact(value)) {
    const std::int64_t number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number;
  }
  if (py::isinstance<Register>(value))
    nki::refuse("E-NKI-002", "a register as the start of a slice; expected nl.ds(register, size)");
  PyObject* const number = PyNumber_Index(value);
  if (number == nullptr) throw py::error_already_set();
  return py::cast<std::int64_t>(py::reinterpret_steal<py::object>(number));
}

nki::Index index_of(const py::handle& item) {
  nki::Index index;
  if (PySlice_Check(item.ptr())) {
    const auto* const slice = reinterpret_cast<const PySliceObject*>(item.ptr());
    index.start = part_of(slice->start);
    index.stop = part_of(slice->stop);
    index.step = part_of(slice->step);
    return index;
  }
  if (PyLong_CheckExact(item.ptr())) {
    index.kind = nki::Index::Kind::kNumber;
    index.start = part_of(item.ptr());
    return index;
  }
  if (py::isinstance<DynamicSlice>(item)) {
    const auto& slice = py::cast<const DynamicSlice&>(item);
    index.kind = nki::Index::Kind::kRegister;
    index.reg = slice.start.number;
    index.size = slice.size;
    return index;
  }
  if (py::isinstance<Register>(item)) {
    index.kind = nki::Index::Kind::kRegister;
    index.reg = py::cast<const Register&>(item).number;
    return index;
  }
  if (py::isinstance<nki::View>(item)) {
    index.kind = nki::Index::Kind::kScalar;
    index.index = std::make_shared<const nki::View>(py::cast<const nki::View&>(item));
    return index;
  }
  PyObject* const number = PyNumber_Index(item.ptr());
  if (number == nullptr) {
    PyErr_Clear();
    nki::refuse("E-NKI-002", "an index of type " + std::string(Py_TYPE(item.ptr())->tp_name) +
                                 "; expected numbers, slices, nl.ds, registers or ...");
  }
  index.kind = nki::Index::Kind::kNumber;
  index.start = py::cast<std::int64_t>(py::reinterpret_steal<py::object>(number));
  return index;
}

std::vector<nki::Index> indices_of(const nki::View& view, const py::object& key) {
  std::vector<nki::Index> indices;
  indices.reserve(view.dims.size());
  const auto add_all = [&](const py::tuple& items) {
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (py::object(items[n]).ptr() == Py_Ellipsis) {
        const std::size_t given = items.size() - 1;
        for (std::size_t d = given; d < view.dims.size(); ++d) indices.emplace_back();
      } else {
        indices.push_back(index_of(items[n]));
      }
    }
  };
  if (py::isinstance<py::tuple>(key))
    add_all(key);
  else
    add_all(py::make_tuple(key));
  return indices;
}

std::vector<nki::Dim> dims_of(const py::iterable& pattern) {
  std::vector<nki::Dim> dims;
  for (const py::handle pair : pattern) {
    const auto numbers = py::cast<std::vector<std::int64_t>>(pair);
    if (numbers.size() != 2) nki::refuse("E-NKI-004", "a pattern is a list of [stride, count]");
    dims.push_back({numbers[0], numbers[1]});
  }
  return dims;
}

nki::View ap(const nki::View& view, const py::iterable& pattern, std::optional<std::int64_t> offset,
             const py::object& scalar_offset, const py::object& vector_offset, std::int64_t indirect_dim,
             const nki::Element* element) {
  if (!scalar_offset.is_none() && !vector_offset.is_none())
    nki::refuse("E-NKI-004", "ap: scalar_offset and vector_offset exclude each other");
  nki::View result =
      nki::access_pattern(view, dims_of(pattern), offset, element != nullptr ? *element : *view.element);
  if (scalar_offset.is_none() && vector_offset.is_none()) return result;
  result.dynamic = nki::dynamic_part(view, indirect_dim);
  if (py::isinstance<Register>(scalar_offset)) {
    result.dynamic.kind = nki::Dynamic::Kind::kRegister;
    result.dynamic.reg = py::cast<Register>(scalar_offset).number;
  } else if (!scalar_offset.is_none()) {
    result.dynamic.kind = nki::Dynamic::Kind::kScalar;
    result.dynamic.index = std::make_shared<const nki::View>(py::cast<const nki::View&>(scalar_offset));
    if (result.dynamic.index->elements() != 1)
      nki::refuse("E-NKI-004",
                  "ap: scalar_offset " + result.dynamic.index->text() + "; expected one element");
  } else {
    result.dynamic.kind = nki::Dynamic::Kind::kVector;
    result.dynamic.index = std::make_shared<const nki::View>(py::cast<const nki::View&>(vector_offset));
    if (view.on_chip())
      nki::refuse("E-NKI-004", "ap: vector_offset of " + view.text() + "; expected a tensor in HBM");
  }
  return result;
}

}  // namespace

void bind_views(py::module_& m) {
  py::class_<nki::Element>(m, "Element")
      .def_property_readonly("name", [](const nki::Element& e) { return std::string(e.name); })
      .def_readonly("bytes", &nki::Element::bytes);
  py::list all;
  for (const nki::Element& e : nki::elements()) all.append(py::cast(&e, py::return_value_policy::reference));
  m.attr("ELEMENTS") = all;
  m.def(
      "set_names",
      [](const py::dict& dtypes, py::object shape, const py::dict& buffers, py::object assign) {
        PackageNames::get().set(dtypes, std::move(shape), buffers, std::move(assign));
      },
      "The package's classes: dtypes by name, shapes, buffers by name, and what t[...] = value does.");

  using View = nki::View;
  py::class_<View>(m, "NkiTensor", py::dynamic_attr(),
                   "A tensor of a kernel, or a view of one; views never copy.")
      .def_property_readonly("shape", [](const View& v) { return PackageNames::get().shape(v); })
      .def_property_readonly("dtype", [](const View& v) { return PackageNames::get().dtype(*v.element); })
      .def_property_readonly("buffer",
                             [](const View& v) { return PackageNames::get().buffer(v.storage->buffer); })
      .def_property_readonly("name", [](const View& v) { return v.storage->name; })
      .def_property_readonly("ndim", [](const View& v) { return v.dims.size(); })
      .def_property_readonly("size", &View::elements)
      .def_property_readonly("itemsize", [](const View& v) { return v.element->bytes; })
      .def_property_readonly("strides",
                             [](const View& v) {
                               py::list strides;
                               for (const nki::Dim& d : v.pattern()) strides.append(d.stride);
                               return py::tuple(strides);
                             })
      .def_property_readonly("offset",
                             [](const View& v) {
                               return v.on_chip() ? v.partition * v.partition_stride() + v.offset : v.offset;
                             })
      .def_property_readonly(
          "element", [](const View& v) { return v.element; }, py::return_value_policy::reference)
      .def_property_readonly("storage_id", [](const View& v) { return v.storage->id; })
      .def_property_readonly("on_chip", &View::on_chip)
      .def_property_readonly("address",
                             [](const View& v) -> py::object {
                               if (!v.storage->place) return py::none();
                               return py::make_tuple(v.storage->place->partition, v.storage->place->byte);
                             })
      .def_property_readonly(
          "first_partition",
          [](const View& v) { return v.partition + (v.storage->place ? v.storage->place->partition : 0); })
      .def("__len__", [](const View& v) { return v.dims.front().count; })
      .def("__repr__", &View::text)
      .def("__getitem__",
           [](const View& v, const py::object& key) { return nki::indexed(v, indices_of(v, key)); })
      .def("__setitem__", [](const py::object& self, const py::object& key,
                             const py::object& value) { PackageNames::get().assign()(self, key, value); })
      .def("ap", &ap, py::arg("pattern"), py::arg("offset") = py::none(),
           py::arg("scalar_offset") = py::none(), py::arg("vector_offset") = py::none(),
           py::arg("indirect_dim") = 0, py::arg("dtype") = nullptr)
      .def("reshape",
           [](const View& v, const py::args& shape) {
             const bool one = shape.size() == 1 && !py::isinstance<py::int_>(shape[0]);
             return nki::reshape(v, one ? py::cast<std::vector<std::int64_t>>(shape[0])
                                        : py::cast<std::vector<std::int64_t>>(shape));
           })
      .def(
          "reshape",
          [](const View& v, const std::vector<std::int64_t>& shape) { return nki::reshape(v, shape); },
          py::arg("shape"))
      .def("reshape_dim", &nki::reshape_dim, py::arg("dim"), py::arg("shape"))
      .def("flatten_dims", &nki::flatten_dims, py::arg("start_dim"), py::arg("end_dim"))
      .def("permute", &nki::permute, py::arg("dims"))
      .def("broadcast", &nki::broadcast, py::arg("dim"), py::arg("size"))
      .def("expand_dim", &nki::expand_dim, py::arg("dim"))
      .def("squeeze_dim", &nki::squeeze_dim, py::arg("dim"))
      .def("slice", &nki::slice, py::arg("dim"), py::arg("start"), py::arg("end"), py::arg("step") = 1)
      .def(
          "select",
          [](const View& v, std::int64_t dim, const py::object& index) {
            const bool number = PyIndex_Check(index.ptr()) != 0 && !py::isinstance<View>(index) &&
                                !py::isinstance<Register>(index);
            if (number)
              return nki::select(
                  v, dim,
                  py::cast<std::int64_t>(py::reinterpret_steal<py::object>(PyNumber_Index(index.ptr()))));
            std::vector<nki::Index> indices(
                static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(v.dims.size()) : dim));
            indices.push_back(index_of(index));
            return nki::indexed(v, indices);
          },
          py::arg("dim"), py::arg("index"))
      .def(
          "vector_select",
          [](const View& v, std::int64_t dim, const View& index) {
            if (dim != 0 || v.on_chip())
              nki::refuse("E-NKI-003", "vector_select: dimension " + std::to_string(dim) + " of " + v.text() +
                                           "; expected dimension 0 of a tensor in HBM");
            View result = v;
            result.dynamic = nki::Dynamic{.kind = nki::Dynamic::Kind::kVector,
                                          .index = std::make_shared<const View>(index),
                                          .base = nullptr,
                                          .stride = v.dims[0].stride,
                                          .bound = v.dims[0].count};
            result.dims[0].count = index.dims[0].count;
            return result;
          },
          py::arg("dim"), py::arg("vector_offset"))
      .def("reinterpret", &nki::reinterpret, py::arg("dtype"))
      .def("get_pattern",
           [](const View& v) {
             py::list pattern;
             for (const nki::Dim& d : v.pattern()) pattern.append(py::make_tuple(d.stride, d.count));
             return pattern;
           })
      .def("is_contiguous", &View::is_contiguous)
      .def("same_elements", &nki::same_elements)
      .def("overlaps", &nki::overlap)
      .def("indirect", &nki::listed_columns, py::arg("index"), py::arg("num_elem") = py::none())
      .def("is_indirect", [](const View& v) { return v.dynamic.kind != nki::Dynamic::Kind::kNone; });

  py::class_<Register>(m, "Register", "A register of the sequencers.")
      .def_readonly("number", &Register::number);
  py::class_<DynamicSlice>(m, "DynamicSlice").def(py::init([](Register start, std::int64_t size) {
    return DynamicSlice{start, size};
  }));
}

}  // namespace tahoma::python
