// SPDX-License-Identifier: Apache-2.0
// A folder of dumped checkpoints: one .npy file each (element types as in runtime/host/npy_dtype.h: bf16 as
// float32) and index.json, which describes them:
//   schema_version
//   requests      the requests that produced the folder
//   checkpoints   by time, each with: name, file, kind (result, tile, tensor), core, instance, memory, tile,
//                 region, time_ns, dtype, shape; a result also has its instruction: queue, index,
//                 occurrence, text
// A folder without index.json, written by another tool, has the names as file names: core0.out.npy,
// core0.psum.matmul@attention.npy.
//
// UserError: E-CKP-006, a folder without dumps; E-CKP-007, an index that tahoma did not write, or that lists
// a missing file; E-OUT-003, a file that cannot be written.
#pragma once

#include <string>
#include <vector>

#include "report/checkpoint/checkpoint.h"
#include "runtime/host/npy.h"

namespace tahoma::runtime {

class DumpWriter {
 public:
  explicit DumpWriter(std::string folder) : folder_(std::move(folder)) {}
  void write(Checkpoint checkpoint);
  void finish(const std::vector<std::string>& requests);  // writes the index

 private:
  std::string folder_;
  std::vector<Checkpoint> written_;  // without their values
};

struct Dumps {
  std::string folder;
  bool indexed = false;
  std::vector<std::string> requests;    // without an index: the file names
  std::vector<Checkpoint> checkpoints;  // without values; without an index only their names
  NpyArray values(const std::string& name) const;
};

// `path` is the folder itself, or a folder of `tahoma run` that contains it.
Dumps read_dumps(const std::string& path);

}  // namespace tahoma::runtime
