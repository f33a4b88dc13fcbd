// SPDX-License-Identifier: Apache-2.0
// A trace holds what a kernel records while Python executes it: tensors and instructions in program order.
// The instructions lack only what lowering decides (frontend/nki/lower): addresses of tensors that the kernel
// does not place, engines that it leaves open, queues and descriptors of transfers, semaphores.
//
// Offsets of operands are bytes from the start of their tensor's storage in each partition (on chip) or from
// its start (HBM).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/nki/record/joint.h"
#include "frontend/nki/record/view.h"
#include "isa/core/program.h"
#include "isa/table/table.h"
#include "isa/validate/validate.h"

namespace tahoma::runtime::nki {

// An operand of a compute instruction: the field of the row whose slot holds it, and what it is part of.
struct Operand {
  isa::FieldKind field = isa::FieldKind::kDst;
  std::uint32_t storage = 0;
  bool of_weights = false;  // of the load of the stationary operand
};

// One side of a transfer.
struct Side {
  std::uint32_t storage = 0;
  isa::DType dtype = isa::DType::kFp32;
  std::int64_t partition = 0, offset = 0;  // bytes
  Axes axes;
  Dynamic dynamic;
};

// Which work of the DMA engines an entry asks for.
enum class Transfer : std::uint8_t { kNone, kCopy, kFold, kTranspose };
// Who writes the descriptors, as nki.isa.dge_mode.
enum class DgeMode : std::uint8_t { kUnknown, kSoftware, kHardware, kNone };

struct TransferWork {
  Transfer kind = Transfer::kNone;
  Side dst;
  std::vector<Side> sources;
  isa::AluOp fold = isa::AluOp::kAdd;
  bool accumulate = false;  // dst += src
  DgeMode dge = DgeMode::kUnknown;
  bool skip = false;         // rows out of bounds are left out
  std::uint8_t service = 0;  // class of service, 0..3: the highest is served first (Trainium3)
};

// A virtual register, or a number.
struct RegisterOperand {
  std::optional<std::uint32_t> reg;
  std::int32_t imm = 0;
};
// Work of the sequencers: registers and loops. Virtual registers live on every queue that uses them.
struct RegisterWork {
  // A loop runs while its counter is below the upper bound (kLoopBegin, kLoopEnd), or while a register is not
  // 0 (kWhileBegin, kWhileEnd).
  enum class Kind : std::uint8_t {
    kNone,
    kSet,
    kAlu,
    kLoad,
    kStore,
    kLoopBegin,
    kLoopEnd,
    kWhileBegin,
    kWhileEnd
  };
  Kind kind = Kind::kNone;
  std::uint32_t reg = 0;  // written; of kStore: read; of a loop: its counter or condition
  RegisterOperand a, b;   // kAlu: operands; kSet: a; kLoopBegin: lower and upper bound
  std::int32_t step = 1;  // kLoopBegin, kLoopEnd
  isa::AluOp op = isa::AluOp::kAdd;
  std::optional<Side> word;  // kLoad, kStore
};

// Data exchange with other ranks, through HBM: this core pushes into tensors of theirs, and they into its
// own. A rank's tensor is addressed by the number that the tensor has here: the ranks run the same kernel.
struct ExchangeWork {
  struct Send {
    Side src, dst;  // dst is in the memory of the rank
    std::uint32_t rank = 0;
    std::int32_t distance = 0;  // from this core to the rank's, in core numbers
  };
  std::vector<Send> ready;  // to every core that sends to this one: that it may
  std::vector<Send> sends;
  std::vector<Side> received;  // what others write here
  std::uint8_t service = 0;    // class of service of what is sent, as TransferWork's
};

struct Recorded {
  isa::Instruction instruction;
  std::vector<Operand> operands;
  std::optional<isa::Queue> engine;  // asked for by the kernel
  std::optional<bool>
      accumulate;  // matmul: unset: inferred from the order of the writes (lower/accumulate.h)
  std::shared_ptr<const isa::Instruction> weights;  // matmul, transpose: the load of the stationary operand
  std::shared_ptr<const TransferWork> transfer;
  std::shared_ptr<const RegisterWork> registers;
  std::shared_ptr<const ExchangeWork> exchange;
  bool barrier = false;  // of the two cores: what shared HBM holds is exchanged
  std::uint32_t line = isa::kNoLine;
  std::vector<std::uint32_t> after;  // entries that must be complete before: depends_on
};

class Trace {
 public:
  // `usable`: bytes of an SBUF partition that a kernel may use (machine.chip.core.sbuf.usable). What is
  // beyond holds tensors of the front end itself.
  Trace(isa::Limits limits, std::uint32_t usable, std::string name)
      : name(std::move(name)), limits_(limits), usable_(usable) {}

