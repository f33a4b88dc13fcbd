// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/table/table_names.h"
#include "isa/text/assembler.h"
#include "model/base/error.h"
#include "report/checkpoint/destination.h"
#include "runtime/run/core_name.h"
#include "runtime/run/region_names.h"

namespace tahoma::runtime {

namespace {

// Returns "core0.vector" for "core*.vector".
std::string queue_name(std::uint32_t core, std::uint8_t queue) {
  return fmt::format("core{}.{}", core, isa::name_of(static_cast<isa::Queue>(queue)));
}

}  // namespace

Checkpoints::Checkpoints(const CheckpointOptions& options, model::Mode mode) {
  check_tolerance(options.tolerance, !options.compare_with.empty(), "--compare-with DIR");
  if (options.any() && mode != model::Mode::kFunctional)
    throw base::UserError("E-CKP-001", options.dump.empty() ? "--compare-with" : "--dump",
                          "needs functional mode: timing mode computes no values");
  if (!options.compare_with.empty()) {
    comparison_.emplace(read_dumps(options.compare_with), options.tolerance);
    for (const std::string& text : comparison_->reference().requests) wish(text, true);
  }
  for (const std::string& text : options.dump) wish(text, false);
  requests_ = options.dump;
}

void Checkpoints::wish(const std::string& text, bool of_reference) {
  auto known = std::find_if(wishes_.begin(), wishes_.end(),
                            [&](const Wish& wish) { return wish.request.text == text; });
  if (known == wishes_.end()) known = wishes_.insert(wishes_.end(), {parse_dump(text)});
  (of_reference ? known->of_reference : known->of_user) = true;
}

void Checkpoints::attach(Machine& machine) {
  machine_ = &machine;
  catalogue_.emplace(machine);
  points_.emplace(machine.programs());
  for (const auto& [core, program] : machine.programs())
    for (std::size_t q = 0; q < isa::kQueueCount; ++q) counts_[core][q].resize(program->streams[q].size());
  for (const Wish& wish : wishes_) resolve(wish);
  machine.observe_results(this);
  if (!points_->empty()) machine.observe(this);
}

void Checkpoints::resolve(const Wish& wish) {
  const DumpRequest& request = wish.request;
  if (request.results) return resolve_results(wish);
  bool found = false;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < catalogue_->items().size(); ++n) {
    const Catalogue::Item& item = catalogue_->items()[n];
    names.push_back(item.name);
    if (!matches(request.name, item.name)) continue;
    found = true;
    const Snapshot snapshot{n, item.name + request.point.text(), wish.of_reference, wish.of_user};
    if (request.point.kind == DumpPoint::Kind::kEnd) {
      at_end_.push_back(snapshot);
      continue;
    }
    at_point_.resize(points_->add(item.core, request.point, request.text) + 1);
    at_point_.back().push_back(snapshot);
  }
  if (!found)
    throw base::UserError("E-CKP-003", "dump '" + request.text + "'",
                          fmt::format("there is no tensor or tile '{}'{}", request.name,
                                      base::did_you_mean(request.name, names)));
}

bool Checkpoints::wants_instruction(const DumpRequest& request, std::uint32_t core, std::uint8_t queue,
                                    std::uint32_t index) const {
  return request.results && (!request.index || *request.index == index) &&
         matches(request.name, queue_name(core, queue));
}

void Checkpoints::resolve_results(const Wish& wish) const {
  const DumpRequest& request = wish.request;
  std::vector<std::string> names;
  for (const auto& [core, program] : machine_->programs())
    for (std::uint8_t q = 0; q < isa::kQueueCount; ++q) {
      const isa::Stream& stream = program->streams[q];
      if (!stream.empty()) names.push_back(queue_name(core, q));
      if (!matches(request.name, queue_name(core, q))) continue;
      for (std::uint32_t i = request.index.value_or(0); i < stream.size(); ++i) {
        for (const Destination& d : destinations_of(*program, stream[i]))
          if (request.field.empty() || request.field == d.field) return;
        if (request.index) break;
      }
    }
  throw base::UserError("E-CKP-003", "dump '" + request.text + "'",
                        fmt::format("there is no such instruction that writes memory{}",
                                    base::did_you_mean(request.name, names)));
}

void Checkpoints::result(const base::ResultActivity& a) {
  take(a, ++counts_.at(a.core)[a.queue][a.index]);
  for (const std::size_t point : points_->reached_by(a))
    for (const Snapshot& snapshot : at_point_[point]) take(snapshot, a.start);
}

void Checkpoints::instruction(const base::InstructionActivity& a) {
  for (const std::size_t point : points_->reached_by(a))
    for (const Snapshot& snapshot : at_point_[point]) take(snapshot, a.start);
}

void Checkpoints::take(const base::ResultActivity& a, std::uint32_t occurrence) {
  std::vector<const Wish*> wanted;
  for (const Wish& wish : wishes_)
    if (wants_instruction(wish.request, a.core, a.queue, a.index) &&
        wish.request.occurrence.value_or(occurrence) == occurrence)
      wanted.push_back(&wish);
  if (wanted.empty()) return;
  const isa::Program& program = *machine_->programs().at(a.core);
  const isa::Instruction& instruction = program.streams[a.queue][a.index];
  const std::vector<Destination> destinations = destinations_of(program, instruction, a);
  for (const Destination& d : destinations) {
    bool expected = false, dumped = false;
    for (const Wish* wish : wanted) {
      if (!wish->request.field.empty() && wish->request.field != d.field) continue;
      expected = expected || wish->of_reference;
      dumped = dumped || wish->of_user;
    }
    if (!expected && !dumped) continue;
    Checkpoint c;
    c.name = fmt::format("{}[{}]", queue_name(a.core, a.queue), a.index);
    if (occurrence > 1) c.name += fmt::format("#{}", occurrence);
    if (&d != &destinations.front()) c.name += fmt::format(".{}", d.field);
    c.core = a.core;
    c.instruction = Checkpoint::Executed{static_cast<isa::Queue>(a.queue), a.index, occurrence,
                                         isa::disassemble(instruction, program)};
    c.memory = text_of(d.box);
    c.tile = catalogue_->holder_of(a.core, a.queue, a.index, d.box);
    c.region = region_name_at(program, a.queue, a.index);
    c.time = a.start;
    c.dtype = d.box.dtype;
    c.shape = shape_of(d.box);
    c.values = values_of(*machine_, a.core, d.box);
    keep(std::move(c), expected, dumped);
  }
}

void Checkpoints::take(const Snapshot& snapshot, base::Time time) {
  const Catalogue::Item& item = catalogue_->items()[snapshot.item];
  Checkpoint c;
  c.name = snapshot.name;
  c.kind = item.kind;
  c.core = item.core;
  c.memory = text_of(item.box);
  c.tile = item.name;
  c.time = time;
  c.dtype = item.dtype;
  c.shape = item.shape;
  c.values = catalogue_->values(item);
  keep(std::move(c), snapshot.expected, snapshot.dumped);
}

void Checkpoints::keep(Checkpoint c, bool expected, bool dumped) {
  c.instance = core_path(machine_->params(), c.core);
  if (comparison_) comparison_->add(c, expected);
  if (writer_ && dumped) writer_->write(std::move(c));
}

void Checkpoints::finish(base::Duration elapsed) {
  points_->refuse_unreached();
  for (const Snapshot& snapshot : at_end_) take(snapshot, base::Time{} + elapsed);
  if (writer_) writer_->finish(requests_);
  if (comparison_) comparison_->finish();
}

}  // namespace tahoma::runtime
