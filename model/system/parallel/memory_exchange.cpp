// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/memory_exchange.h"

#include <utility>

#include "isa/core/program.h"
#include "model/base/error.h"

namespace tahoma::model {

namespace {

// Bytes of memory that a process sends to process 0 at once, which has room for as much from every process.
constexpr std::size_t kMostGathered = std::size_t{4} << 20;

}  // namespace

MemoryExchange::MemoryExchange(Processes& processes, const NodeShares& shares, AddressMap& image,
                               bool functional)
    : processes_(processes),
      shares_(shares),
      image_(image),
      functional_(functional),
      sent_(processes.count()) {
  if (functional && !processes.reports()) image.note_written();
}

std::uint32_t MemoryExchange::process_of(std::uint64_t address) const {
  return shares_.process_of(isa::GlobalAddress::from(address).chip);
}

bool MemoryExchange::is_here(std::uint64_t address) const { return process_of(address) == processes_.rank(); }

std::map<std::uint32_t, std::vector<sim::MemoryRange>> MemoryExchange::by_process(
    const std::vector<sim::MemoryRange>& ranges) const {
  std::map<std::uint32_t, std::vector<sim::MemoryRange>> parts;
  for (const sim::MemoryRange& range : ranges) parts[process_of(range.address)].push_back(range);
  return parts;
}

void MemoryExchange::fetch(const std::vector<sim::MemoryRange>& ranges, std::function<void()> then) {
  const auto parts = by_process(ranges);
  const std::uint64_t number = next_++;
  waiting_[number] = {static_cast<std::uint32_t>(parts.size()), std::move(then)};
  for (const auto& [process, part] : parts) sent_[process](Kind::kFetch, number, part);
}

void MemoryExchange::send(const std::vector<sim::MemoryRange>& ranges) {
  for (const auto& [process, part] : by_process(ranges)) {
    sent_[process](Kind::kWrite);
    put_contents(sent_[process], part);
  }
}

ByteString MemoryExchange::take_sent(std::uint32_t process) {
  return std::exchange(sent_[process].bytes(), {});
}

void MemoryExchange::deliver(std::uint32_t from_process, const ByteString& received) {
  base::ByteReader from(received);
  while (!from.empty()) {
    Kind kind{};
    from(kind);
    if (kind == Kind::kWrite) {
      take_contents(from, true);
      continue;
    }
    std::uint64_t number = 0;
    from(number);
    if (kind == Kind::kAnswer) {
      take_contents(from, false);
      answered(number);
      continue;
    }
    std::vector<sim::MemoryRange> ranges;
    from(ranges);
    sent_[from_process](Kind::kAnswer, number);
    put_contents(sent_[from_process], ranges);
  }
}

void MemoryExchange::answered(std::uint64_t number) {
  const auto found = waiting_.find(number);
  TAHOMA_INVARIANT(found != waiting_.end(), "bytes arrive for which nothing waits");
  if (--found->second.answers > 0) return;
  const std::function<void()> then = std::move(found->second.then);
  waiting_.erase(found);
  then();
}

void MemoryExchange::put_contents(base::ByteWriter& to, const std::vector<sim::MemoryRange>& ranges) const {
  to(ranges.size());
  for (const sim::MemoryRange& range : ranges) {
    const bool has_values = functional_ || image_.known().contains(range.address, range.bytes);
    to(range, has_values);
    if (has_values) to.copy(image_.at(range.address, range.bytes), range.bytes);
  }
}

void MemoryExchange::take_contents(base::ByteReader& from, bool written) {
  std::size_t ranges = 0;
  from(ranges);
  for (; ranges > 0; --ranges) {
    sim::MemoryRange range;
    bool has_values = false;
    from(range, has_values);
    if (has_values) from.copy(image_.at(range.address, range.bytes), range.bytes);
    if (written) image_.wrote(range.address, range.bytes);
    if (functional_) continue;
    if (has_values)
      image_.known().add(range.address, range.bytes);
    else
      image_.known().remove(range.address, range.bytes);
  }
}

void MemoryExchange::gather_written() {
  std::vector<sim::MemoryRange> left;
  if (!processes_.reports())
    image_.written().each([&](std::uint64_t page) { left.push_back({page, image_.page_bytes(page)}); });
  for (std::size_t next = 0;;) {
    base::ByteWriter part;
    for (; next < left.size() && part.bytes().size() < kMostGathered; ++next)
      put_contents(part, {left[next]});
    for (const ByteString& bytes : processes_.gather(part.bytes())) {
      base::ByteReader from(bytes);
      while (!from.empty()) take_contents(from, false);
    }
    if (processes_.least({next < left.size() ? 0 : 1})[0] == 1) return;
  }
}

void MemoryExchange::filled(std::uint64_t address, std::uint64_t bytes) {
  if (functional_ && !processes_.reports() && !is_here(address)) image_.forget(address, bytes);
}

}  // namespace tahoma::model
