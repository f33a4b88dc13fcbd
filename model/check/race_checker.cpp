// SPDX-License-Identifier: Apache-2.0
#include "model/check/race_checker.h"

#include "model/check/core_state.h"
#include "model/check/report.h"

namespace tahoma::model::check {
namespace {

constexpr unsigned kHbmBlockBits = 20;  // 1 MiB of a stack: a few tiles

bool computes(const isa::Instruction& i) {
  switch (isa::row_of(i.op).cost) {
    case isa::CostClass::kNone:
    case isa::CostClass::kSemaphore:
    case isa::CostClass::kRegister:
    case isa::CostClass::kBranch:
    case isa::CostClass::kDoorbell:
    case isa::CostClass::kRendezvous:
      return false;
    default:
      return true;
  }
}

// The queue continues only when it is complete.
bool blocks(const isa::Instruction& i) {
  return isa::row_of(i.op).cost == isa::CostClass::kRendezvous || i.op == isa::Opcode::kRegLoad;
}

// The records of one HBM stack.
struct StackState {
  AccessLog log{kHbmBlockBits};
  ByteSet written;
};

// A component that accesses memory, at the start of the access.
struct Actor {
  const isa::Instruction& instruction;
  Origin origin;
  Epoch point;  // its completion
  const Knowledge& known;
  CoreState& core;
  std::uint64_t transfer = 0;  // its number, if its values can decide a race

  bool is_transfer() const { return origin.ring != kNoRing; }
  bool is_matmul() const { return !is_transfer() && leaves_sums(instruction); }
  // Returns whether the access of this record is complete before this actor starts, or belongs to the actor.
  bool comes_after(const Record& r) const {
    if (known.covers(r.point) || r.point == point) return true;
    if (!r.write && known.covers(read_point(r.point))) return true;
    return !is_transfer() && r.point.core == point.core && r.point.component == point.component;
  }
  // Returns whether it is complete when this actor is.
  bool implies(const Record& r) const {
    const bool same = r.point.core == point.core && r.point.component == point.component;
    return same ? r.point.count <= point.count : known.covers(r.point);
  }
};

}  // namespace

class RaceChecker::Impl {
 public:
  Impl(Options options, Machine machine)
      : machine_(std::move(machine)), cores_(machine_.cores), report_(machine_.name, findings_) {
    findings_.checked = options;
  }

  void load(std::uint32_t core, const isa::Program& program) {
    auto& waits = wait_tables_[&program];
    if (!waits) waits = std::make_shared<const WaitTable>(program);
    cores_.at(core) = std::make_unique<CoreState>(core, waits);
    report_.program(core, program);
  }

  void host_wrote(std::uint64_t address, std::uint64_t bytes) {
    if (bytes > 0) stack(address).written.insert(address, address + bytes);
  }

  void start(const Step& step, std::span<const isa::OperandAccess> accesses) {
    begin(step, *cores_[step.core]);
    perform(step, accesses);
  }

  void arrive(const Step& step) {
    QueueState& queue = begin(step, *cores_[step.core]);
    queue.known.learn({step.core, completion_of(static_cast<std::uint32_t>(step.queue)), queue.position - 1});
  }

  void rendezvous(const Party& a, const Party& b) {
    Knowledge &first = cores_[a.core]->queue(a.queue).known, &second = cores_[b.core]->queue(b.queue).known;
    first.learn(second.clock());
    second.learn(first.clock());
  }

  // The effects of an instruction that has begun.
  void perform(const Step& step, std::span<const isa::OperandAccess> accesses) {
    CoreState& core = *cores_[step.core];
    QueueState& queue = core.queue(step.queue);
    const Epoch point{step.core, completion_of(static_cast<std::uint32_t>(step.queue)), queue.position};
    const Actor actor{*step.instruction, origin_of(step, queue), point, queue.known, core, 0};
    touch(actor, accesses);
    if (blocks(*step.instruction))
      queue.known.learn(point);
    else if (computes(*step.instruction))
      queue.last_compute = queue.position;
    const isa::Update& update = step.instruction->update;
    if (update.kind == isa::Update::Kind::kNone) return;
    const Epoch until = update.on_read ? read_point(point) : point;
    change(core, update, {until, queue.known.snapshot(), 0, 1, true, actor.origin});
    // With nothing else under way, a change of the sequencer is made before its next instruction starts.
    const Epoch last{point.core, point.component, queue.last_compute};
    if (queue.last_compute == 0 || queue.known.covers(last)) queue.known.learn(point);
  }

