// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/summary/bottleneck.h"

#include <fmt/format.h>

namespace tahoma::runtime {

std::string Bottleneck::text() const {
  return resource.empty() ? "no single resource"
                          : fmt::format("{} ({:.1f} % shorter if ideal)", resource, shorter_percent);
}

const Bottleneck* Bottlenecks::of_region(const std::string& name) const {
  const auto known = regions.find(name);
  return known == regions.end() ? nullptr : &known->second;
}

}  // namespace tahoma::runtime
