// SPDX-License-Identifier: Apache-2.0
// Parses texts of a case: sizes, and the counts of an uneven all_to_all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::workloads {

// "1 MiB", "8 KiB, 1 MiB", or "8 KiB .. 1 GiB": each size is twice the previous one, and the last is included
// if the doubling reaches it exactly. UserError E-COL-030 for any other text.
std::vector<std::uint64_t> sizes_of(const std::string& text);

// Elements from rank i to rank j, at i * ranks + j. "1,2;3,4": rows separated by ";"; "random": 0 .. 2 x
// `mean`, drawn from the seed. UserError E-COL-031 when the matrix is not ranks x ranks.
std::vector<std::uint64_t> counts_of(const std::string& text, std::uint32_t ranks, std::uint64_t mean,
                                     std::uint64_t seed);

}  // namespace tahoma::workloads