  std::uint64_t ring(const Step& step, const Transfer& transfer) {
    CoreState& core = *cores_[step.core];
    QueueState& queue = begin(step, core);
    const isa::Instruction& i = *step.instruction;
    const Epoch point =
        core.next_transfer(step.queue, i.ring, transfer.remote, transfer.notified, i.update.semaphore);
    const bool decides = machine_.has_values && findings_.checked.races && !transfer.accumulates;
    Actor actor{i, origin_of(step, queue), point, queue.known, core, decides ? disputes_.next() : 0};
    actor.origin.ring = i.ring;
    touch(actor, transfer.accesses);
    Change landed{point, queue.known.snapshot(), 0, isa::kDmaEngines, !transfer.remote, actor.origin};
    Change read = landed;
    read.point = read_point(point);
    read.in_order = true;  // an engine reads in order, whatever memory it writes
    if (i.update.kind != isa::Update::Kind::kNone)
      if (CoreState* notified = cores_.at(transfer.notified).get())
        change(*notified, i.update, i.update.on_read ? read : landed);
    if (i.read_update.kind != isa::Update::Kind::kNone)
      if (CoreState* notified = cores_.at(transfer.notified_read).get())
        change(*notified, i.read_update, std::move(read));
    return actor.transfer;
  }

  std::vector<ByteRange> disputed(std::uint64_t transfer) const { return disputes_.decided_by(transfer); }

  void moved(std::uint64_t transfer, const std::vector<bool>& changed) {
    const DisputedWrites::Verdict verdict = disputes_.moved(transfer, changed);
    for (const Race& race : verdict.races) report_.race(race, isa::Space::kHbm);
    for (const Race& race : verdict.harmless) report_.redundant(race);
  }

  const Findings& findings() const { return findings_; }

 private:
  static Origin origin_of(const Step& step, const QueueState& queue) {
    return {step.core, step.index, queue.position, step.queue, step.instruction->op, kNoRing, step.time};
  }

  StackState& stack(std::uint64_t address) {
    const auto at = isa::GlobalAddress::from(address);
    return stacks_[at.chip * machine_.stacks_per_chip + at.stack];
  }

  QueueState& begin(const Step& step, CoreState& core) {
    QueueState& queue = core.queue(step.queue);
    ++queue.position;
    queue.next = step.index + 1;
    const isa::Wait& wait = step.instruction->wait;
    if (!findings_.checked.races || wait.kind == isa::Wait::Kind::kNone) return queue;
    const bool equal = wait.kind == isa::Wait::Kind::kEq;
    report_.about_semaphore(wait.semaphore);
    core.semaphore(wait.semaphore)
        ->wait({origin_of(step, queue), queue.known, step.wait_value, equal}, report_);
    return queue;
  }

  void change(CoreState& core, const isa::Update& update, Change change) {
    if (!findings_.checked.races) return;
    SemaphoreOrder* semaphore = core.semaphore(update.semaphore);
    if (semaphore == nullptr) return;
    change.amount = update.value;
    report_.about_semaphore(update.semaphore);
    semaphore->change(update.kind, std::move(change), report_);
    core.trim(update.semaphore);
  }

  void touch(const Actor& actor, std::span<const isa::OperandAccess> accesses) {
    footprints_.clear();
    for (const isa::OperandAccess& a : accesses) footprints_.emplace_back(a.pattern);
    if (findings_.checked.uninitialised) {
      for (std::size_t n = 0; n < accesses.size(); ++n)  // sources are read before anything is written
        if (accesses[n].reads) check_contents(actor, accesses[n].pattern.space, footprints_[n]);
      for (std::size_t n = 0; n < accesses.size(); ++n)
        if (accesses[n].writes) fill(actor, accesses[n].pattern.space, footprints_[n]);
    }
    if (!findings_.checked.races) return;
    for (std::size_t n = 0; n < accesses.size(); ++n)
      check_order(actor, accesses[n].pattern.space, footprints_[n], accesses[n].writes);
  }

  void check_contents(const Actor& actor, isa::Space space, const Footprint& f) {
    if (space == isa::Space::kHbm) {
      ByteSet& written = stack(f.begin).written;
      if (const auto gap = written.missing(f)) {
        report_.unwritten(actor.origin, space, f, *gap);
        written.insert(f);  // once per tile
      }
      return;
    }
    CoreMemory& memory = actor.core.memory;
    const bool psum = space == isa::Space::kPsum;
    if (psum && actor.is_matmul() && !machine_.adds_to_fills) {
      if (const auto gap = memory.without_sums(f)) report_.no_group(actor.origin, f, *gap);
      return;
    }
    if (psum && !actor.is_matmul())
      if (const auto open = memory.in_open_group(f)) report_.open_group(actor.origin, f, *open);
    if (const auto gap = memory.unwritten(space, f)) {
      report_.unwritten(actor.origin, space, f, *gap);
      memory.write(space, f);
    }
  }

