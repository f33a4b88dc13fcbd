// SPDX-License-Identifier: Apache-2.0
// How a point ended, attempt by attempt: points/ID/result.json. It is written by whoever supervised the
// attempt, in one rename, so that it is whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

enum class Outcome : std::uint8_t {
  kDone,
  kRefused,  // the point's own fault, whoever runs it and when: exit status 1 to 5
  kTime,     // the limit of time
  kHost,     // the host's: out of memory, killed, crashed
  kFolder,   // the folder takes no files: no other point would fare better, so the sweep ends
};
std::string name_of(Outcome outcome);

struct Attempt {
  Outcome outcome = Outcome::kDone;
  std::string reason;          // "" when done
  std::string executor, host;  // "local", "slurm"
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
};

// Done and refused are final; the rest may be tried again.
struct PointResult {
  std::vector<Attempt> attempts;  // at least one
  const Attempt& last() const { return attempts.back(); }
  bool done() const { return last().outcome == Outcome::kDone; }
  bool is_final() const { return done() || last().outcome == Outcome::kRefused; }
};

// Nothing when there is none. A file that is none is nothing, too.
std::optional<PointResult> read_result(const std::filesystem::path& folder);
// Throws UserError E-OUT-003 when the disk does not take it.
void write_result(const std::filesystem::path& folder, const PointResult& result);

}  // namespace tahoma::runtime
