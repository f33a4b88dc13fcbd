// SPDX-License-Identifier: Apache-2.0
#include "model/check/report.h"

#include <fmt/format.h>

#include "isa/core/source_place.h"
#include "isa/table/table.h"

namespace tahoma::model::check {
namespace {

// Returns the lowest partition of a stripe as a separate tile.
Footprint one_partition(const Stripe& stripe) {
  Footprint f;
  f.begin = stripe.begin;
  f.end = stripe.end;
  f.run = f.end - f.begin;
  while ((stripe.partitions >> f.partition & 1) == 0) ++f.partition;
  f.partition = static_cast<std::uint16_t>(f.partition + stripe.first);
  return f;
}

}  // namespace

void Report::add(Kind kind, const Origin& a, const Origin& b, const std::function<std::string()>& text) {
  findings_.add(kind, a, b, {place_of(a), place_of(b)}, text);
}

std::string Report::source_of(const Origin& o) const {
  const auto program = programs_.find(o.core);
  return program == programs_.end() ? "" : isa::source_place(*program->second, o.queue, o.index);
}

std::string Report::place_of(const Origin& o) const {
  if (std::string source = source_of(o); !source.empty()) return source;
  const auto program = programs_.find(o.core);
  return fmt::format("{}.{}[{}]", program == programs_.end() ? name_(o.core) : program->second->name,
                     isa::name_of(o.queue), o.index);
}

std::string Report::text_of(const Origin& o) const {
  const std::string ring = o.ring == kNoRing ? "" : fmt::format(" on ring {}", o.ring);
  std::string place = source_of(o);
  if (!place.empty()) place = " of " + place;
  return fmt::format("{}.{}[{}] {}{}{} at {:.3f} ns", name_(o.core), isa::name_of(o.queue), o.index,
                     isa::row_of(o.op).mnemonic, place, ring, o.time.ns());
}

void Report::redundant(const Race& race) {
  if (!race.first.write || !race.second.write) return;
  findings_.add_redundant(race.first.origin, race.second.origin, [&] {
    return fmt::format(
        "{} and {} write the same values: {}", text_of(race.first.origin), text_of(race.second.origin),
        check::text_of(isa::Space::kHbm, common_box(race.first.footprint, race.second.footprint)));
  });
}

void Report::race(const Race& race, isa::Space space) {
  const Record &first = race.first, &second = race.second;
  add(Kind::kRace, first.origin, second.origin, [&] {
    return fmt::format("{} {} what {} {}, and no semaphore orders them: {}", text_of(second.origin),
                       second.write ? "writes" : "reads", text_of(first.origin),
                       first.write ? "writes" : "reads",
                       check::text_of(space, common_box(first.footprint, second.footprint)));
  });
}

void Report::unwritten(const Origin& reader, isa::Space space, const Footprint& tile, const Footprint& gap) {
  add(Kind::kUninitialised, reader, reader, [&] {
    return fmt::format("{} reads {}; nothing has written {}", text_of(reader), check::text_of(space, tile),
                       check::text_of(space, gap));
  });
}

void Report::unwritten(const Origin& reader, isa::Space space, const Footprint& tile, const Stripe& gap) {
  unwritten(reader, space, tile, one_partition(gap));
}

void Report::open_group(const Origin& reader, const Footprint& tile, const Stripe& open) {
  add(Kind::kOpenGroup, reader, reader, [&] {
    return fmt::format("{} reads {}; further matmuls of its accumulation group add to {}", text_of(reader),
                       check::text_of(isa::Space::kPsum, tile),
                       check::text_of(isa::Space::kPsum, one_partition(open)));
  });
}

void Report::no_group(const Origin& matmul, const Footprint& tile, const Stripe& gap) {
  add(Kind::kNoGroup, matmul, matmul, [&] {
    return fmt::format("{} adds to {}; no matmul wrote {} last", text_of(matmul),
                       check::text_of(isa::Space::kPsum, tile),
                       check::text_of(isa::Space::kPsum, one_partition(gap)));
  });
}

void Report::ambiguous(const Origin& waiter, const Origin& counted, const Origin& also) {
  add(Kind::kSemaphore, waiter, also, [&] {
    return fmt::format(
        "{} waits for semaphore {} to count {}, but {} may have raised it instead: nothing orders them",
        text_of(waiter), semaphore_, text_of(counted), text_of(also));
  });
}

void Report::unordered_set(const Origin& first, const Origin& second) {
  add(Kind::kSemaphore, first, second, [&] {
    return fmt::format("{} and {} use semaphore {}, one of them sets it, and nothing orders them",
                       text_of(first), text_of(second), semaphore_);
  });
}

}  // namespace tahoma::model::check
