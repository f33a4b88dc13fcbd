// SPDX-License-Identifier: Apache-2.0
// The bytes of one side of a transfer, enumerated by the descriptor's own counts and strides. It is
// independent of runs and packets (dma_split.h, dma_share.h), which describe the same bytes to the engines.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "model/engine/core_memories.h"
#include "model/engine/ports/doorbell.h"

namespace tahoma::model {

struct TransferSide {
  sim::BackdoorIf* hbm;           // the memory of this side: either this or
  sim::ScratchpadIf* scratchpad;  // this
  std::uint64_t base;             // of element (0, 0, 0, 0), as an index into the memory's known bytes
  std::array<std::int64_t, isa::kFreeDims> step;  // bytes
  std::array<std::uint64_t, isa::kFreeDims> count;
  std::uint64_t element;                                // bytes
  const std::vector<isa::IndirectRow>* rows = nullptr;  // dimension 0 follows these
  bool by_number = false;                               // follows their numbers, else their indices

  sim::KnownBytes& known() const { return hbm != nullptr ? hbm->known() : scratchpad->known(); }
  std::byte* bytes(std::uint64_t place, std::uint64_t count_of_them) const {
    return hbm != nullptr ? hbm->at(place, count_of_them) : scratchpad->bytes() + place;
  }
  std::uint64_t elements() const { return count[0] * count[1] * count[2] * count[3]; }

  // Calls f(first byte, bytes) for every contiguous range of the given elements from `first` on, in the order
  // of the transfer. Stops and returns false when f returns false.
  template <class F>
  bool each_piece(std::uint64_t first, std::uint64_t many, F&& f) const {
    Index at{first / count[3] / count[2] / count[1], first / count[3] / count[2] % count[1],
             first / count[3] % count[2], first % count[3]};
    const bool dense = step[3] == static_cast<std::int64_t>(element);
    while (many > 0) {
      const std::uint64_t here = dense ? std::min(many, count[3] - at[3]) : 1;
      if (!f(place(at), here * element)) return false;
      many -= here;
      at[3] += here;
      for (std::size_t d = isa::kFreeDims; --d > 0 && at[d] == count[d]; ++at[d - 1]) at[d] = 0;
    }
    return true;
  }
  template <class F>
  bool every_piece(F&& f) const {
    return each_piece(0, elements(), f);
  }

 private:
  using Index = std::array<std::uint64_t, isa::kFreeDims>;
  std::uint64_t place(const Index& index) const {
    std::uint64_t at = base;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::uint64_t n = d > 0 || rows == nullptr ? index[d]
                              : by_number              ? (*rows)[index[0]].number
                                                       : (*rows)[index[0]].index;
      at += n * static_cast<std::uint64_t>(step[d]);
    }
    return at;
  }
};

// `operand` is the operand's number (TransferRequest).
TransferSide side_of(const TransferRequest& request, std::size_t operand, const CoreMemories& memories);

}  // namespace tahoma::model
