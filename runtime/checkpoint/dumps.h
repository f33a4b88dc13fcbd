// SPDX-License-Identifier: Apache-2.0
// A folder of dumped checkpoints: one .npy file each (element types as in runtime/host/npy_dtype.h: bf16 as
// float32) and index.json, which says what they are:
//   schema_version, requests        those that the folder was made with
//   checkpoints: by time, each      name, file, kind (result, tile, tensor), core, instance, memory, tile,
//                                   region, time_ns, dtype, shape, and of a result its instruction: queue,
//                                   index, occurrence, text
// A folder without index.json, made by another tool, has the names in its files' names: core0.out.npy,
// core0.psum.matmul@attention.npy.
//
// UserError: E-CKP-006, no folder with dumps; E-CKP-007, an index that is not what tahoma writes, or that
// lists a file which is not there; E-OUT-003, a file that cannot be written.
#pragma once

#include <string>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/host/npy.h"

namespace tahoma::runtime {

class DumpWriter {
 public:
  explicit DumpWriter(std::string folder) : folder_(std::move(folder)) {}
  void write(Checkpoint checkpoint);
  void finish(const std::vector<std::string>& requests);  // the index

 private:
  std::string folder_;
  std::vector<Checkpoint> written_;  // without their values
};

struct Dumps {
  std::string folder;
  bool indexed = false;
  std::vector<std::string> requests;    // without an index: the files' names
  std::vector<Checkpoint> checkpoints;  // without values; without an index only their names
  NpyArray values(const std::string& name) const;
};

// `path` may be the folder itself, or one of `tahoma run` that holds it.
Dumps read_dumps(const std::string& path);

}  // namespace tahoma::runtime
