// SPDX-License-Identifier: Apache-2.0
// What of a loaded machine has a name: tensors as core0.NAME, and what lies in SBUF and PSUM by what fills
// it, core0.sbuf.load_of_a and core0.psum.matmul (runtime/report/memory/program_buffers.h). Of equal names on a core
// the second, in the order of allocation or of its place, is NAME~2. Characters that no name of a program has
// become '_'.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/checkpoint/box.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/report/memory/program_buffers.h"

namespace tahoma::runtime {

class Catalogue {
 public:
  explicit Catalogue(const Machine& machine);

  struct Item {
    std::string name;
    Checkpoint::Kind kind = Checkpoint::Kind::kTensor;
    std::uint32_t core = 0;
    isa::DType dtype = isa::DType::kFp32;  // of a tile: that of its first write by what it is named after
    std::vector<std::uint64_t> shape;      // of a tile: partitions x elements in one of them
    Box box;                               // of a tensor its address alone
  };
  const std::vector<Item>& items() const { return items_; }

  // The tensor or tile that a core's box lies in, "" if none.
  std::string holder_of(std::uint32_t core, const Box& box) const;
  std::vector<std::byte> values(const Item& item) const;

 private:
  struct Known {  // a program that several cores may run
    std::unique_ptr<ProgramBuffers> buffers;
    std::vector<std::string> names;  // of its buffers
    std::vector<isa::DType> dtypes;
  };
  void add_tensors();
  void add_tiles(std::uint32_t core, const isa::Program& program);
  const Known& known(const isa::Program& program);

  const Machine& machine_;
  std::vector<Item> items_;
  std::map<const isa::Program*, Known> programs_;
  std::map<std::uint64_t, std::size_t> tensors_;  // of items_, by address
};

}  // namespace tahoma::runtime
