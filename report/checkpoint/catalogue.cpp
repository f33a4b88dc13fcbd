// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/table/table_names.h"
#include "report/checkpoint/destination.h"
#include "report/checkpoint/dump_request.h"

namespace tahoma::runtime {

namespace {

// Adds numbers to duplicate names.
class Namesakes {
 public:
  std::string name(const std::string& wanted) {
    const unsigned n = ++seen_[wanted];
    return n == 1 ? wanted : fmt::format("{}~{}", wanted, n);
  }

 private:
  std::map<std::string, unsigned> seen_;
};

bool overlaps(const OnChipBuffer& buffer, const isa::Pattern& p) {
  return buffer.space == p.space && p.offset >= buffer.first && p.offset < buffer.end;
}

// The dtype in which each buffer is first written by the operation that it is named after.
std::vector<isa::DType> dtypes_of(const isa::Program& program, const ProgramBuffers& buffers) {
  std::vector<std::optional<isa::DType>> found(buffers.buffers().size());
  for (std::uint8_t queue = 0; queue < isa::kQueueCount; ++queue)
    for (std::uint32_t i = 0; i < program.streams[queue].size(); ++i)
      for (const ProgramBuffers::Access& access : buffers.of(queue, i)) {
        const OnChipBuffer& buffer = buffers.buffers()[access.buffer];
        if (!access.writes || access.filler != buffer.filler || found[access.buffer]) continue;
        for (const Destination& d : destinations_of(program, program.streams[queue][i]))
          if (overlaps(buffer, d.box.pattern) && !found[access.buffer]) found[access.buffer] = d.box.dtype;
      }
  std::vector<isa::DType> dtypes;
  for (const auto& dtype : found) dtypes.push_back(dtype.value_or(isa::DType::kUint8));
  return dtypes;
}

Box box_of(const OnChipBuffer& buffer, isa::DType dtype) {
  Box box;
  const auto size = static_cast<std::uint32_t>(isa::size_of(dtype));
  box.dtype = dtype;
  box.pattern.space = buffer.space;
  box.pattern.partition = static_cast<std::uint16_t>(buffer.partition);
  box.pattern.partitions = static_cast<std::uint16_t>(buffer.past_partition - buffer.partition);
  box.pattern.offset = buffer.first;
  box.pattern.element = size;
  box.pattern.count[3] = static_cast<std::uint32_t>((buffer.end - buffer.first) / size);
  box.pattern.stride[3] = size;
  return box;
}

}  // namespace

Catalogue::Catalogue(const Machine& machine) : machine_(machine) {
  add_tensors();
  for (const auto& [core, program] : machine.programs()) add_tiles(core, *program);
}

void Catalogue::add_tensors() {
  Namesakes names;
  for (const Tensor& tensor : machine_.tensors()) {
    Item item;
    item.name = names.name(fmt::format("core{}.{}", tensor.core, clean_name(tensor.name)));
    item.core = tensor.core;
    item.dtype = tensor.dtype;
    item.shape = tensor.shape;
    item.box.dtype = tensor.dtype;
    item.box.pattern.space = isa::Space::kHbm;
    item.box.pattern.offset = tensor.address;
    tensors_[tensor.address] = items_.size();
    items_.push_back(std::move(item));
  }
}

const Catalogue::Known& Catalogue::known(const isa::Program& program) {
  Known& known = programs_[&program];
  if (known.buffers) return known;
  known.buffers = std::make_unique<ProgramBuffers>(program);
  known.dtypes = dtypes_of(program, *known.buffers);
  Namesakes names;
  for (const OnChipBuffer& buffer : known.buffers->buffers())
    known.names.push_back(names.name(fmt::format("{}.{}", isa::name_of(buffer.space),
                                                 clean_name(known.buffers->fillers()[buffer.filler]))));
  return known;
}

void Catalogue::add_tiles(std::uint32_t core, const isa::Program& program) {
  const Known& tiles = known(program);
  for (std::size_t n = 0; n < tiles.names.size(); ++n) {
    Item item;
    item.name = fmt::format("core{}.{}", core, tiles.names[n]);
    item.kind = Checkpoint::Kind::kTile;
    item.core = core;
    item.dtype = tiles.dtypes[n];
    item.box = box_of(tiles.buffers->buffers()[n], item.dtype);
    item.shape = shape_of(item.box);
    items_.push_back(std::move(item));
  }
}

std::string Catalogue::holder_of(std::uint32_t core, std::uint8_t queue, std::uint32_t index,
                                 const Box& box) const {
  const isa::Pattern& p = box.pattern;
  if (p.space == isa::Space::kHbm) {
    const auto behind = tensors_.upper_bound(p.offset);
    if (behind == tensors_.begin()) return "";
    const Item& item = items_[std::prev(behind)->second];
    std::uint64_t bytes = isa::size_of(item.dtype);
    for (const std::uint64_t extent : item.shape) bytes *= extent;
    return p.offset < item.box.pattern.offset + bytes ? item.name : "";
  }
  const Known& tiles = programs_.at(machine_.programs().at(core).get());
  // Tiles of several variables may share bytes, so the place alone does not tell which one it is.
  for (const ProgramBuffers::Access& access : tiles.buffers->of(queue, index))
    if (access.writes && overlaps(tiles.buffers->buffers()[access.buffer], p))
      return fmt::format("core{}.{}", core, tiles.names[access.buffer]);
  // A register moved the destination.
  const std::vector<OnChipBuffer>& buffers = tiles.buffers->buffers();
  const auto at = std::find_if(buffers.begin(), buffers.end(),
                               [&](const OnChipBuffer& buffer) { return overlaps(buffer, p); });
  if (at == buffers.end()) return "";
  return fmt::format("core{}.{}", core, tiles.names[static_cast<std::size_t>(at - buffers.begin())]);
}

std::vector<std::byte> Catalogue::values(const Item& item) const {
  if (item.kind == Checkpoint::Kind::kTile) return values_of(machine_, item.core, item.box);
  std::uint64_t bytes = isa::size_of(item.dtype);
  for (const std::uint64_t extent : item.shape) bytes *= extent;
  const std::byte* at = machine_.values(item.core, isa::Space::kHbm, item.box.pattern.offset).at;
  return {at, at + bytes};
}

}  // namespace tahoma::runtime
