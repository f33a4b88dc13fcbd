// SPDX-License-Identifier: Apache-2.0
// Compares tensor_scalar_reduce, select_reduce, range_select and activation_reduce with their formulas: their
// output, and the contents of the accumulators and the result's column after every command.
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::ActFn, isa::AluOp, isa::CompareOp, isa::DType, isa::Instruction, isa::Opcode, isa::ReduceCommand,
    isa::Scalar, isa::Tile;
using namespace tahoma::test;

constexpr ReduceCommand kCommands[] = {ReduceCommand::kResetReduce, ReduceCommand::kReduce,
                                       ReduceCommand::kLoadReduce, ReduceCommand::kReset,
                                       ReduceCommand::kIdle};
constexpr DType kFloats[] = {DType::kFp32,    DType::kBf16,    DType::kFp16,   DType::kTf32,
                             DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4};
constexpr std::uint32_t kResultAt = 1024;

float neutral(AluOp op) {
  return op == AluOp::kMax ? -INFINITY : op == AluOp::kMin ? INFINITY : op == AluOp::kMult ? 1.0F : 0.0F;
}

// The nth of many combinations of form, command, place of dst and dtype of the result.
Instruction nth(TileFixture& f, Opcode op, unsigned n, DType to, DType from) {
  const Form& form = kForms[n % std::size(kForms)];
  const unsigned first = form.shape.partitions <= 32 ? 32 * f.numbers.below(4) : 0;
  Instruction i =
      instruction(op, form.shape, f.tile(to, first, kDstAt, form.dst), f.tile(from, 0, kSrcAt, form.src));
  i.src1 = f.tile(DType::kUint8, 0, kOtherAt, form.src);
  i.command = kCommands[n % std::size(kCommands)];
  i.result = {f.numbers.below(3) != 0, isa::Space::kSbuf, kFloats[n % std::size(kFloats)], 0, kResultAt};
  for (float& a : f.memory.lanes.accumulator) a = f.numbers.any();
  return i;
}

// Runs the instruction; value(p, index) is the fp32 value that it computes for an element.
template <class Value>
void check_folds(TileFixture& f, const Instruction& i, AluOp op, const Scalar* init, Value value) {
  const isa::LaneState lanes = f.memory.lanes;
  const unsigned count = i.shape.partitions, first = i.dst.partition;
  std::vector<float> accumulator(count);
  for (unsigned p = 0; p < count; ++p) {
    const bool kept = i.command == ReduceCommand::kReduce || i.command == ReduceCommand::kIdle;
    const bool loads = i.command == ReduceCommand::kLoadReduce && init != nullptr;
    accumulator[p] = kept    ? lanes.accumulator[first + p]
                     : loads ? scalar_at(f.memory, *init, p)
                             : neutral(op);
  }
  TileMemory before = f.memory;
  isa::execute(i, f.memory.view());
  std::size_t wrong = 0;
  for_each_element(i.shape, [&](unsigned p, const auto& at) {
    const float x = value(before, p, at);
    wrong += !same_number(number_at(f.memory, i.dst, p, at), stored(i.dst.dtype, x));
    std::memcpy(before.at(i.dst, p, at), f.memory.at(i.dst, p, at), isa::size_of(i.dst.dtype));
    const bool folds = i.command != ReduceCommand::kReset && i.command != ReduceCommand::kIdle;
    if (folds) accumulator[p] = apply(op, accumulator[p], x);
  });
  CHECK(wrong == 0);
  for (unsigned lane = 0; lane < 128; ++lane) {
    const bool mine = lane >= first && lane < first + count;
    wrong += !same_number(f.memory.lanes.accumulator[lane],
                          mine ? accumulator[lane - first] : lanes.accumulator[lane]);
  }
  CHECK(wrong == 0);
  const Tile column{i.result.space, i.result.dtype, i.result.partition, i.result.offset, {}};
  for (unsigned p = 0; i.result.present && p < count; ++p) {
    wrong += !same_number(number_at(f.memory, column, p, {}), stored(i.result.dtype, accumulator[p]));
    std::memcpy(before.at(column, p, {}), f.memory.at(column, p, {}), isa::size_of(column.dtype));
  }
  CHECK(wrong == 0);
  CHECK(same_bytes(f.memory, before));
}

bool holds(CompareOp op, double a, double b) {
  const bool less = a < b, equal = a == b;
  return op == CompareOp::kEq   ? equal
         : op == CompareOp::kNe ? !equal
         : op == CompareOp::kLt ? less
         : op == CompareOp::kLe ? less || equal
         : op == CompareOp::kGt ? a > b
                                : a > b || equal;
}

}  // namespace

