// SPDX-License-Identifier: Apache-2.0
// The outcome of a point, attempt by attempt: points/ID/result.json. The supervisor of the attempt writes it
// with one rename, so the file is complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

enum class Outcome : std::uint8_t {
  kDone,
  kRefused,  // caused by the point itself, on any host: exit status 1 to 5
  kTime,     // the time limit was exceeded
  kHost,     // caused by the host: out of memory, killed, crashed
  kFolder,   // the folder cannot be written: all other points would fail too, so the sweep ends
};
std::string name_of(Outcome outcome);

struct Attempt {
  Outcome outcome = Outcome::kDone;
  std::string reason;          // "" when done
  std::string executor, host;  // "local", "slurm"
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
};

// Done and refused are final; other outcomes may be retried.
struct SweepPointResult {
  std::vector<Attempt> attempts;  // at least one
  const Attempt& last() const { return attempts.back(); }
  bool done() const { return last().outcome == Outcome::kDone; }
  bool is_final() const { return done() || last().outcome == Outcome::kRefused; }
};

// Unset if there is no result file, or if the file is invalid.
std::optional<SweepPointResult> read_result(const std::filesystem::path& folder);
// Throws UserError E-OUT-003 if the file cannot be written.
void write_result(const std::filesystem::path& folder, const SweepPointResult& result);

}  // namespace tahoma::runtime
