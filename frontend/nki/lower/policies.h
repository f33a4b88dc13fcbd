// SPDX-License-Identifier: Apache-2.0
// The policies that decide what a kernel leaves open, a row each. The parameters of a case of NKI, the
// arguments of the Python package's `lower` and the settings of `tahoma.configure` follow from the rows.
#pragma once

#include <span>

#include "frontend/nki/lower/nki_lowering.h"
#include "model/base/param_choice.h"

namespace tahoma::runtime::nki {

struct Policy {
  const char* name;
  const char* doc;
  base::ChoiceRef (*choice)(LoweringOptions& options);  // the legal values, the default first
};
std::span<const Policy> policies();

}  // namespace tahoma::runtime::nki
