// SPDX-License-Identifier: Apache-2.0
// A memset of PSUM is dead if matmuls overwrite all of it before anything reads it: a matmul that follows a
// memset overwrites (accumulate.h), so nobody sees the values. Kernels written for compilers that accumulate
// into what the memset left have one for every tile.
#pragma once

#include <optional>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// The trace without such memsets; nothing if it has none. Traces with loops on the device keep theirs,
// since a body runs again, and so do tensors at hand-given addresses, whose bytes other tensors may share.
std::optional<Trace> without_dead_fills(const Trace& trace);

}  // namespace tahoma::runtime::nki
