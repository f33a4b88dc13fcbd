// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/sublayers.h"

namespace tahoma::workloads {

namespace {

bool begins(char sublayer) { return sublayer == 'M' || sublayer == '*'; }
bool follows(char sublayer) { return sublayer == 'E' || sublayer == '-'; }

}  // namespace

std::uint64_t Sublayers::layers() const {
  std::uint64_t count = 0;
  for (const char sublayer : text) count += begins(sublayer) ? 1 : 0;
  return count;
}

Sublayers::Layer Sublayers::of(std::uint64_t layer) const {
  Layer found;
  std::uint64_t begun = 0;
  for (const char sublayer : text) {
    if (begins(sublayer)) {
      if (begun++ > layer) break;
      found = {sublayer == 'M', FeedForwardKind::kNone};
    } else {
      found.feed_forward = sublayer == 'E' ? FeedForwardKind::kExperts : FeedForwardKind::kDense;
    }
  }
  return found;
}

bool Sublayers::legal() const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!begins(text[i]) && !follows(text[i])) return false;
    if (follows(text[i]) && (i == 0 || !begins(text[i - 1]))) return false;
  }
  return true;
}

}  // namespace tahoma::workloads
