// SPDX-License-Identifier: Apache-2.0
// Checksums of the data that the packets of one transfer carry over the fabric or read from there. Functional
// mode takes them when the transfer's values move. From then until a packet arrives, no race-free program
// changes the bytes: a destination is its transfer's own until the transfer's semaphore is raised, and a
// source until then or until its update on read.
//
// Every checksum is taken twice, of bytes that are described independently: by the address and the rows of
// the packet, as its receiver will see them, and by the descriptor's counts and strides, element by element.
// The second are the source's own bytes where the transfer only moves them. Where it converts, adds or folds,
// or writes an address more than once, no source holds the arriving bytes; they are taken from the
// destination. An accumulation then reads the same bytes there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/sim/checksum.h"
#include "model/sim/packet.h"

namespace tahoma::model {

struct CoreMemories;
struct DmaPacket;
struct DmaParams;
struct Runs;
struct Transfer;

class TransferChecksums {
 public:
  // Returns the checksum of an operand's bytes in a packet that crosses the fabric; nothing in timing mode.
  sim::Checksum of(const Runs& runs, const DmaPacket& packet, std::size_t operand) const;

 private:
  friend void take_checksums(Transfer&, std::uint32_t, const DmaParams&, const CoreMemories&);
  using Key = std::pair<std::uint64_t, std::size_t>;  // first element, in the order of the transfer; operand
  struct Entry {
    Key key;
    sim::Checksum sum;
  };
  std::vector<Entry> entries_;  // in order
};

// Takes the checksums of all packets of a transfer that a core of `chip` has started and whose values
// have just moved.
void take_checksums(Transfer& transfer, std::uint32_t chip, const DmaParams& params,
                    const CoreMemories& memories);

// Compares an answer from another chip's memory with the checksum that the transfer took there. Throws
// UserError E-RUN-069 if the memory was overwritten in between.
void check_answer(const sim::Payload& answer, const sim::Checksum& taken);

}  // namespace tahoma::model