TEST_CASE("tensor_scalar_reduce: writes src op0 scalar, folds it with op1 by the command", "[isa]") {
  TileFixture f(101);
  std::vector<AluOp> ops(std::begin(kBinaryOps), std::end(kBinaryOps));
  ops.insert(ops.end(), std::begin(kUnaryOps), std::end(kUnaryOps));
  unsigned n = 0;
  for (const AluOp op0 : ops) {
    for (const AluOp op1 : {AluOp::kAdd, AluOp::kMult, AluOp::kMax, AluOp::kMin}) {
      for (unsigned turn = 0; turn < 4; ++turn, ++n) {
        CAPTURE(int(op0), int(op1), n);
        Instruction i = nth(f, Opcode::kTensorScalarReduce, n, kAllDTypes[n % 13], kAllDTypes[n * 5 % 13]);
        i.op0 = op0;
        i.op1 = op1;
        i.reverse0 = f.numbers.below(2) == 0;
        i.scalar0 = f.either(256, i.shape.partitions);
        i.scalar1 = f.either(512, i.shape.partitions);
        f.fill(i.src0, i.shape, n % 2 == 0);
        check_folds(f, i, op1, &i.scalar1, [&](TileMemory& m, unsigned p, const auto& at) {
          return apply(op0, i.reverse0, number_at(m, i.src0, p, at), scalar_at(m, i.scalar0, p));
        });
      }
    }
  }
}

TEST_CASE("select_reduce: the tile where the predicate holds, else on_false, and the maximum", "[isa]") {
  TileFixture f(102);
  const DType sources[] = {DType::kFp32,    DType::kBf16, DType::kFp16,  DType::kFp8E4M3, DType::kFp8E5M2,
                           DType::kFp8E3M4, DType::kInt8, DType::kUint8, DType::kInt16,   DType::kUint16};
  unsigned n = 0;
  for (const DType predicate : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16}) {
    for (unsigned turn = 0; turn < 45; ++turn, ++n) {
      CAPTURE(isa::name_of(predicate), n);
      Instruction i = nth(f, Opcode::kSelectReduce, n, kAllDTypes[n % 13], sources[n % 10]);
      i.src1.dtype = predicate;
      i.scalar0 = f.either(256, i.shape.partitions);
      i.reverse0 = f.numbers.below(2) == 0;
      f.fill(i.src0, i.shape, n % 2 == 0);
      for_each_element(i.shape, [&](unsigned p, const auto& at) {
        const std::uint32_t bits = f.numbers.below(2) * f.numbers.word();
        std::memcpy(f.memory.at(i.src1, p, at), &bits, isa::size_of(predicate));
      });
      check_folds(f, i, AluOp::kMax, nullptr, [&](TileMemory& m, unsigned p, const auto& at) {
        const bool chosen = (m.bits(i.src1, p, at) != 0) != i.reverse0;
        return chosen ? number_at(m, i.src0, p, at) : scalar_at(m, i.scalar0, p);
      });
    }
  }
}

TEST_CASE("range_select: keeps the elements whose number passes both comparisons, and the maximum", "[isa]") {
  TileFixture f(103);
  unsigned n = 0;
  for (unsigned c0 = 0; c0 < 6; ++c0) {
    for (unsigned c1 = 0; c1 < 6; ++c1) {
      for (unsigned turn = 0; turn < 5; ++turn, ++n) {
        CAPTURE(c0, c1, n);
        Instruction i = nth(f, Opcode::kRangeSelect, n, kAllDTypes[n % 13], kFloats[n % std::size(kFloats)]);
        i.compare = static_cast<CompareOp>(c0);
        i.compare1 = static_cast<CompareOp>(c1);
        // Values around a start that fp32 sometimes cannot distinguish from its neighbours, with bounds among
        // the numbers.
        i.base = turn == 0   ? 0
                 : turn == 1 ? 16777200
                 : turn == 2 ? -2147483647
                             : static_cast<int>(f.numbers.below(1000)) - 500;
        const unsigned elements = i.shape.count[0] * i.shape.count[1] * i.shape.count[2] * i.shape.count[3];
        const Tile bounds[] = {f.tile(DType::kFp32, 0, 256, {}), f.tile(DType::kFp32, 0, 512, {})};
        for (const Tile& bound : bounds) {
          for (unsigned p = 0; p < i.shape.partitions; ++p) {
            f.memory.set(bound, p, {},
                         n % 7 == 0
                             ? f.numbers.any()
                             : static_cast<float>(i.base + static_cast<int>(f.numbers.below(elements + 1))));
          }
        }
        i.scalar0 = {true, 0, isa::Space::kSbuf, 0, 256};
        i.scalar1 = n % 3 == 0 ? Scalar{false, static_cast<float>(i.base) + 20}
                               : Scalar{true, 0, isa::Space::kSbuf, 0, 512};
        f.fill(i.src0, i.shape, n % 2 == 0);
        unsigned number = 0;
        check_folds(f, i, AluOp::kMax, nullptr, [&](TileMemory& m, unsigned p, const auto& at) {
          const auto& count = i.shape.count;
          number = ((at[0] * count[1] + at[1]) * count[2] + at[2]) * count[3] + at[3];
          const double index = static_cast<float>(static_cast<std::int64_t>(i.base) + number);
          const bool inside = holds(i.compare, index, scalar_at(m, i.scalar0, p)) &&
                              holds(i.compare1, index, scalar_at(m, i.scalar1, p));
          return inside ? number_at(m, i.src0, p, at) : -3.4028235e38F;
        });
      }
    }
  }
}

