// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/tile_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_registers.h"
#include "model/base/error.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads::graph {

namespace {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr std::uint64_t kTileBytes = 150 << 10;  // of a partition, for all buffers
constexpr std::uint64_t kWidestTile = 2048;      // columns
constexpr std::int64_t kLeastColumns = 32;       // of a row that is cut over several partitions
constexpr unsigned kInputCopies = 3, kResultCopies = 3, kRegisterCopies = 2;

// Dimensions of the result, outermost first, with the strides of every operand in it.
struct TileSpace {
  Dims dims;
  std::vector<std::vector<std::int64_t>> strides;  // by operand
  std::int64_t offset = 0;  // of the result, and of operands along its innermost dimension

  std::int64_t rows() const {
    return static_cast<std::int64_t>(elements_of(Dims(dims.begin(), dims.end() - 1)));
  }
  std::int64_t columns() const { return dims.back(); }
};

TileSpace merged_space(const Dims& dims, const std::vector<TensorRef>& in) {
  std::vector<std::vector<std::int64_t>> strides;
  for (const TensorRef& operand : in) {
    const std::vector<std::int64_t> dense = row_major_strides(operand.dims);
    std::vector<std::int64_t> of_operand(dims.size(), 0);
    const std::size_t lead = dims.size() - operand.dims.size();
    for (std::size_t d = 0; d < operand.dims.size(); ++d)
      if (operand.dims[d] > 1) of_operand[lead + d] = dense[d];
    strides.push_back(std::move(of_operand));
  }
  TileSpace space{{}, std::vector<std::vector<std::int64_t>>(in.size()), 0};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool joins = !space.dims.empty();
    for (std::size_t i = 0; i < in.size() && joins; ++i)
      joins = space.strides[i].back() == strides[i][d] * dims[d];
    if (joins)
      space.dims.back() *= dims[d];
    else
      space.dims.push_back(dims[d]);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (joins)
        space.strides[i].back() = strides[i][d];
      else
        space.strides[i].push_back(strides[i][d]);
    }
  }
  if (space.dims.empty()) {
    space.dims = {1};
    for (std::vector<std::int64_t>& of_operand : space.strides) of_operand = {0};
  }
  return space;
}

// Few long rows are cut, so that more partitions have work.
std::vector<TileSpace> spread(const TileSpace& space, std::int64_t partitions) {
  const std::int64_t rows = space.rows(), columns = space.columns();
  std::int64_t parts = 1;
  for (std::int64_t p = 2; p * rows <= partitions && p * kLeastColumns <= columns; ++p)
    if (columns % p == 0) parts = p;
  // An operand that all rows share stays on chip if each row fills a tile of its own.
  const std::size_t outer = space.dims.size() - 2;
  const bool shares =
      rows > 1 && std::any_of(space.strides.begin(), space.strides.end(),
                              [&](const auto& of) { return of[outer] == 0 && of.back() != 0; });
  if (shares && parts > 1 && columns % partitions == 0 && partitions * kLeastColumns <= columns)
    parts = partitions;
  const auto cut_in = [](TileSpace s, std::int64_t count) {
    if (count == 1) return s;
    s.dims.back() /= count;
    s.dims.insert(s.dims.end() - 1, count);
    for (std::vector<std::int64_t>& of_operand : s.strides)
      of_operand.insert(of_operand.end() - 1, of_operand.back() * s.dims.back());
    return s;
  };
  // A number of elements that has no large divisor: all but a rest.
  if (rows == 1 && parts * 2 < std::min(partitions, columns / kLeastColumns)) {
    const std::int64_t count = std::min(partitions, columns / kLeastColumns), whole = columns / count * count;
    TileSpace main = space, rest = space;
    main.dims.back() = whole;
    rest.dims.back() = columns - whole;
    rest.offset = whole;
    std::vector<TileSpace> both{cut_in(main, count)};
    if (columns > whole) both.push_back(rest);
    return both;
  }
  return {cut_in(space, parts)};
}

class TileKernel {
 public:
  TileKernel(Emission& emission, const std::vector<SlotId>& in, SlotId out, const TileCode& code,
             TileOperand result)
      : kernel_(emission.kernel),
        emission_(emission),
        in_(in),
        out_(out),
        code_(code),
        result_(result),
        registers_(assign_registers(code, result)),
        height_(static_cast<std::int64_t>(emission.machine.chip.core.sbuf.partitions)) {}

  void emit(const TileSpace& space) {
    for (const TileSpace& part : spread(space, height_)) emit_part(part);
  }

 private:
  struct Run {  // rows of an operand that are equally far apart
    unsigned first = 0, count = 0;
    std::int64_t offset = 0, stride = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  struct Loaded {
    std::vector<Run> runs;
    std::int64_t column = -1;
    unsigned columns = 0;
    TileView tile;
  };

