// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "isa/table/table_names.h"
#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

constexpr std::array<const char*, 3> kInstructionMoments{"start", "next", "end"};
constexpr std::array<const char*, 3> kPacketMoments{"start", "read", "write"};

class Parser {
 public:
  Parser(const std::string& text, const std::function<std::string(std::size_t)>& place)
      : text_(text), place_(place) {}

  Probe probe() {
    Probe parsed = whole_or_interval();
    blanks();
    if (at_ < text_.size()) refuse(at_, fmt::format("superfluous '{}'", text_.substr(at_)));
    return parsed;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& message) const {
    throw base::UserError("E-ACC-008", place_(at), fmt::format("probe '{}': {}", text_, message));
  }

  void blanks() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  bool takes(std::string_view token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!takes(token)) refuse(at_, fmt::format("expected '{}' here", token));
  }

  std::string word() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  // Parses one of `words`; returns its position.
  template <class Words>
  std::size_t choice(const Words& words, const char* kind) {
    const std::size_t begin = at_;
    const std::string given = word();
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end())
      refuse(begin, fmt::format("unknown {} '{}': expected {}{}", kind, given, fmt::join(words, ", "),
                                base::did_you_mean(given, {words.begin(), words.end()})));
    return static_cast<std::size_t>(found - words.begin());
  }

  template <class Integer>
  Integer number() {
    Integer value{};
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) refuse(at_, "expected a whole number here");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  template <class Integer>
  Integer bracketed() {
    expect("[");
    const auto value = number<Integer>();
    expect("]");
    return value;
  }

  Probe whole_or_interval() {
    blanks();
    if (text_.compare(at_, std::string::npos, "time") == 0) return at_ = text_.size(), Whole::kTime;
    if (text_.compare(at_, std::string::npos, "tflops") == 0) return at_ = text_.size(), Whole::kTflops;
    const bool average = takes("(");
    Interval interval;
    blanks();
    interval.to = event();
    blanks();
    expect("-");
    blanks();
    interval.from = event();
    if (average) divide(interval);
    return interval;
  }

  void divide(Interval& interval) {
    for (const char* token : {")", "/"}) {
      blanks();
      expect(token);
    }
    blanks();
    const std::size_t begin = at_;
    interval.count = number<std::uint64_t>();
    if (interval.count == 0) refuse(begin, "expected a count of at least 1");
  }

  Event event() {
    const std::size_t begin = at_;
    static const std::vector<std::string> subjects = [] {
      std::vector<std::string> names;
      for (std::size_t q = 0; q < isa::kQueueCount; ++q)
        names.emplace_back(isa::name_of(static_cast<isa::Queue>(q)));
      names.insert(names.end(), {"dma", "sem"});
      return names;
    }();
    const std::size_t subject = choice(subjects, "subject");
    Event parsed;
    if (subject < isa::kQueueCount)
      parsed.what = instruction(static_cast<isa::Queue>(subject));
    else if (subject == isa::kQueueCount)
      parsed.what = packet();
    else
      parsed.what = semaphore();
    parsed.text = text_.substr(begin, at_ - begin);
    return parsed;
  }

  InstructionEvent instruction(isa::Queue queue) {
    const auto index = bracketed<std::int64_t>();
    expect(".");
    return {queue, index, static_cast<InstructionEvent::Moment>(choice(kInstructionMoments, "moment"))};
  }

  PacketEvent packet() {
    const auto engine = bracketed<std::uint64_t>();
    expect(".ring");
    const auto ring = bracketed<std::uint64_t>();
    const auto index = bracketed<std::int64_t>();
    expect(".");
    return {engine, ring, index, static_cast<PacketEvent::Moment>(choice(kPacketMoments, "moment"))};
  }

  SemaphoreEvent semaphore() {
    const auto which = bracketed<std::uint64_t>();
    expect(">=");
    const std::size_t begin = at_;
    const auto at_least = number<std::int64_t>();
    if (at_least < 1) refuse(begin, "expected a value of at least 1: semaphores begin with 0");
    return {which, at_least};
  }

  const std::string& text_;
  const std::function<std::string(std::size_t)>& place_;
  std::size_t at_ = 0;
};

}  // namespace

Probe parse_probe(const std::string& text, const std::function<std::string(std::size_t)>& place) {
  return Parser(text, place).probe();
}

}  // namespace tahoma::runtime