TEST_CASE("activation_reduce: sums the fp32 results by the command, with or without a column", "[isa]") {
  TileFixture f(104);
  const ActFn functions[] = {ActFn::kCopy, ActFn::kSquare, ActFn::kAbs, ActFn::kReciprocal};
  for (unsigned n = 0; n < 200; ++n) {
    CAPTURE(n);
    Instruction i = nth(f, Opcode::kActivationReduce, n, kAllDTypes[n % 13], kAllDTypes[n * 5 % 13]);
    i.result.dtype = DType::kFp32;
    i.func = functions[n % 4];
    i.scalar0 = f.either(256, i.shape.partitions);
    i.scalar1 = f.either(512, i.shape.partitions);
    f.fill(i.src0, i.shape, n % 2 == 0);
    check_folds(f, i, AluOp::kAdd, nullptr, [&](TileMemory& m, unsigned p, const auto& at) {
      const float x =
          std::fma(number_at(m, i.src0, p, at), scalar_at(m, i.scalar0, p), scalar_at(m, i.scalar1, p));
      return n % 4 == 0   ? x
             : n % 4 == 1 ? apply(AluOp::kMult, x, x)
             : n % 4 == 2 ? apply(AluOp::kAbs, x, x)
                          : apply(AluOp::kReciprocal, x, x);
    });
  }
}

TEST_CASE("accumulators: one sum runs through several instructions; idle leaves it; -0 sums to +0", "[isa]") {
  TileFixture f(105);
  const auto shape = row_shape(3, 20);
  Instruction i =
      instruction(Opcode::kTensorScalarReduce, shape, f.tile(DType::kFp32, 64, kDstAt, {0, 0, 0, 1}),
                  f.tile(DType::kFp32, 0, kSrcAt, {0, 0, 0, 1}));
  i.op0 = AluOp::kMult;
  i.scalar0.imm = 1;
  i.op1 = AluOp::kAdd;
  i.result = {true, isa::Space::kSbuf, DType::kFp32, 32, 0};
  const Tile result = f.tile(DType::kFp32, 32, 0, {});
  const auto run = [&](ReduceCommand command, float x) {
    for_each_element(shape, [&](unsigned p, const auto& at) { f.memory.set(i.src0, p, at, x); });
    i.command = command;
    isa::execute(i, f.memory.view());
    return f.memory.get(result, 2, {});
  };
  CHECK(run(ReduceCommand::kResetReduce, 1) == 20);
  CHECK(run(ReduceCommand::kReduce, 2) == 60);
  CHECK(run(ReduceCommand::kIdle, 100) == 60);
  CHECK(run(ReduceCommand::kReduce, 1) == 80);
  CHECK(f.memory.lanes.accumulator[66] == 80);
  CHECK(run(ReduceCommand::kReset, 5) == 0);
  CHECK(f.memory.lanes.accumulator[66] == 0);
  i.scalar1.imm = 1000;
  CHECK(run(ReduceCommand::kLoadReduce, 1) == 1020);
  CHECK(same_bits(run(ReduceCommand::kResetReduce, -0.0F), 0.0F));
  i.op1 = AluOp::kMax;
  CHECK(run(ReduceCommand::kReset, 5) == -INFINITY);
}

TEST_CASE("accumulators: a core that keeps none still sums within an instruction", "[isa]") {
  TileFixture f(106);
  const auto shape = row_shape(2, 5);
  Instruction i = instruction(Opcode::kActivationReduce, shape, f.tile(DType::kFp32, 0, kDstAt, {0, 0, 0, 1}),
                              f.tile(DType::kFp32, 0, kSrcAt, {0, 0, 0, 1}));
  for_each_element(shape, [&](unsigned p, const auto& at) { f.memory.set(i.src0, p, at, 2); });
  i.scalar0.imm = 1;
  i.result = {true, isa::Space::kSbuf, DType::kFp32, 0, 0};
  isa::CoreView view = f.memory.view();
  view.lanes = nullptr;
  isa::execute(i, view);
  CHECK(f.memory.get(f.tile(DType::kFp32, 0, 0, {}), 1, {}) == 10);
}
