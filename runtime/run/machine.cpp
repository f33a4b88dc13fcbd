// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "runtime/run/stack_allocator.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint64_t kAlignment = 64;  // of a tensor: one HBM access

}  // namespace

isa::Limits limits_of(const model::MachineParams& machine) {
  const model::CoreParams& core = machine.chip.core;
  isa::Limits limits;
  limits.core = core.version;
  limits.partitions = static_cast<unsigned>(core.sbuf.partitions);
  limits.array_rows = static_cast<unsigned>(core.tensor.rows);
  limits.array_columns = static_cast<unsigned>(core.tensor.columns);
  limits.sbuf_bytes = static_cast<std::uint32_t>(core.sbuf.per_partition.count);
  // The runtime reserves a few bytes at the end, unless kernels may use all of it.
  const std::uint64_t left =
      core.sbuf.per_partition.count - std::min(core.sbuf.usable.count, core.sbuf.per_partition.count);
  limits.sbuf_reserved = static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.sbuf_reserved, left));
  limits.psum_bytes = static_cast<std::uint32_t>(core.psum.per_partition.count);
  limits.psum_bank_bytes = static_cast<std::uint32_t>(core.psum.bank.count);
  limits.moving_columns = static_cast<unsigned>(core.tensor.moving_columns);
  return limits;
}

std::uint64_t Tensor::elements() const {
  std::uint64_t n = 1;
  for (const std::uint64_t extent : shape) n *= extent;
  return n;
}

std::uint64_t Tensor::bytes() const { return elements() * isa::size_of(dtype); }

namespace {

// Notifies all observers in the order in which they were added.
struct Observers final : base::Observer {
  std::vector<base::Observer*> all;
  void instruction(const base::InstructionActivity& activity) override {
    for (base::Observer* observer : all) observer->instruction(activity);
  }
  void transfer(const base::TransferActivity& activity) override {
    for (base::Observer* observer : all) observer->transfer(activity);
  }
};

}  // namespace

struct Machine::Impl {
  Observers observers;
  Impl(const model::MachineParams& params, model::Mode mode_, model::check::Options checks,
       model::Processes* processes)
      : system(params, mode_, true, checks, {}, processes), mode(mode_), stacks(system.params()) {}

  model::System system;
  model::Mode mode;
  StackAllocator stacks;
  std::set<std::shared_ptr<const isa::Program>> valid;
  std::map<std::uint32_t, std::shared_ptr<const isa::Program>> programs;  // by core
  std::vector<Tensor> allocated;
  std::map<std::uint64_t, std::uint64_t> tensors;  // address -> bytes
  std::set<std::uint64_t> control;  // addresses of tensors that keep their values in timing mode

  void keep_values(std::uint32_t core, const isa::Program& program,
                   const std::vector<std::uint64_t>& arguments);

  // The programs of parts, as the whole executes them.
  struct Named {
    std::shared_ptr<const isa::Program> program;
    std::bitset<isa::kArguments> cores;  // arguments that are numbers of cores
  };
  std::map<std::pair<std::string, std::shared_ptr<const isa::Program>>, Named> of_parts;
  const Named& named(const std::shared_ptr<const isa::Program>& program, const MachinePart& part);
  std::vector<std::unique_ptr<PartObserver>> part_observers;
};

const Machine::Impl::Named& Machine::Impl::named(const std::shared_ptr<const isa::Program>& program,
                                                 const MachinePart& part) {
  const auto [known, added] = of_parts.try_emplace({part.name, program});
  if (added) known->second = {named_program(*program, part.name), core_arguments(*program)};
  return known->second;
}

void Machine::Impl::keep_values(std::uint32_t core, const isa::Program& program,
                                const std::vector<std::uint64_t>& arguments) {
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (!program.is_control(static_cast<std::uint8_t>(a))) continue;
    const auto tensor = tensors.find(arguments[a]);
    if (tensor == tensors.end())
      throw base::UserError(
          "E-RUN-012", fmt::format("program '{}' on core {}", program.name, core),
          fmt::format("control argument '{}' is not the address of a tensor", program.args[a]),
          base::ExitStatus::kProgram);
    if (control.insert(tensor->first).second) system.keep_values(tensor->first, tensor->second);
  }
}

