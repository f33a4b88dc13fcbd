// SPDX-License-Identifier: Apache-2.0
// Matches requests of inputs to outputs: each input and each output is in one match at most. Every output
// grants one of its requests, and every input accepts one of its grants, both round robin. An output's turn
// moves on only if its grant was accepted, so that under full load outputs grant different inputs. This is
// iSLIP with one iteration (McKeown, IEEE/ACM Transactions on Networking 7, 1999).
#pragma once

#include <cstdint>
#include <vector>

namespace tahoma::model {

class SeparableAllocator {
 public:
  SeparableAllocator(std::uint32_t inputs, std::uint32_t outputs) : inputs_(inputs), outputs_(outputs) {}

  struct Match {
    std::uint32_t input, output;
    friend bool operator==(const Match&, const Match&) = default;
  };

  void request(std::uint32_t input, std::uint32_t output);
  // Matches the requests since the last call, and forgets them. Valid until the next call.
  const std::vector<Match>& allocate();

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Side {                  // an input or an output
    std::uint32_t turn = 0;      // of the other side, which is served first
    std::uint32_t best = kNone;  // of the other side, so far
    // Takes the candidate if its turn is earlier; returns whether it is the first one.
    bool consider(std::uint32_t candidate, std::size_t candidates);
  };

  std::vector<Side> inputs_, outputs_;
  std::vector<std::uint32_t> requested_, granted_;  // outputs with requests; inputs with grants
  std::vector<Match> matches_;
};

}  // namespace tahoma::model
