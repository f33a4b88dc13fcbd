// SPDX-License-Identifier: Apache-2.0
#include "frontend/python/module/package_names.h"

#include <pybind11/stl.h>

namespace tahoma::python {

namespace nki = tahoma::runtime::nki;

PackageNames::PackageNames()
    : dtypes_(nki::elements().size(), py::none()),
      buffers_(static_cast<std::size_t>(nki::Buffer::kSharedHbm) + 1, py::none()),
      shape_(py::type::of(py::tuple())),
      assign_(py::none()) {}

PackageNames& PackageNames::get() {
  static PackageNames* const kNames = new PackageNames;  // outlives the interpreter's teardown
  return *kNames;
}

void PackageNames::set(const py::dict& dtypes, py::object shape, const py::dict& buffers, py::object assign) {
  for (std::size_t n = 0; n < dtypes_.size(); ++n)
    dtypes_[n] = dtypes[py::str(std::string(nki::elements()[n].name))];
  for (std::size_t n = 0; n < buffers_.size(); ++n)
    buffers_[n] = buffers[py::str(std::string(nki::name_of(static_cast<nki::Buffer>(n))))];
  shape_ = std::move(shape);
  assign_ = std::move(assign);
  shapes_.clear();
}

py::object PackageNames::dtype(const nki::Element& element) const {
  return dtypes_.at(static_cast<std::size_t>(&element - nki::elements().data()));
}

py::object PackageNames::shape(const nki::View& view) {
  std::vector<std::int64_t> counts = view.shape();
  const auto known = shapes_.find(counts);
  if (known != shapes_.end()) return known->second;
  if (shapes_.size() == kMostShapes) shapes_.clear();
  return shapes_.emplace(counts, shape_(counts)).first->second;
}

std::size_t PackageNames::Hash::operator()(const std::vector<std::int64_t>& counts) const {
  std::size_t hash = 0;
  for (const std::int64_t count : counts) hash = hash * 1000003 + static_cast<std::size_t>(count);
  return hash;
}

}  // namespace tahoma::python
