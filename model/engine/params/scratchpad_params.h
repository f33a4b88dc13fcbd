// SPDX-License-Identifier: Apache-2.0
// Parameters of SBUF and PSUM.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

struct SbufParams {
  std::uint64_t partitions;
  Bytes per_partition, usable;
  Frequency clock;
  Bytes long_stride;      // a larger innermost stride uses the memory's slow path
  Bytes word;             // width of one write
  Cycles strided_access;  // one element of an innermost stride above 16 bytes
  Cycles partial_write;   // the same for a write of an element smaller than a word
  Bandwidth shared_port;  // of one partition, each direction: the vector engine and GpSimd together
  void declare(ParamTree& t);
};
struct PsumParams {
  Bytes per_partition, bank;
  bool bank_turns;  // engines take turns in a bank
  bool lane_turns;  // the vector and the scalar engine take turns, whatever the bank
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
