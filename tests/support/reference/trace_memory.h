// SPDX-License-Identifier: Apache-2.0
// On-chip memory of a trace by its definition: when each tensor is live, which tensors share bytes, and how
// much is live at most. Shares no code with frontend/nki/lower/memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::tests {

// First and last entry that uses a tensor. Nothing for one that no entry uses.
struct Life {
  std::size_t first = 0, last = 0;
};
std::vector<std::optional<Life>> lives_of(const runtime::nki::Trace& trace);

// The first two tensors without hand-given addresses that live at the same time and share bytes, or "". A
// destination of a copy or a sum may have the bytes of a source that dies there, if both are laid out alike.
std::string sharing(const runtime::nki::Trace& trace, const std::vector<runtime::nki::Place>& places);

// The most bytes of a partition that live at an entry, of the tensors in this memory.
std::int64_t most_live_bytes(const runtime::nki::Trace& trace, runtime::nki::Buffer buffer);

}  // namespace tahoma::tests