  void emit_part(const TileSpace& space) {
    const Kernel::Scope scope(kernel_);
    const auto limit = static_cast<std::uint64_t>(space.columns());
    std::uint64_t per_column =
        kRegisterCopies * sizeof(float) * (registers_.count + (registers_.selects ? 2 : 0));
    for (const SlotId slot : in_) per_column += kInputCopies * isa::size_of(dtype_of(slot));
    per_column += kResultCopies * isa::size_of(dtype_of(out_));
    const auto width = static_cast<unsigned>(
        std::max<std::uint64_t>(1, std::min({limit, kTileBytes / per_column, kWidestTile})));
    inputs_.clear();
    pools_.clear();
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const bool column = space.strides[i].back() == 0;
      inputs_.push_back(kernel_.sbuf("operand", dtype_of(in_[i]), column ? 1 : width, kInputCopies));
    }
    for (std::uint32_t r = 0; r < registers_.count + (registers_.selects ? 2U : 0U); ++r)
      pools_.push_back(kernel_.sbuf("value", DType::kFp32, width, kRegisterCopies));
    results_ = kernel_.sbuf("result", dtype_of(out_), width, kResultCopies);
    loaded_.assign(in_.size(), {});
    for (std::int64_t row = 0; row < space.rows(); row += height_)
      for (const Range& columns : cut(all_of(static_cast<std::uint64_t>(space.columns())), width))
        emit_tile(space, row, static_cast<unsigned>(std::min(height_, space.rows() - row)), columns);
  }

  DType dtype_of(SlotId slot) const { return emission_.matrix(slot, 1, 1).dtype; }

  std::vector<Run> runs_of(const TileSpace& space, std::size_t operand, std::int64_t row,
                           unsigned count) const {
    std::vector<Run> runs;
    for (unsigned r = 0; r < count; ++r) {
      std::int64_t left = row + r, offset = 0;
      for (std::size_t d = space.dims.size() - 1; d-- > 0;) {
        offset += left % space.dims[d] * space.strides[operand][d];
        left /= space.dims[d];
      }
      if (!runs.empty()) {
        Run& last = runs.back();
        const std::int64_t step = offset - (last.offset + last.stride * (last.count - 1));
        if (last.count == 1 || step == last.stride) {
          last.stride = step;
          ++last.count;
          continue;
        }
      }
      runs.push_back({r, 1, offset, 0});
    }
    return runs;
  }

  TileView load(const TileSpace& space, std::size_t operand, std::int64_t row, unsigned count,
                const Range& columns) {
    const std::int64_t step = space.strides[operand].back();
    const unsigned width = step == 0 ? 1 : columns.count;
    const auto column = step == 0 ? 0 : static_cast<std::int64_t>(columns.first);
    const std::vector<Run> runs = runs_of(space, operand, row, count);
    Loaded& last = loaded_[operand];
    if (last.runs != runs || last.column != column || last.columns != width) {
      last = {runs, column, width, kernel_.take(inputs_[operand], count, width)};
      for (const Run& run : runs) {
        HbmView from =
            emission_.matrix(in_[operand], run.count, width,
                             static_cast<std::uint64_t>(run.offset + (column + space.offset) * step));
        from.row_stride = run.stride;
        from.column_stride = std::max<std::int64_t>(step, 1);
        kernel_.load(last.tile.partitions(run.first, run.count), from);
      }
    }
    return last.tile;
  }