Machine::Machine(const model::MachineParams& params, model::Mode mode, model::check::Options checks,
                 model::Processes* processes)
    : impl_(std::make_shared<Impl>(params, mode, checks, processes)) {}

Machine::Machine(Machine& whole, MachinePart part)
    : impl_(whole.impl_), part_(std::make_unique<MachinePart>(std::move(part))) {
  TAHOMA_INVARIANT(!whole.part_, "a part of a part");
}

Machine::~Machine() = default;

const model::MachineParams& Machine::params() const { return part_ ? part_->params : impl_->system.params(); }
bool Machine::functional() const { return impl_->mode == model::Mode::kFunctional; }
std::uint32_t Machine::cores() const { return static_cast<std::uint32_t>(params().cores()); }

std::uint32_t Machine::in_whole(std::uint32_t core) const {
  TAHOMA_INVARIANT(core < cores(), fmt::format("core {} of {}", core, cores()));
  return part_ ? part_->cores[core] : core;
}

Tensor Machine::allocate(std::uint32_t own_core, const std::string& own_name, isa::DType dtype,
                         std::vector<std::uint64_t> shape) {
  const std::uint32_t core = in_whole(own_core);
  const std::string name = part_ ? fmt::format("{}.{}", part_->name, own_name) : own_name;
  Tensor tensor{name, dtype, std::move(shape), 0, core};
  impl_->system.params().refuse_dead(impl_->system.chip_of(core),
                                     fmt::format("core {} has tensor '{}'", core, name));
  const std::uint64_t bytes = (tensor.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  const isa::GlobalAddress address = impl_->stacks.next(core, bytes);
  if (!impl_->stacks.fits(address, bytes)) {
    const std::uint64_t capacity = impl_->stacks.capacity(address);
    const model::MachineParams& machine = impl_->system.params();
    const model::StackFaults faults = machine.faults_of(address.chip, address.stack);
    const std::string failed = faults.failed_channels.empty()
                                   ? ""
                                   : fmt::format(" whose channels {} of {} have failed",
                                                 faults.failed_channels, machine.chip.hbm.dram.channels);
    throw base::UserError(
        "E-RUN-010", fmt::format("tensor '{}' on core {}", name, core),
        fmt::format("needs {} bytes of HBM; {} of {} are left in stack {} of chip {}{}", bytes,
                    capacity - address.offset, capacity, address.stack, address.chip, failed));
  }
  impl_->stacks.take(core, address, bytes);
  tensor.address = address.bits();
  impl_->tensors[tensor.address] = tensor.bytes();
  impl_->allocated.push_back(tensor);
  tensor.name = own_name;
  tensor.core = own_core;
  return tensor;
}

bool Machine::has_values(const Tensor& tensor) const {
  return functional() || impl_->control.contains(tensor.address);
}

base::Time Machine::now() const { return impl_->system.now(); }

std::byte* Machine::bytes(const Tensor& tensor) { return impl_->system.hbm(tensor.address, tensor.bytes()); }

void Machine::write(const Tensor& tensor, std::span<const std::byte> values) {
  TAHOMA_INVARIANT(values.size() == tensor.bytes(),
                   fmt::format("{} bytes for tensor '{}' of {}", values.size(), tensor.name, tensor.bytes()));
  std::memcpy(bytes(tensor), values.data(), values.size());
  declare_input(tensor);
}

void Machine::declare_input(const Tensor& tensor) {
  impl_->system.host_wrote(tensor.address, tensor.bytes());
}

const model::check::Findings& Machine::findings() const { return impl_->system.findings(); }

void Machine::read(const Tensor& tensor, std::span<std::byte> values) {
  TAHOMA_INVARIANT(values.size() == tensor.bytes(),
                   fmt::format("{} bytes for tensor '{}' of {}", values.size(), tensor.name, tensor.bytes()));
  std::memcpy(values.data(), bytes(tensor), values.size());
}

void Machine::validate(const isa::Program& program) const { isa::validate(program, limits_of(params())); }

void Machine::take_as_valid(std::shared_ptr<const isa::Program> program) {
  impl_->valid.insert(std::move(program));
}

void Machine::load(std::uint32_t own_core, std::shared_ptr<const isa::Program> program,
                   const std::vector<std::uint64_t>& own_arguments) {
  const std::uint32_t core = in_whole(own_core);
  std::vector<std::uint64_t> arguments = own_arguments;
  if (arguments.size() != program->args.size()) {
    throw base::UserError("E-RUN-011", fmt::format("program '{}' on core {}", program->name, core),
                          fmt::format("expects {} arguments ({}), got {}", program->args.size(),
                                      fmt::join(program->args, ", "), arguments.size()),
                          base::ExitStatus::kProgram);
  }
  if (impl_->valid.insert(program).second) validate(*program);
  if (part_) {
    const Impl::Named& named = impl_->named(program, *part_);
    for (std::size_t a = 0; a < arguments.size(); ++a)
      if (named.cores[a]) arguments[a] = in_whole(static_cast<std::uint32_t>(arguments[a]));
    program = named.program;
  }
  impl_->keep_values(core, *program, arguments);
  std::array<std::uint64_t, isa::kArguments> table{};
  std::copy(arguments.begin(), arguments.end(), table.begin());
  impl_->programs[core] = program;
  impl_->system.load(core, std::move(program), table);
}

void Machine::start(const model::ProgramStart& start) {
  model::ProgramStart of_whole = start;
  for (std::uint32_t& core : of_whole.cores) core = in_whole(core);
  for (std::uint32_t& core : of_whole.after) core = in_whole(core);
  impl_->system.start(std::move(of_whole));
}

const std::vector<Tensor>& Machine::tensors() const { return impl_->allocated; }

const std::map<std::uint32_t, std::shared_ptr<const isa::Program>>& Machine::programs() const {
  return impl_->programs;
}

void Machine::observe(base::Observer* observer) {
  if (part_) {
    impl_->part_observers.push_back(std::make_unique<PartObserver>(*part_, *observer));
    observer = impl_->part_observers.back().get();
  }
  impl_->observers.all.push_back(observer);
  impl_->system.observe(&impl_->observers);
}
void Machine::observe(base::ProbeObserver* probes) { impl_->system.observe(probes); }
void Machine::observe(base::TimelineObserver* timeline) { impl_->system.observe(timeline); }
void Machine::observe_results(base::ResultObserver* observer) { impl_->system.observe_results(observer); }

Machine::Values Machine::values(std::uint32_t core, isa::Space space, std::uint64_t offset) const {
  if (space == isa::Space::kHbm) return {impl_->system.hbm(offset, 1), 0};
  const model::System::OnChip memory = impl_->system.on_chip(core, space);
  return {memory.bytes + offset, memory.stride};
}

void Machine::seed(std::uint64_t seed) { impl_->system.seed(seed); }
void Machine::unwritten(std::byte contents) { impl_->system.unwritten(contents); }
void Machine::allow_folding(bool allowed) { impl_->system.allow_folding(allowed); }
void Machine::elaborate_in(std::vector<std::uint32_t> order) { impl_->system.elaborate_in(std::move(order)); }
const model::ParallelCounts& Machine::parallel() const { return impl_->system.parallel(); }
const model::Folding& Machine::folding() const { return impl_->system.folding(); }

base::RunMeasurement Machine::run(const std::function<void(const model::Progress&)>& progress) {
  TAHOMA_INVARIANT(!part_, "a part runs with the whole machine");
  return impl_->system.run(progress);
}

void Machine::collect(base::StatSink& sink) const { impl_->system.collect(sink); }

}  // namespace tahoma::runtime
