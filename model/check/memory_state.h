// SPDX-License-Identifier: Apache-2.0
// The state of memory that matters for correctness: whether bytes were written and, for PSUM, whether a
// matmul wrote them last and whether their accumulation group is still open.
#pragma once

#include <unordered_map>

#include "model/check/byte_sets.h"

namespace tahoma::model::check {

// Returns whether further matmuls of the accumulation group follow this matmul.
bool opens_group(const isa::Instruction& instruction);
// Returns whether the instruction leaves sums in PSUM that a matmul may add to.
bool leaves_sums(const isa::Instruction& instruction);

// SBUF and PSUM of one core.
class CoreMemory {
 public:
  std::optional<Stripe> unwritten(isa::Space space, const Footprint& f) const { return at(space).missing(f); }
  std::optional<Stripe> in_open_group(const Footprint& f) const { return open_.common(f); }
  std::optional<Stripe> without_sums(const Footprint& f) const { return sums_.missing(f); }

  void write(isa::Space space, const Footprint& f) { at(space).insert(f); }
  // Complements write() for PSUM with the kind of contents.
  void write_psum(const Footprint& f, bool sums, bool open);

 private:
  PartitionMap& at(isa::Space space) { return space == isa::Space::kPsum ? psum_ : sbuf_; }
  const PartitionMap& at(isa::Space space) const { return space == isa::Space::kPsum ? psum_ : sbuf_; }
  PartitionMap sbuf_, psum_, sums_, open_;
};

}  // namespace tahoma::model::check
