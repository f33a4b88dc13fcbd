// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/stepped_channel.h"

#include "model/base/error.h"

namespace tahoma::tests {

using dram::Segment;

namespace {
constexpr Tick kTicksOfCycle = 2;
}

SteppedChannel::SteppedChannel(const dram::Organisation& organisation, const dram::Timing& timing,
                               const dram::Policy& policy, dram::CommandLog* log)
    : organisation_(organisation), timing_(timing), policy_(policy), log_(log) {
  for (std::uint32_t pseudo = 0; pseudo < organisation.pseudo_channels; ++pseudo)
    for (std::uint32_t n = 0; n < organisation.all_banks(); ++n)
      banks_.push_back({pseudo, n, n / organisation.banks_per_stack_id(), n / organisation.banks});
  activates_.resize(organisation.pseudo_channels);
}

void SteppedChannel::submit(const Segment& segment) {
  TAHOMA_INVARIANT(segment.accesses <= (segment.write ? policy_.write_queue : policy_.read_queue),
                   "too long");
  (segment.write ? writes_ : reads_).line.push_back(segment);
}

void SteppedChannel::advance(Tick until) {
  for (; now_ <= until; ++now_) step();
}

void SteppedChannel::step() {
  admit(reads_, policy_.read_queue);
  admit(writes_, policy_.write_queue);
  choose_mode();
  ask_for_refreshes();
  if (now_ >= row_bus_free_) (void)(refresh() || serve_row() || close_idle_row());
  serve_columns();
}

void SteppedChannel::serve_columns() {
  if (policy_.column_bus == dram::ColumnBus::kArbitrated) {
    if (now_ % kTicksOfCycle == 0) (void)(serve_column(held_, {}) || serve_column(served(), {}));
    return;
  }
  for (std::uint32_t pseudo = 0; pseudo < organisation_.pseudo_channels; ++pseudo)
    if ((now_ - dram::slot_phase(timing_, pseudo, organisation_.pseudo_channels)) % timing_.column_slot == 0)
      (void)(serve_column(held_, pseudo) || serve_column(served(), pseudo));
}

void SteppedChannel::admit(Queue& queue, std::uint32_t size) {
  while (!queue.line.empty() && queue.line.front().arrival <= now_ &&
         queue.accesses + queue.line.front().accesses <= size) {
    const Segment segment = queue.line.front();
    queue.line.pop_front();
    queue.segments.push_back({segment, 0, 0, next_age_++});
    queue.accesses += segment.accesses;
    queue.most = std::max(queue.most, queue.accesses);
    if (segment.write) finished_.push_back({segment.tag, true, now_, now_});
  }
}

void SteppedChannel::choose_mode() {
  const bool read = !reads_.segments.empty(), write = !writes_.segments.empty();
  if (writing_)
    writing_ = write && !(writes_.accesses < policy_.write_low && read);
  else
    writing_ = writes_.accesses > policy_.write_high || (!read && write);
}

void SteppedChannel::ask_for_refreshes() {
  if (policy_.refresh == dram::Refresh::kNone) return;
  const std::uint32_t in_turn =
      policy_.refresh == dram::Refresh::kAllBank ? 1 : organisation_.banks_per_stack_id();
  while (static_cast<Tick>(refreshes_asked_ + 1) * timing_.refi / in_turn <= now_) {
    for (Bank& b : banks_)
      if (b.number % in_turn == refreshes_asked_ % in_turn) ++b.refreshes_due;
    ++refreshes_asked_;
  }
}

std::vector<SteppedChannel::Bank*> SteppedChannel::stack_id_banks(std::uint32_t pseudo,
                                                                  std::uint32_t stack_id) {
  std::vector<Bank*> found;
  for (std::uint32_t n = 0; n < organisation_.banks_per_stack_id(); ++n)
    found.push_back(&bank(pseudo, stack_id * organisation_.banks_per_stack_id() + n));
  return found;
}

bool SteppedChannel::refresh() {
  if (policy_.refresh == dram::Refresh::kNone) return false;
  for (std::uint32_t pseudo = 0; pseudo < organisation_.pseudo_channels; ++pseudo)
    for (std::uint32_t id = 0; id < organisation_.stack_ids; ++id)
      if (policy_.refresh == dram::Refresh::kAllBank ? refresh_stack_id(pseudo, id)
                                                     : refresh_banks(pseudo, id))
        return true;
  return false;
}

bool SteppedChannel::refresh_stack_id(std::uint32_t pseudo, std::uint32_t stack_id) {
  bool any_open = false, all_may_close = true, all_may_refresh = true;
  const auto banks = stack_id_banks(pseudo, stack_id);
  if (banks.front()->refreshes_due == 0) return false;
  for (const Bank* b : banks) {
    any_open |= b->open;
    if (b->open && (!may(kPrecharge, *b) || holds(*b))) all_may_close = false;
    if (!may(kRefresh, *b)) all_may_refresh = false;
  }
  if (any_open ? !all_may_close : !all_may_refresh) return false;
  row_command(any_open ? CommandKind::kPrechargeAll : CommandKind::kRefreshAll, *banks.front(), 0);
  return true;
}

bool SteppedChannel::refresh_banks(std::uint32_t pseudo, std::uint32_t stack_id) {
  for (Bank* b : stack_id_banks(pseudo, stack_id)) {
    if (b->refreshes_due == 0 || holds(*b) || !may(b->open ? kPrecharge : kRefresh, *b)) continue;
    row_command(b->open ? CommandKind::kPrecharge : CommandKind::kRefreshBank, *b, 0);
    return true;
  }
  return false;
}

bool SteppedChannel::wanted(const Queue& queue, const Bank& b, bool this_row_only) const {
  return std::any_of(queue.segments.begin(), queue.segments.end(), [&](const Queued& q) {
    return q.segment.pseudo == b.pseudo && q.segment.bank == b.number &&
           (!this_row_only || q.segment.row == b.row);
  });
}

bool SteppedChannel::serve_row() {
  std::vector<bool> seen(banks_.size());
  for (const Queued& q : served().segments) {  // oldest first
    Bank& b = bank(q.segment.pseudo, q.segment.bank);
    auto&& older = seen[static_cast<std::size_t>(&b - banks_.data())];
    if (older) continue;
    older = true;
    if (b.refreshes_due > 0) continue;
    if (!b.open) {
      if (!may(kActivate, b)) continue;
      row_command(CommandKind::kActivate, b, q.segment.row);
      if (policy_.queue_exit == dram::QueueExit::kActivate) hold(q.segment);
      return true;
    }
    if (b.row == q.segment.row || holds(b) || !may(kPrecharge, b)) continue;
    if (policy_.scheduler == dram::Scheduler::kFrFcfsRowHit && wanted(served(), b, true)) continue;
    row_command(CommandKind::kPrecharge, b, 0);
    return true;
  }
  return false;
}

bool SteppedChannel::close_idle_row() {
  if (policy_.page == dram::PagePolicy::kOpen) return false;
  const Tick timeout = policy_.page == dram::PagePolicy::kClosed ? 0 : policy_.page_timeout;
  for (Bank& b : banks_) {
    if (!b.open || b.refreshes_due > 0 || !may(kPrecharge, b) || now_ < b.last_column + timeout) continue;
    if (wanted(reads_, b, false) || wanted(writes_, b, false) || holds(b)) continue;
    row_command(CommandKind::kPrecharge, b, 0);
    return true;
  }
  return false;
}

bool SteppedChannel::holds(const Bank& b) const { return wanted(held_, b, false); }

// Moves a segment from its queue to the held ones, which stay in the order of arrival.
void SteppedChannel::hold(const Segment& segment) {
  const auto is_it = [&](const Queued& q) { return q.segment.tag == segment.tag; };
  auto& queued = served().segments;
  const auto it = std::find_if(queued.begin(), queued.end(), is_it);
  const auto older = [](const Queued& a, const Queued& b) { return a.age < b.age; };
  const Queued moved = *it;
  queued.erase(it);
  served().accesses -= moved.segment.accesses;
  held_.segments.insert(std::upper_bound(held_.segments.begin(), held_.segments.end(), moved, older), moved);
}

bool SteppedChannel::serve_column(Queue& queue, std::optional<std::uint32_t> pseudo) {
  for (std::size_t n = 0; n < queue.segments.size(); ++n) {  // oldest first
    const Segment& s = queue.segments[n].segment;
    const Bank& b = bank(s.pseudo, s.bank);
    const bool refreshing = b.refreshes_due > 0 && &queue != &held_;
    if (pseudo.value_or(s.pseudo) != s.pseudo || !b.open || b.row != s.row || refreshing ||
        !may(s.write ? kWrite : kRead, b))
      continue;
    column_command(queue, n);
    return true;
  }
  return false;
}

void SteppedChannel::column_command(Queue& queue, std::size_t n) {
  Queued& q = queue.segments[n];
  const Segment s = q.segment;
  Bank& b = bank(s.pseudo, s.bank);
  if (log_)
    log_->command({now_, s.write ? CommandKind::kWrite : CommandKind::kRead, s.pseudo, s.bank, s.row, 1, 0});
  apply(s.write ? kWrite : kRead, b);
  b.last_column = now_;
  if (q.issued == 0) q.first = now_;
  if (++q.issued < s.accesses) return;
  if (!s.write) finished_.push_back({s.tag, false, q.first + timing_.cl, now_ + timing_.cl + timing_.burst});
  if (&queue != &held_) queue.accesses -= s.accesses;
  queue.segments.erase(queue.segments.begin() + static_cast<std::ptrdiff_t>(n));
}

bool SteppedChannel::may(Kind kind, const Bank& b) const {
  if (kind == kActivate) {
    const auto& before = activates_[b.pseudo];
    if (before.size() >= 4 && now_ < before[before.size() - 4] + timing_.faw) return false;
  }
  return now_ >= b.earliest[kind];
}

void SteppedChannel::row_command(CommandKind kind, Bank& b, std::uint32_t row) {
  const bool activate = kind == CommandKind::kActivate;
  const bool close = kind == CommandKind::kPrecharge || kind == CommandKind::kPrechargeAll;
  if (log_)
    log_->command(
        {now_, kind, static_cast<std::uint8_t>(b.pseudo), static_cast<std::uint8_t>(b.number), row, 1, 0});
  row_bus_free_ = now_ + (activate ? timing_.activate_on_bus : timing_.other_on_bus);
  if (activate) activates_[b.pseudo].push_back(now_);
  std::vector<Bank*> concerned{&b};
  if (is_wide(kind)) concerned = stack_id_banks(b.pseudo, b.stack_id);
  for (Bank* c : concerned) {
    apply(activate ? kActivate : close ? kPrecharge : kRefresh, *c);
    c->open = activate;
    c->row = row;
    if (!activate && !close) --c->refreshes_due;
  }
}

// After a command of kind `first` to bank `to`, every bank of the pseudo-channel must delay each kind of
// command.
void SteppedChannel::apply(Kind first, const Bank& to) {
  for (Bank& b : banks_)
    for (int second = 0; second < kKinds && b.pseudo == to.pseudo; ++second)
      b.earliest[second] =
          std::max(b.earliest[second], now_ + distance(first, static_cast<Kind>(second), to, b));
}

Tick SteppedChannel::distance(Kind first, Kind second, const Bank& a, const Bank& b) const {
  const dram::Timing& t = timing_;
  const bool all_banks = policy_.refresh == dram::Refresh::kAllBank;
  const bool same_bank = a.number == b.number, same_group = a.group == b.group,
             same_id = a.stack_id == b.stack_id;
  const Tick write_end = t.cwl + t.burst;
  if (same_bank) {
    if (first == kActivate && second == kRead) return t.rcd_read;
    if (first == kActivate && second == kWrite) return t.rcd_write;
    if (first == kActivate && second == kPrecharge) return t.ras;
    if (first == kActivate && (second == kActivate || second == kRefresh)) return t.rc;
    if (first == kPrecharge && (second == kActivate || second == kRefresh)) return t.rp;
    if (first == kRead && second == kPrecharge) return t.rtp;
    if (first == kWrite && second == kPrecharge) return write_end + t.wr;
    if (first == kRefresh) return all_banks ? t.rfc_all : t.rfc_bank;
  }
  // A refresh opens rows, as an activate does.
  if (first == kActivate && (second == kActivate || second == kRefresh))
    return same_group ? t.rrd_long : t.rrd_short;
  if (first == kRefresh && (second == kActivate || second == kRefresh)) return t.rrefd;
  if (first == kPrecharge && second == kPrecharge) return t.ppd;
  if (first == second && (first == kRead || first == kWrite))
    return same_group ? t.ccd_long
           : same_id  ? t.ccd_short
                      : (first == kRead ? t.ccd_stack : t.ccd_stack_write);
  if (first == kWrite && second == kRead) return write_end + (same_group ? t.wtr_long : t.wtr_short);
  if (first == kRead && second == kWrite) return t.rtw;
  return 0;
}

}  // namespace tahoma::tests
