// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/core_program.h"

#include "isa/core/stream.h"
#include "runtime/host/host_threads.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint64_t kOrigin = 64;  // bytes of the tensor that serves as the base of addresses

}  // namespace

CoreProgram::CoreProgram(Machine& machine, std::uint32_t number, const std::string& name,
                         std::shared_ptr<OperationKinds> kinds)
    : kernel(name, machine.params(), std::move(kinds)),
      memory(machine.allocate(number, "origin", isa::DType::kUint8, {kOrigin})) {
  at.core = number;
  at.kernel = &kernel;
  at.memory = kernel.argument("memory", isa::DType::kUint8, 1, kOrigin);
  at.address = memory.address;
  at.own = kernel.own_core("core");
}

HbmView CoreProgram::view(const Tensor& tensor) {
  const std::uint64_t columns = tensor.shape.back();
  return kernel.beside(at.memory, static_cast<std::int64_t>(tensor.address - at.address), tensor.dtype,
                       tensor.elements() / columns, columns);
}

HbmView CoreProgram::control(const Tensor& tensor) {
  const std::uint64_t columns = tensor.shape.back();
  const HbmView argument = kernel.argument(tensor.name, tensor.dtype, tensor.elements() / columns, columns);
  kernel.control(argument);
  controls_.push_back(tensor);
  return argument;
}

std::vector<std::uint64_t> CoreProgram::arguments() const {
  std::vector<std::uint64_t> values{memory.address, at.core};
  for (const Tensor& tensor : controls_) values.push_back(tensor.address);
  return values;
}

std::uint32_t CoreProgram::mark(isa::Queue queue) {
  isa::Instruction nothing;
  nothing.op = isa::Opcode::kNop;
  kernel.emit(queue, nothing);
  return marks(queue)++;
}

std::uint32_t CoreProgram::mark_landed(isa::Queue queue, const HbmView& window,
                                       const std::optional<Semaphores::Level>& level) {
  if (level)
    kernel.landed(queue, window, level->signal, level->value);
  else
    kernel.landed(queue, window);
  return marks(queue)++;
}

std::vector<std::shared_ptr<const isa::Program>> finish_programs(Machine& machine,
                                                                 const std::vector<CoreProgram*>& programs) {
  std::vector<std::shared_ptr<const isa::Program>> finished(programs.size());
  isa::StreamPool streams;
  for_each_block(programs.size(), [&](std::uint64_t n) {
    isa::Program program = programs[n]->kernel.finish();
    streams.share(program);
    machine.validate(program);
    finished[n] = std::make_shared<const isa::Program>(std::move(program));
  });
  for (const auto& program : finished) machine.take_as_valid(program);
  return finished;
}

}  // namespace tahoma::runtime::collective
