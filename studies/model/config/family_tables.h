// SPDX-License-Identifier: Apache-2.0
// The tables of architectures that model_families() puts together.
#pragma once

#include <span>

#include "studies/model/config/families.h"

namespace tahoma::runtime {

std::span<const ModelFamily> dense_families();
std::span<const ModelFamily> mixture_families();
std::span<const ModelFamily> other_families();

}  // namespace tahoma::runtime