  void emit_tile(const TileSpace& space, std::int64_t row, unsigned count, const Range& columns) {
    std::vector<TileView> tiles(code_.tiles());
    std::vector<bool> column(code_.tiles(), false);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      tiles[i] = load(space, i, row, count, columns);
      column[i] = space.strides[i].back() == 0;
    }
    const auto wide = [&](const TileOperand& operand) {
      const TileView& tile = tiles[*operand.tile];
      return column[*operand.tile] && columns.count > 1 ? tile.broadcast_columns(columns.count) : tile;
    };
    const TileView out = kernel_.take(results_, count, columns.count);
    for (const TileOperation& operation : code_.operations()) {
      const std::uint32_t register_of = registers_.of_tile[operation.result];
      TileView to = register_of == UINT32_MAX ? out : kernel_.take(pools_[register_of], count, columns.count);
      emit_operation(operation, to, wide, tiles, column);
      tiles[operation.result] = to;
    }
    if (code_.operations().empty() || result_.tile != code_.operations().back().result)
      kernel_.copy(out, wide(result_));
    HbmView to =
        emission_.matrix(out_, count, columns.count,
                         static_cast<std::uint64_t>(row * space.columns() + space.offset) + columns.first);
    to.row_stride = space.columns();
    kernel_.store(to, out, Queue::kGpSimd);
  }

  template <class Wide>
  void emit_operation(const TileOperation& operation, TileView& to, const Wide& wide,
                      const std::vector<TileView>& tiles, const std::vector<bool>& column) {
    using Kind = TileOperation::Kind;
    switch (operation.kind) {
      case Kind::kActivation:
        kernel_.activation(to, wide(operation.a), operation.fn,
                           {static_cast<float>(operation.scale), nullptr},
                           {static_cast<float>(operation.bias), nullptr});
        return;
      case Kind::kScalar:
        kernel_.tensor_scalar(to, wide(operation.a), operation.op,
                              {static_cast<float>(operation.b.number), nullptr}, AluOp::kBypass, {},
                              operation.op == AluOp::kPower ? Queue::kGpSimd : Queue::kVector);
        return;
      case Kind::kTensor: {
        const TileView& b = tiles[*operation.b.tile];
        // A column of fp32 is an operand of its own kind, which is read once for the row.
        if (operation.op == AluOp::kPower)  // only GpSimd has it
          kernel_.tensor_tensor(to, wide(operation.a), wide(operation.b), operation.op, Queue::kGpSimd);
        else if (column[*operation.b.tile] && b.tile.dtype == DType::kFp32)
          kernel_.tensor_scalar(to, wide(operation.a), operation.op, {0, &b});
        else
          kernel_.tensor_tensor(to, wide(operation.a), wide(operation.b), operation.op);
        return;
      }
      case Kind::kSelect:
        return select(operation, to, wide);
      case Kind::kNearest:
        to = to.as(DType::kInt32);
        kernel_.copy(to, wide(operation.a));
        return;
    }
  }

  template <class Wide>
  void select(const TileOperation& operation, const TileView& to, const Wide& wide) {
    const unsigned rows = to.shape.partitions, columns = to.shape.count[isa::kFreeDims - 1];
    const TileView predicate =
        kernel_.take(pools_[registers_.count], rows, columns).as(DType::kUint8).columns(0, columns);
    kernel_.tensor_scalar(predicate, wide(operation.c), AluOp::kIsNotEqual, {0, nullptr});
    kernel_.copy(to, wide(operation.b));
    TileView chosen = wide(operation.a);
    if (chosen.tile.dtype != to.tile.dtype) {
      TileView same = kernel_.take(pools_[registers_.count + 1], rows, columns);
      if (isa::size_of(to.tile.dtype) < sizeof(float)) same = same.as(to.tile.dtype).columns(0, columns);
      if (to.tile.dtype != same.tile.dtype) same = same.as(to.tile.dtype);
      kernel_.copy(same, chosen);
      chosen = same;
    }
    isa::Instruction instruction;
    instruction.op = isa::Opcode::kTensorCopyPredicated;
    instruction.shape = to.shape;
    instruction.dst = to.tile;
    instruction.src0 = chosen.tile;
    instruction.src1 = predicate.tile;
    kernel_.emit(Queue::kVector, instruction);
  }

  Kernel& kernel_;
  Emission& emission_;
  const std::vector<SlotId>& in_;
  SlotId out_;
  const TileCode& code_;
  TileOperand result_;
  TileRegisters registers_;
  std::int64_t height_;
  std::vector<Pool> inputs_, pools_;
  Pool results_;
  std::vector<Loaded> loaded_;
};

}  // namespace

void add_tile_code(Lowering& lowering, const TensorRef& out, const std::vector<TensorRef>& in,
                   const TileCode& code, TileOperand result) {
  if (elements_of(out.dims) == 0) return;
  Step step;
  step.kernel = "elementwise";
  step.bytes = lowering.bytes(out);
  std::vector<SlotId> slots;
  std::size_t activations = 0;
  for (const TileOperation& operation : code.operations())
    if (operation.kind == TileOperation::Kind::kActivation) ++activations;
  for (const TensorRef& operand : in) {
    step.bytes += lowering.bytes(operand);
    slots.push_back(operand.slot);
  }
  const TileSpace space = merged_space(out.dims, in);
  step.engine = 2 * activations > code.operations().size() ? StepEngine::kScalar : StepEngine::kVector;
  step.dtype = lowering.dtype(out);
  step.flops = static_cast<double>(code.operations().size() * elements_of(out.dims));
  step.tiles =
      fmt::format("{} rows of {}, {} operations", space.rows(), space.columns(), code.operations().size());
  step.emit = [space, slots, to = out.slot, code, result](Emission& emission) {
    TileKernel(emission, slots, to, code, result).emit(space);
  };
  lowering.add(std::move(step));
}

void add_tensor_operation(Lowering& lowering, const TensorRef& out, const TensorRef& a, const TensorRef& b,
                          AluOp op) {
  TileCode code(2);
  const TileOperand result = code.apply(op, code.input(0), code.input(1));
  add_tile_code(lowering, out, {a, b}, code, result);
}

void add_activation(Lowering& lowering, const TensorRef& out, const TensorRef& in, isa::ActFn fn) {
  TileCode code(1);
  const TileOperand result = code.activation(fn, code.input(0));
  add_tile_code(lowering, out, {in}, code, result);
}

}  // namespace tahoma::workloads::graph
