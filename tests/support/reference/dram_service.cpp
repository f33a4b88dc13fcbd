// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/dram_service.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "tests/support/reference/dram_rules.h"

namespace tahoma::tests {
namespace {

using dram::Done, dram::Segment;
using Row = std::tuple<bool, std::uint8_t, std::uint8_t, std::uint32_t>;  // write, pseudo, bank, row

Row row_of(const Segment& s) { return {s.write, s.pseudo, s.bank, s.row}; }
Row row_of(const Command& c) { return {c.kind == CommandKind::kWrite, c.pseudo, c.bank, c.row}; }

std::map<Row, std::vector<Tick>> columns_by_row(const std::vector<Command>& log) {
  std::map<Row, std::vector<Tick>> times;
  for (const Command& c : log)
    if (is_column(c.kind)) times[row_of(c)].push_back(c.at);
  return times;
}

void judge_counts(const std::vector<Segment>& traffic, const std::map<Row, std::vector<Tick>>& columns,
                  std::vector<std::string>& wrong) {
  std::map<Row, std::size_t> asked;
  for (const Segment& s : traffic) asked[row_of(s)] += s.accesses;
  for (const auto& [row, times] : columns) asked.try_emplace(row, 0);
  for (const auto& [row, accesses] : asked) {
    const auto found = columns.find(row);
    const std::size_t given = found == columns.end() ? 0 : found->second.size();
    if (given != accesses)
      wrong.push_back(fmt::format("{} of pseudo {} bank {} row {}: {} of {} accesses",
                                  std::get<0>(row) ? "writes" : "reads", std::get<1>(row), std::get<2>(row),
                                  std::get<3>(row), given, accesses));
  }
}

void judge_segment(const DramSetup& setup, const Segment& s, const Done& d, const std::vector<Tick>& columns,
                   std::vector<std::string>& wrong) {
  const dram::Timing& t = setup.timing;
  const auto issued = [&](Tick at) { return std::binary_search(columns.begin(), columns.end(), at); };
  const auto complain = [&](const char* what) {
    wrong.push_back(fmt::format("segment {}: {}", s.tag, what));
  };
  if (d.tag != s.tag || d.write != s.write) return complain("reported as another");
  if (s.write) {
    if (d.first < s.arrival || d.last != d.first) complain("a write ends when it enters its queue");
    return;
  }
  if (d.first - t.cl < s.arrival) complain("served before it arrived");
  if (!issued(d.first - t.cl)) complain("no command for its first data");
  if (!issued(d.last - t.cl - t.burst)) complain("no command for its last data");
  if (d.last - d.first < (s.accesses - 1) * t.ccd_long + t.burst) complain("faster than its data");
}

// Writes that have entered minus the commands issued before must not exceed the size of the queue, and of
// what banks hold: each at most one segment.
void judge_write_queue(const DramSetup& setup, const std::vector<Segment>& traffic, const Service& service,
                       std::vector<std::string>& wrong) {
  std::map<Tick, std::int64_t> change;
  for (const Segment& s : traffic)
    if (s.write && s.tag < service.done.size()) change[service.done[s.tag].first] += s.accesses;
  for (const Command& c : service.log)
    if (c.kind == CommandKind::kWrite) --change[c.at + 1];
  std::int64_t queued = 0, longest = 0, most = setup.policy.write_queue;
  for (const Segment& s : traffic) longest = std::max<std::int64_t>(longest, s.accesses);
  if (setup.policy.queue_exit == dram::QueueExit::kActivate)
    most += longest * setup.organisation.pseudo_channels * setup.organisation.all_banks();
  for (const auto& [at, by] : change)
    if ((queued += by) > most)
      return wrong.push_back(
          fmt::format("at {} there are {} writes in a queue of {}", at, queued, setup.policy.write_queue));
}

}  // namespace

std::vector<std::string> complaints(const DramSetup& setup, const std::vector<Segment>& traffic,
                                    const Service& service) {
  std::vector<std::string> wrong;
  const auto columns = columns_by_row(service.log);
  judge_counts(traffic, columns, wrong);
  if (service.done.size() != traffic.size())
    wrong.push_back(fmt::format("{} of {} segments reported", service.done.size(), traffic.size()));
  for (std::size_t n = 0; n < std::min(traffic.size(), service.done.size()); ++n) {
    const auto of_row = columns.find(row_of(traffic[n]));
    judge_segment(setup, traffic[n], service.done[n],
                  of_row == columns.end() ? std::vector<Tick>{} : of_row->second, wrong);
  }
  judge_write_queue(setup, traffic, service, wrong);
  return wrong;
}

std::optional<std::string> difference(const Service& a, const Service& b) {
  // Commands of one tick are on several buses: their order has no meaning.
  const Tick end = std::min(a.end, b.end);
  const auto ordered = [end](std::vector<Command> log) {
    std::erase_if(log, [end](const Command& c) { return c.at > end; });
    std::stable_sort(log.begin(), log.end(), [](const Command& x, const Command& y) {
      return std::tuple(x.at, is_column(x.kind), x.pseudo) < std::tuple(y.at, is_column(y.kind), y.pseudo);
    });
    return log;
  };
  const auto same = [](const Command& x, const Command& y) {
    const bool has_row = is_column(x.kind) || x.kind == CommandKind::kActivate;
    return x.at == y.at && x.kind == y.kind && x.pseudo == y.pseudo && x.bank == y.bank &&
           (!has_row || x.row == y.row);
  };
  const auto left = ordered(a.log), right = ordered(b.log);
  for (std::size_t n = 0; n < std::max(left.size(), right.size()); ++n) {
    if (n >= left.size()) return fmt::format("command {}: nothing / {}", n, text(right[n]));
    if (n >= right.size()) return fmt::format("command {}: {} / nothing", n, text(left[n]));
    if (!same(left[n], right[n])) return fmt::format("command {}: {} / {}", n, text(left[n]), text(right[n]));
  }
  if (a.done.size() != b.done.size())
    return fmt::format("{} / {} segments reported", a.done.size(), b.done.size());
  for (std::size_t n = 0; n < a.done.size(); ++n) {
    const Done &x = a.done[n], &y = b.done[n];
    if (x.tag != y.tag || x.write != y.write || x.first != y.first || x.last != y.last)
      return fmt::format("segment {} from {} to {} / {} from {} to {}", x.tag, x.first, x.last, y.tag,
                         y.first, y.last);
  }
  return std::nullopt;
}

Tick last_data(const DramSetup& setup, const Service& service) {
  const dram::Timing& t = setup.timing;
  Tick last = 0;
  for (const Command& c : service.log)
    if (is_column(c.kind))
      last = std::max(last, c.at + (c.kind == CommandKind::kRead ? t.cl : t.cwl) + t.burst);
  return last;
}

}  // namespace tahoma::tests
