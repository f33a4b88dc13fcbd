// SPDX-License-Identifier: Apache-2.0
// The processes that simulate a machine together. Each simulates some of the nodes of the fabric. The runtime
// provides them, over MPI; tests do, over pipes.
//
// Every function is called by all processes, in the same order. A process whose peer has died does not return
// from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tahoma::model {

using ByteString = std::vector<std::byte>;

class Processes {
 public:
  virtual ~Processes() = default;
  virtual std::uint32_t count() const = 0;
  virtual std::uint32_t rank() const = 0;  // of this one, from 0; process 0 reports the results
  bool reports() const { return rank() == 0; }

  // A window of the simulation ends with three numbers, of which everyone needs the least (time_windows.h).
  using Numbers = std::array<std::int64_t, 3>;
  struct Exchanged {
    std::vector<ByteString> received;  // by process
    Numbers least{};
  };
  // Sends `to[p]` to every process p, this one included; returns what each has sent here, and the least of
  // each number over all processes. As long as it waits for others, it calls `meanwhile`, which does a piece
  // of this process's own work and returns whether more is left.
  virtual Exchanged exchange(const std::vector<ByteString>& to, const Numbers& numbers,
                             const std::function<bool()>& meanwhile) = 0;
  // Returns the least of each number over all processes.
  virtual std::vector<std::int64_t> least(const std::vector<std::int64_t>& numbers) = 0;
  // Returns what every process has sent on process 0, nothing on others.
  virtual std::vector<ByteString> gather(const ByteString& bytes) = 0;
};

// Returns the process of one of `things`, of which each process has a contiguous block; their sizes differ by
// at most one.
constexpr std::uint32_t block_of(std::uint32_t thing, std::uint32_t things, std::uint32_t processes) {
  return static_cast<std::uint32_t>(((std::uint64_t{thing} + 1) * processes - 1) / things);
}

}  // namespace tahoma::model
