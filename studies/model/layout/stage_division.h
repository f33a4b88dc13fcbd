// SPDX-License-Identifier: Apache-2.0
// The layers of each stage of a pipeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::runtime {

// As equal as possible. Stages in the middle take the remainder first, then the first one, because the last
// one has the matrix of the logits and the first one the embedding, of which it reads few rows. At least one
// stage for each layer.
std::vector<std::uint64_t> stage_division(std::uint64_t layers, std::uint64_t stages);

bool equally_many(const std::vector<std::uint64_t>& division);

// "31-2x32-31"
std::string division_text(const std::vector<std::uint64_t>& division);

}  // namespace tahoma::runtime
