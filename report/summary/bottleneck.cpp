// SPDX-License-Identifier: Apache-2.0
#include "report/summary/bottleneck.h"

#include <fmt/format.h>

namespace tahoma::runtime {

namespace {

constexpr const char* kNone = "no single resource";

}  // namespace

std::string Bottleneck::text() const {
  return resource.empty() ? kNone : fmt::format("{} ({:.1f} % shorter if ideal)", resource, shorter_percent);
}

const Bottleneck* Bottlenecks::of_region(const std::string& name) const {
  const auto known = regions.find(name);
  return known == regions.end() ? nullptr : &known->second;
}

}  // namespace tahoma::runtime
