// SPDX-License-Identifier: Apache-2.0
// The named parts of a loaded machine: tensors as core0.NAME, and allocations in SBUF and PSUM by the
// operation that fills them, core0.sbuf.load_of_a and core0.psum.matmul
// (report/memory/program_buffers.h). If two names on a core are equal, the second, in the order of
// allocation or of addresses, becomes NAME~2. Characters that cannot occur in names of a program become '_'.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/checkpoint/box.h"
#include "report/checkpoint/checkpoint.h"
#include "report/memory/program_buffers.h"

namespace tahoma::runtime {

class Catalogue {
 public:
  explicit Catalogue(const Machine& machine);

  struct Item {
    std::string name;
    Checkpoint::Kind kind = Checkpoint::Kind::kTensor;
    std::uint32_t core = 0;
    // For a tile, the dtype of its first write by the operation that it is named after
    isa::DType dtype = isa::DType::kFp32;
    std::vector<std::uint64_t> shape;  // of a tile: partitions x elements in one of them
    Box box;                           // of a tensor: its address only
  };
  const std::vector<Item>& items() const { return items_; }

  // The tensor or tile that contains a box which an instruction of a core has written; "" if there is none.
  std::string holder_of(std::uint32_t core, std::uint8_t queue, std::uint32_t index, const Box& box) const;
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