  void fill(const Actor& actor, isa::Space space, const Footprint& f) {
    if (space == isa::Space::kHbm) return stack(f.begin).written.insert(f);
    actor.core.memory.write(space, f);
    if (space == isa::Space::kPsum)
      actor.core.memory.write_psum(f, actor.is_matmul(), actor.is_matmul() && opens_group(actor.instruction));
  }

  void check_order(const Actor& actor, isa::Space space, const Footprint& footprint, bool write) {
    const Record record{footprint, actor.point, actor.origin, write, actor.transfer};
    AccessLog& log = space == isa::Space::kHbm ? stack(record.footprint.begin).log : actor.core.log(space);
    log.conflicts(
        record.footprint, record.write, [&](const Record& r) { return actor.comes_after(r); },
        [&](const Record& r) {
          if (space != isa::Space::kHbm || !disputes({r, record}, log)) report_.race({r, record}, space);
        });
    log.add(
        record, [&](const Record& r) { return actor.implies(r); },
        [&](const Record& r) { return settled(actor, space, r.point); });
  }

  // Returns whether values decide this race of two transfers, now or later.
  bool disputes(const Race& race, const AccessLog& log) {
    const auto& [first, second] = race;
    if (first.transfer == 0 || second.transfer == 0 || first.origin.core == second.origin.core) return false;
    if (first.write && second.write) return disputes_.writes(race), true;
    // The reader's core has written the same bytes before; if it reads them too early, that is a race of its
    // own.
    const Record &reader = first.write ? second : first, &writer = first.write ? first : second;
    bool decided = false;
    log.writes_of(reader.footprint, [&](const Record& own) {
      if (own.origin.core != reader.origin.core || own.transfer == 0 || own.transfer > reader.transfer ||
          !own.footprint.contains(writer.footprint))
        return;
      decided = decided || disputes_.read(race, writer.transfer, own.transfer);
    });
    return decided;
  }

  bool settled(const Actor& actor, isa::Space space, const Epoch& point) const {
    if (space != isa::Space::kHbm) return actor.core.all_know(point);
    return std::all_of(cores_.begin(), cores_.end(),
                       [&](const auto& core) { return !core || core->all_know(point); });
  }

  Machine machine_;
  std::vector<std::unique_ptr<CoreState>> cores_;
  std::unordered_map<std::uint64_t, StackState> stacks_;
  std::unordered_map<const isa::Program*, std::shared_ptr<const WaitTable>> wait_tables_;
  Findings findings_;
  Report report_;
  DisputedWrites disputes_;
  std::vector<Footprint> footprints_;  // of the current instruction
};

RaceChecker::RaceChecker(Options options, Machine machine)
    : impl_(std::make_unique<Impl>(options, std::move(machine))) {}
RaceChecker::~RaceChecker() = default;

void RaceChecker::load(std::uint32_t core, const isa::Program& program) { impl_->load(core, program); }
void RaceChecker::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  impl_->host_wrote(address, bytes);
}

void RaceChecker::start(const Step& step) {
  const isa::AccessList accesses = isa::accesses_of(*step.instruction);
  impl_->start(step, accesses.all());
}
void RaceChecker::start(const Step& step, std::span<const isa::OperandAccess> accesses) {
  impl_->start(step, accesses);
}
std::uint64_t RaceChecker::ring(const Step& step, const Transfer& transfer) {
  return impl_->ring(step, transfer);
}
std::vector<ByteRange> RaceChecker::disputed(std::uint64_t transfer) const {
  return impl_->disputed(transfer);
}
void RaceChecker::moved(std::uint64_t transfer, const std::vector<bool>& changed) {
  impl_->moved(transfer, changed);
}
void RaceChecker::arrive(const Step& step) { impl_->arrive(step); }
void RaceChecker::rendezvous(const Party& a, const Party& b) { impl_->rendezvous(a, b); }
void RaceChecker::depart(const Step& step) {
  const isa::AccessList accesses = isa::accesses_of(*step.instruction);
  impl_->perform(step, accesses.all());
}
const Findings& RaceChecker::findings() const { return impl_->findings(); }

}  // namespace tahoma::model::check
