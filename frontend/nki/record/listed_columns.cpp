// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/listed_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

using isa::FieldKind;

constexpr unsigned kTensorGroups = 2;  // groups of 16 partitions that share a list, for the tensor engine

bool copies(const isa::Instruction& fields, const std::vector<Trace::Given>& given) {
  return fields.op == isa::Opcode::kTensorCopy && given.size() == 2 &&
         given[0].view.element == given[1].view.element;
}

View scratch_like(Trace& trace, const View& listed, Buffer buffer = Buffer::kSbuf) {
  Storage storage;
  storage.name = "columns";
  storage.buffer = buffer;
  storage.element = listed.element;
  storage.shape = listed.shape();
  return whole(trace.declare(std::move(storage)));
}

Recorded& copy_columns(Trace& trace, const View& listed, const View& tile, bool gathers,
                       std::optional<isa::Queue> engine, unsigned groups = 1) {
  isa::Instruction fields;
  fields.op = gathers ? isa::Opcode::kGatherColumns : isa::Opcode::kScatterColumns;
  const View& base = *listed.dynamic.base;
  if (listed.dims.size() != 2 || listed.dims[0] != base.dims[0] || listed.offset != base.offset)
    refuse("E-NKI-003",
           fmt::format("{} is a part of listed columns; expected all of them: take parts of the index",
                       listed.text()));
  fields.extent = static_cast<std::uint32_t>(base.elements() / base.dims[0].count);
  fields.valid = static_cast<std::uint32_t>(listed.dims[1].count);
  fields.per_index = static_cast<std::uint8_t>(groups);
  return trace.compute(
      fields,
      {{gathers ? FieldKind::kGatheredDst : FieldKind::kScatteredDst, gathers ? tile : base},
       {gathers ? FieldKind::kGatherSource : FieldKind::kListedSource, gathers ? base : tile},
       {FieldKind::kSrc1, *listed.dynamic.index}},
      engine);
}

}  // namespace

View listed_columns(const View& view, const View& index, std::optional<std::int64_t> count) {
  if (!view.on_chip() || view.dynamic.kind != Dynamic::Kind::kNone)
    refuse("E-NKI-003",
           fmt::format("indirect of {}; expected a tensor in SBUF or PSUM without offsets", view.text()));
  if (index.storage->buffer != Buffer::kSbuf || index.dims[0].count != view.dims[0].count)
    refuse("E-NKI-003", fmt::format("indirect of {}: index {}; expected a tensor in SBUF with {} partitions",
                                    view.text(), index.text(), view.dims[0].count));
  View listed = view;
  listed.dynamic.kind = Dynamic::Kind::kColumns;
  listed.dynamic.index = std::make_shared<const View>(index);
  listed.dynamic.base = std::make_shared<const View>(view);
  listed.dims = {view.dims[0], {1, count.value_or(index.elements())}};
  return listed;
}

bool lists_columns(const View& view) { return view.dynamic.kind == Dynamic::Kind::kColumns; }

Recorded& compute_on_columns(Trace& trace, const isa::Instruction& fields,
                             const std::vector<Trace::Given>& given, std::optional<isa::Queue> engine,
                             const Axes& pattern) {
  if (copies(fields, given) && lists_columns(given[0].view) != lists_columns(given[1].view)) {
    const bool first = lists_columns(given[0].view);
    const Trace::Given& listed = given[first ? 0 : 1];
    return copy_columns(trace, listed.view, given[first ? 1 : 0].view, listed.field == FieldKind::kSrc0,
                        engine);
  }
  std::deque<View> tiles;  // in the place of listed columns
  std::vector<Trace::Given> direct;
  std::vector<const Trace::Given*> written;
  for (const Trace::Given& g : given) {
    if (!lists_columns(g.view)) {
      direct.push_back(g);
      continue;
    }
    direct.push_back({g.field, tiles.emplace_back(scratch_like(trace, g.view))});
    if (isa::traits_of(g.field).role == isa::Role::kWrite)
      written.push_back(&g);
    else
      copy_columns(trace, g.view, tiles.back(), true, engine);
  }
  Recorded* last = &trace.compute(fields, direct, engine, pattern);
  for (const Trace::Given* listed : written)
    last = &copy_columns(trace, listed->view, direct[static_cast<std::size_t>(listed - given.data())].view,
                         false, engine);
  return *last;
}

View tile_for(Trace& trace, const View& listed) {
  return scratch_like(trace, listed, listed.storage->buffer);
}

Recorded& scatter(Trace& trace, const View& listed, const View& tile) {
  return copy_columns(trace, listed, tile, false, isa::Queue::kVector, kTensorGroups);
}

View array_operand(Trace& trace, const View& view) {
  if (!lists_columns(view)) return view;
  const View tile = scratch_like(trace, view);
  copy_columns(trace, view, tile, true, isa::Queue::kVector, kTensorGroups);
  return tile;
}

}  // namespace tahoma::runtime::nki
