// SPDX-License-Identifier: Apache-2.0
// The values that are kept beside a golden, so that a changed output shows its error and not only another
// hash.
//
// An output is divided into at most `most` blocks of equal length; the last one may be shorter. Of each block
// one value and a hash of all its bytes are kept. The position of the value in its block follows from the
// number of the block by a hash, so that an error in one column of a matrix is not missed in every block. A
// block of one element needs no hash: an output of at most `most` elements is kept as a whole.
//
// UserError E-REG-017: a file that is not one of kept values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/workload/workload.h"

namespace tahoma::runtime {

// Values kept of an output, unless the file of cases says another number.
inline constexpr std::uint64_t kValuesKept = 128;

// The range has row-major indices of elements.
struct BlockRange {
  std::uint64_t begin, end;  // end: exclusive
};

struct KeptOutput {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::string> values;  // one of each block, in its shortest form as fp32
  std::vector<std::string> hashes;  // of each block; empty if each block has one element

  std::uint64_t elements() const;
  std::uint64_t block_length() const;
  BlockRange block(std::uint64_t number) const;
  std::uint64_t kept_at(std::uint64_t block_number) const;  // the row-major index of the block's value
};

// Returns the statistic with the SHA-256 of an output.
std::string hash_name(const std::string& output);

KeptOutput keep(const NamedValues& output, std::uint64_t most);

// Returns the file beside the golden of a case.
std::string kept_values_path(const std::string& folder, const std::string& case_name);
std::string kept_values_text(const std::vector<KeptOutput>& outputs);
// `place`: of the text, for errors.
std::vector<KeptOutput> parse_kept_values(const std::string& text, const std::string& place);
// Unset if there is no such file.
std::optional<std::vector<KeptOutput>> read_kept_values(const std::string& path);

}  // namespace tahoma::runtime
