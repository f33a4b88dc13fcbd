// SPDX-License-Identifier: Apache-2.0
// A program as bytes, the binary container.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "isa/core/program.h"

namespace tahoma::isa {

// Binary form, little endian: magic "TAHO", version, core (u32: 0 not stated, else 2, 3 or 4), name,
// arguments (u32 length and characters each), control arguments (16 bytes), regions like arguments, marks of
// each queue (u32 count, then first instruction and region as u32 each), source lines (u32 count; file,
// function, line, caller), line marks like marks, lists of filled tensors (u32 count; each with a u32 count
// of names), their marks like marks, useful FLOPs and bytes (u64 each), instruction count of each queue,
// descriptor count, the 64-byte words and descriptors of isa/binary/codec.h, and the FNV-1a checksum of all
// preceding bytes. `from_bytes` accepts only what `to_bytes` can produce, so to_bytes(from_bytes(b)) == b; it
// does not check limits or references (validate() does). Errors are ProgramErrors with the byte offset:
// E-BIN-001 magic, 002 version, 003 truncated, 004 too long, 005 a name, 006 too many arguments, 007..009 a
// word (isa/binary/codec.h), 008 also a core, 011 checksum, 012 a control argument that does not exist, 013
// marks that are not in order or name no region, line or list, 014 a source line whose caller does not come
// before it. `to_bytes` throws E-BIN-005, 006, 010, 012, 013 and 014.
std::vector<std::byte> to_bytes(const Program& program);
Program from_bytes(std::span<const std::byte> bytes);

}  // namespace tahoma::isa