  std::string name;
  std::deque<std::shared_ptr<Storage>> storages;  // by id
  std::deque<Recorded> entries;                   // they are large, and never move
  std::vector<isa::SourceLine> lines;
  std::uint32_t registers = 0;  // virtual registers so far
  std::vector<std::string> warnings;

  const isa::Limits& limits() const { return limits_; }
  std::uint32_t usable() const { return usable_; }
  std::shared_ptr<Storage> declare(Storage storage);  // checks shape and place: E-NKI-001
  Side side_of(const View& view) const;               // E-NKI-010, 012

  // Tensors to which the kernel gives no name are named after the variable that the line of their declaration
  // assigns to. `variable_of` returns the name, "" if the line has none, or nothing if the line returns the
  // tensor to its caller, whose line then decides. It is called once for each line.
  using VariableOf = std::function<std::optional<std::string>(const isa::SourceLine&)>;
  void name_variables(VariableOf variable_of) { variable_of_ = std::move(variable_of); }

  // A compute instruction: the fields of `fields` that the row has, with these operands. Errors: E-NKI-010
  // (an empty operand), 011 (operands whose elements do not correspond), 012 (a dtype that this core does not
  // have), and those of isa::validate, with the names of the row's operands.
  struct Given {
    isa::FieldKind field;
    const View& view;
  };
  Recorded& compute(const isa::Instruction& fields, const std::vector<Given>& given,
                    std::optional<isa::Queue> engine, const Axes& pattern = {});
  // dst [M, N] (+)= stationary [K, M] ^T moving [K, N]; `transpose` moves the stationary operand through the
  // array, selected by the moving operand.
  Recorded& matmul(const View& dst, const View& stationary, const View& moving, isa::MatmulMode mode,
                   std::optional<bool> accumulate, bool transpose);
  // The same with quads of MX (isa/table/table_later.h), and the scales of both operands.
  Recorded& matmul_mx(const View& dst, const View& stationary, const View& moving,
                      const View& stationary_scale, const View& moving_scale, std::optional<bool> accumulate);
  // dst = the quads nearest to src, and their scales.
  Recorded& quantize_mx(const View& dst, const View& src, const View& scale);
  Recorded& transfer(TransferWork work, std::optional<isa::Queue> engine);
  Recorded& registers_work(RegisterWork work);
  Recorded& exchange(ExchangeWork work);
  Recorded& barrier(unsigned pipe, std::optional<isa::Queue> engine);

  std::uint32_t at_line = isa::kNoLine;  // of the entries that follow

 private:
  Recorded& append(Recorded entry);
  void give_name(Storage& storage);
  const std::string& variable_at(std::uint32_t line);

  isa::Limits limits_;
  std::uint32_t usable_;
  VariableOf variable_of_;
  std::vector<std::optional<std::string>> variables_;  // by line, as far as they have been asked for
};

// "kernel.py:12", or "" for kNoLine.
std::string place_of(const Trace& trace, std::uint32_t line);

}  // namespace tahoma::runtime::nki
