// SPDX-License-Identifier: Apache-2.0
// Parameters of the DMA engines.
#pragma once

#include "model/base/params.h"
#include "model/base/waves_window.h"
#include "model/engine/params/block_params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

struct DmaParams {
  BlockModel model;         // of the rings
  base::WavesWindow waves;  // rtl: of the descriptors and packets in it
  Frequency clock;
  std::uint64_t rings;               // per engine
  std::uint64_t ring_depth;          // transfers a ring holds
  Bytes bytes_per_cycle;             // of one engine
  Cycles element_overhead;           // per element: one contiguous run, or rows that are one on the HBM side
  Cycles packet_overhead;            // once per packet
  Bytes semaphore_value;             // written for a semaphore
  Cycles semaphore_element;          // a semaphore written as an element of its own
  Cycles read_overlap;               // start of an element -> the one before it has been read
  std::uint64_t engine_partitions;   // least that one engine serves before another takes part
  std::uint64_t element_rows;        // partitions whose rows are one element, if HBM has them in one piece
  Bytes packet;                      // most payload of one packet
  std::uint64_t packet_elements;     // most descriptors of one packet
  Bytes collective_packet;           // most payload of one packet of a transfer that a collective core rings
  std::uint64_t collective_engines;  // engines that such a transfer is distributed to
  Duration doorbell_sync, doorbell_scalar, doorbell_gpsimd;  // time of the instruction, by queue
  Duration pitch_sync, pitch_scalar, pitch_gpsimd;           // doorbell start to doorbell start
  Duration first_doorbell;                                   // added for the first one of a queue
  Duration start_up;                                         // doorbell end -> first engine starts
  Duration skew_near, skew_half, skew_far;                   // engine starts, see skew_of()
  Duration cold_read;                                        // an engine's first read of HBM
  Duration write_sbuf, write_hbm;                            // read finished -> written and acknowledged
  Bytes write_drain;                                         // per cycle, of writes held up by another
  Duration semaphore_write;                                  // data acknowledged -> semaphore acknowledged
  Duration semaphore_return;                                 // its value visible -> acknowledged
  Duration increment_spacing;                                // of one semaphore
  Duration small_element;                                    // DRAM to DRAM, below `small_element_bytes`
  std::uint64_t small_element_spread;                        // per cent, slowest engine over the mean
  Bytes small_element_bytes;
  Duration hardware_dge;                                // one instruction of a hardware generator
  Duration software_descriptor;                         // of GpSimd, for each element
  std::uint64_t transpose_from_hbm, transpose_on_chip;  // per cent of the throughput, by source
  bool adds_in_sbuf;                                    // SBUF itself adds what arrives
  std::uint64_t remote_window;                          // packets an engine may have waiting for the fabric
  Bytes read_window;           // limit of bytes issued and not handed on; an engine then pauses
  std::uint64_t read_packets;  // the same limit in packets
  Bytes write_window;          // limit of bytes handed on to HBM and not accepted there
  std::uint64_t write_packets;
  Duration look_ahead;  // how far ahead of the simulation packets are issued, no further than start_up
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
