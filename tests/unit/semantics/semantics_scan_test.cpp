// SPDX-License-Identifier: Apache-2.0
// Compares tensor_tensor_scan and tensor_scalar_cumulative with the recurrences of their rows, element by
// element.
#include <map>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::ReduceCommand, isa::Scalar, isa::Shape,
    isa::Tile;
using namespace tahoma::test;

// The elements are checked in ascending order, partition by partition: `state` is carried along.
struct Running {
  unsigned partition = ~0U;
  float state = 0;
  float& of(unsigned p, float start) {
    if (p != partition) state = start;
    partition = p;
    return state;
  }
};

}  // namespace

TEST_CASE("tensor_tensor_scan: state = (src0 op0 state) op1 src1 along all free dimensions", "[isa]") {
  TileFixture f(91);
  unsigned n = 0;
  for (const AluOp op0 : kBinaryOps) {
    for (const AluOp op1 : kBinaryOps) {
      const Form& form = kForms[n % std::size(kForms)];
      const DType a = kAllDTypes[n % 13], b = kAllDTypes[n * 5 % 13], to = kAllDTypes[n++ * 3 % 13];
      CAPTURE(int(op0), int(op1), isa::name_of(a), isa::name_of(b), isa::name_of(to));
      Instruction i = instruction(Opcode::kTensorTensorScan, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                  f.tile(a, 0, kSrcAt, form.src));
      i.src1 = f.tile(b, 0, kOtherAt, form.src);
      i.op0 = op0;
      i.op1 = op1;
      i.reverse0 = f.numbers.below(2) == 0;
      i.reverse1 = f.numbers.below(2) == 0;
      i.scalar0 = f.either(256, form.shape.partitions);
      f.fill(i.src0, form.shape, n % 2 == 0);
      f.fill(i.src1, form.shape, n % 2 == 0);
      Running running;
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        float& state = running.of(p, scalar_at(m, i.scalar0, p));
        state = apply(op1, i.reverse1, apply(op0, i.reverse0, number_at(m, i.src0, p, at), state),
                      number_at(m, i.src1, p, at));
        return state;
      });
    }
  }
}

TEST_CASE("tensor_tensor_scan: dst may be a source", "[isa]") {
  TileFixture f(92);
  const Shape shape = row_shape(5, 1100);
  const Tile x = f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1}), y = f.tile(DType::kFp32, 0, 8192, {0, 0, 0, 1});
  for (const Tile& dst : {x, y}) {
    f.fill(x, shape, false);
    f.fill(y, shape, false);
    Instruction i = instruction(Opcode::kTensorTensorScan, shape, dst, x);
    i.src1 = y;
    i.op0 = AluOp::kMult;
    i.op1 = AluOp::kAdd;
    i.scalar0.imm = 2;
    Running running;
    f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
      float& state = running.of(p, 2);
      state = apply(AluOp::kAdd, apply(AluOp::kMult, number_at(m, x, p, at), state), number_at(m, y, p, at));
      return state;
    });
  }
}

TEST_CASE("tensor_scalar_cumulative: acc = (src op0 scalar) op1 acc, from the command's initial value",
          "[isa]") {
  TileFixture f(93);
  const std::map<AluOp, float> neutral{{AluOp::kAdd, 0.0F},
                                       {AluOp::kSubtract, 0.0F},
                                       {AluOp::kMult, 1.0F},
                                       {AluOp::kMax, -INFINITY},
                                       {AluOp::kMin, INFINITY}};
  const DType legal[] = {DType::kFp32, DType::kBf16,    DType::kFp16,    DType::kUint8,
                         DType::kTf32, DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4,
                         DType::kInt8, DType::kInt16,   DType::kUint16};
  std::vector<AluOp> ops(std::begin(kBinaryOps), std::end(kBinaryOps));
  ops.insert(ops.end(), std::begin(kUnaryOps), std::end(kUnaryOps));
  unsigned n = 0;
  for (const AluOp op0 : ops) {
    for (const auto& [op1, zero] : neutral) {
      for (const ReduceCommand command :
           {ReduceCommand::kResetReduce, ReduceCommand::kReduce, ReduceCommand::kLoadReduce,
            ReduceCommand::kReset, ReduceCommand::kIdle}) {
        const Form& form = kForms[n++ % std::size(kForms)];
        const DType from = legal[n % 11], to = legal[n / 2 % 11];
        const unsigned first =
            form.shape.partitions <= 32 ? 32 * f.numbers.below(4) : 0;  // of dst: its lanes
        CAPTURE(int(op0), int(op1), int(command), isa::name_of(from), isa::name_of(to), first);
        Instruction i = instruction(Opcode::kTensorScalarCumulative, form.shape,
                                    f.tile(to, first, kDstAt, form.dst), f.tile(from, 0, kSrcAt, form.src));
        i.op0 = op0;
        i.op1 = op1;
        i.command = command;
        i.reverse0 = f.numbers.below(2) == 0;
        i.scalar0 = f.either(256, form.shape.partitions);
        i.scalar1 = f.either(512, form.shape.partitions);
        f.fill(i.src0, form.shape, n % 2 == 0);
        for (float& a : f.memory.lanes.accumulator) a = f.numbers.any();
        const isa::LaneState before = f.memory.lanes;
        const bool folds = command != ReduceCommand::kReset && command != ReduceCommand::kIdle;
        std::vector<float> last(form.shape.partitions);
        Running running;
        f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
          const bool continues = command == ReduceCommand::kReduce || command == ReduceCommand::kIdle;
          const float start = continues                               ? before.accumulator[first + p]
                              : command == ReduceCommand::kLoadReduce ? scalar_at(m, i.scalar1, p)
                                                                      : zero;
          float& state = running.of(p, start);
          const float x = apply(op0, i.reverse0, number_at(m, i.src0, p, at), scalar_at(m, i.scalar0, p));
          if (folds) state = apply(op1, x, state);
          last[p] = state;
          return state;
        });
        std::size_t wrong = 0;
        for (unsigned lane = 0; lane < 128; ++lane) {
          const bool mine = lane >= first && lane < first + form.shape.partitions;
          wrong += !same_number(f.memory.lanes.accumulator[lane],
                                mine ? last[lane - first] : before.accumulator[lane]);
        }
        CHECK(wrong == 0);
      }
    }
  }
}
