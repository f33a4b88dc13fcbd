// SPDX-License-Identifier: Apache-2.0
// The sublayers of a model whose layers follow no rule, as Nemotron-H lists them: M, a rule of states; *,
// attention; E, a mixture of experts; -, one feed-forward part. A layer begins with M or *. The E or - behind
// it is its feed-forward part, and without one it ends with the first sublayer.
#pragma once

#include <cstdint>
#include <string>

namespace tahoma::workloads {

enum class FeedForwardKind : std::uint8_t { kNone, kDense, kExperts };

class Sublayers {
 public:
  struct Layer {
    bool state = false;  // instead of attention
    FeedForwardKind feed_forward = FeedForwardKind::kNone;
  };

  explicit operator bool() const { return !text.empty(); }
  std::uint64_t layers() const;
  Layer of(std::uint64_t layer) const;  // beyond the last layer: the last one
  bool have(char sublayer) const { return text.find(sublayer) != std::string::npos; }
  bool legal() const;

  std::string text;
};

}  // namespace tahoma::workloads
