// SPDX-License-Identifier: Apache-2.0
// Texts of a case into numbers: sizes, and the counts of an uneven all_to_all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::workloads {

// "1 MiB", "8 KiB, 1 MiB", or "8 KiB .. 1 GiB": each twice the one before, the last included if it is met.
// UserError E-COL-030 when it is none of these.
std::vector<std::uint64_t> sizes_of(const std::string& text);

// Elements from rank i to rank j at i * ranks + j. "1,2;3,4": rows by ";"; "random": 0 .. 2 x `mean`, by the
// seed. UserError E-COL-031 when the matrix is not ranks x ranks.
std::vector<std::uint64_t> counts_of(const std::string& text, std::uint32_t ranks, std::uint64_t mean,
                                     std::uint64_t seed);

}  // namespace tahoma::workloads
