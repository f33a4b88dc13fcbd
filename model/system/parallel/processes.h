// SPDX-License-Identifier: Apache-2.0
// The processes that simulate a machine together. Each simulates some of the nodes of the fabric. The runtime provides them,
// over MPI; tests do, over pipes.
//
// Every function is called by all processes, in the same order. A process whose peer has died does not return from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tahoma::model {

using ByteString = std::vector<std::byte>;

class Processes {
 public:
  virtual ~Processes() = default;
  virtual std::uint32_t count() const = 0;
  virtual std::uint32_t rank() const = 0;  // of this one, from 0; process 0 reports the results
  bool reports() const { return rank() == 0; }

  // Sends `to[p]` to every process p, this one included; returns what each has sent here.
  virtual std::vector<ByteString> exchange(const std::vector<ByteString>& to) = 0;
  // The least of each number over all processes.
  virtual std::vector<std::int64_t> least(const std::vector<std::int64_t>& numbers) = 0;
  // On process 0, what every process has sent; on others, nothing.
  virtual std::vector<ByteString> gather(const ByteString& bytes) = 0;
};

// A contiguous block of `things` for each process, with sizes that differ by at most one.
constexpr std::uint32_t process_of(std::uint32_t thing, std::uint32_t things, std::uint32_t processes) {
  return static_cast<std::uint32_t>(((std::uint64_t{thing} + 1) * processes - 1) / things);
}

}  // namespace tahoma::model
