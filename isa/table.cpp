// SPDX-License-Identifier: Apache-2.0
#include "isa/table.h"

#include <algorithm>

#include "isa/table_fields.h"

namespace tahoma::isa {
namespace {

using enum FieldKind;

template <class... Enums>
constexpr std::uint8_t bits(Enums... values) {
  return static_cast<std::uint8_t>(((1U << static_cast<unsigned>(values)) | ...));
}

constexpr std::uint8_t kSbufOnly = bits(Space::kSbuf), kPsumOnly = bits(Space::kPsum);
constexpr std::uint8_t kAnyDType = 0b111111, kFp32Only = bits(DType::kFp32);
constexpr std::uint8_t kFloats = bits(DType::kFp32, DType::kBf16, DType::kFp16);
constexpr std::uint8_t kNoBypass =
    bits(AluOp::kAdd, AluOp::kSubtract, AluOp::kMult, AluOp::kDivide, AluOp::kMax, AluOp::kMin);
constexpr std::uint8_t kAnyAlu = kNoBypass | bits(AluOp::kBypass);
// A reduction has no declared meaning for operations whose order of operands matters.
constexpr std::uint8_t kReductions = bits(AluOp::kAdd, AluOp::kMult, AluOp::kMax, AluOp::kMin);

constexpr std::uint8_t kTensor = bits(Queue::kTensor);
constexpr std::uint8_t kVector = bits(Queue::kVector);
constexpr std::uint8_t kScalar = bits(Queue::kScalar);
constexpr std::uint8_t kGpSimd = bits(Queue::kGpSimd);
constexpr std::uint8_t kAllQueues = (1U << kQueueCount) - 1;

constexpr Field need(FieldKind kind, std::string_view name) { return {kind, name}; }
constexpr Field may(FieldKind kind, std::string_view name) { return {kind, name, true}; }
constexpr Field tile(FieldKind kind, std::string_view name, std::uint8_t dtypes = kAnyDType,
                     std::uint8_t spaces = kSbufOnly | kPsumOnly) {
  return {kind, name, false, spaces, dtypes};
}
constexpr Field alu(FieldKind kind, std::string_view name, std::uint8_t choices, bool optional = false) {
  return {kind, name, optional, 0, 0, choices};
}

constexpr Field kShapeField = need(kShape, "shape");

constexpr Field kLoadWeightsFields[] = {kShapeField, tile(kStationary, "src", kFloats, kSbufOnly)};
constexpr Field kMatmulFields[] = {kShapeField, need(kColumns, "columns"),
                                   tile(kMatrixDst, "dst", kFp32Only, kPsumOnly),
                                   tile(kMoving, "src", kFloats, kSbufOnly), may(kAccumulate, "accumulate")};
constexpr Field kTransposeFields[] = {kShapeField, need(kColumns, "columns"),
                                      tile(kTransposeDst, "dst", kFloats, kPsumOnly),
                                      tile(kMoving, "src", kFloats, kSbufOnly)};
constexpr Field kCopyFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src")};
constexpr Field kTensorTensorFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src0"),
                                         tile(kSrc1, "src1"), alu(kOp0, "op", kNoBypass)};
constexpr Field kTensorScalarFields[] = {kShapeField,
                                         tile(kDst, "dst"),
                                         tile(kSrc0, "src"),
                                         alu(kOp0, "op0", kAnyAlu),
                                         need(kScalar0, "scalar0"),
                                         alu(kOp1, "op1", kAnyAlu, true),
                                         may(kScalar1, "scalar1"),
                                         may(kReverse0, "reverse0"),
                                         may(kReverse1, "reverse1")};
constexpr Field kReduceFields[] = {kShapeField, tile(kReducedDst, "dst"), tile(kSrc0, "src"),
                                   alu(kReduceOp, "op", kReductions), need(kAxes, "axes")};
constexpr Field kActivationFields[] = {kShapeField,         tile(kDst, "dst"),       tile(kSrc0, "src"),
                                       need(kFunc, "func"), need(kScalar0, "scale"), may(kScalar1, "bias")};
constexpr Field kActivationReduceFields[] = {
    kShapeField,          tile(kDst, "dst"),   tile(kReduceResult, "sum", kFp32Only),
    tile(kSrc0, "src"),   need(kFunc, "func"), need(kScalar0, "scale"),
    may(kScalar1, "bias")};
constexpr Field kReciprocalFields[] = {kShapeField, tile(kDst, "dst", kFloats), tile(kSrc0, "src", kFloats)};
constexpr Field kMemsetFields[] = {kShapeField, tile(kDst, "dst"), need(kValue, "value")};
constexpr Field kIotaFields[] = {kShapeField, tile(kDst, "dst", kAnyDType, kSbufOnly),
                                 may(kPattern, "pattern"), may(kBase, "base"),
                                 may(kChannelMultiplier, "channel_multiplier")};
constexpr Field kAffineSelectFields[] = {kShapeField,
                                         tile(kDst, "dst", kAnyDType, kSbufOnly),
                                         tile(kSrc0, "src", kAnyDType, kSbufOnly),
                                         may(kPattern, "pattern"),
                                         may(kBase, "base"),
                                         may(kChannelMultiplier, "channel_multiplier"),
                                         need(kCompare, "compare"),
                                         need(kValue, "value")};
constexpr Field kDmaCopyFields[] = {need(kDescriptor, "descriptor"), may(kRing, "ring"),
                                    may(kDstReg, "dst_reg"), may(kSrcReg, "src_reg"), may(kNotify, "notify")};
constexpr Field kRegSetFields[] = {need(kRegD, "d"), need(kImm, "imm")};
constexpr Field kRegAddFields[] = {need(kRegD, "d"), need(kRegA, "a"), may(kRegB, "b"), may(kImm, "imm")};
constexpr Field kJumpFields[] = {need(kTarget, "target")};
constexpr Field kBranchFields[] = {need(kRegA, "a"), need(kCompare, "compare"), may(kRegB, "b"),
                                   may(kImm, "imm"), need(kTarget, "target")};

constexpr std::uint8_t kDoorbells =
    bits(Queue::kVector, Queue::kScalar, Queue::kGpSimd, Queue::kSync, Queue::kCc0, Queue::kCc1);
constexpr Availability kYes = Availability::kSupported;

// In the order of Opcode.
constexpr OpRow kRows[] = {
    {Opcode::kNop,
     "nop",
     kAllQueues,
     {},
     CostClass::kNone,
     kYes,
     "nothing",
     "Does nothing; may carry a wait and an update."},
    {Opcode::kLoadWeights, "load_weights", kTensor, kLoadWeightsFields, CostClass::kWeightLoad, kYes,
     "weights[k, m] = src[k, m]",
     "Loads the stationary operand of the following matmuls: K partitions (rows) by M elements (columns)."},
    {Opcode::kMatmul, "matmul", kTensor, kMatmulFields, CostClass::kMatmul, kYes,
     "dst[m, n] = (accumulate ? dst[m, n] : 0) + sum over k ascending of weights[k, m] * src[k, n]",
     "Multiplies the loaded weights by the moving operand into fp32 PSUM: one rounding per fused "
     "multiply-add from +0, "
     "one for the addition to PSUM."},
    {Opcode::kTranspose, "transpose", kTensor, kTransposeFields, CostClass::kMatmul, kYes,
     "dst[m, n] = weights[k, m] for the k with src[k, n] != 0",
     "Moves the loaded weights through the array bit by bit, selected by the moving operand (an identity "
     "matrix)."},
    {Opcode::kTensorCopy, "tensor_copy", kVector | kScalar | kGpSimd, kCopyFields, CostClass::kElementwise,
     kYes, "dst[i] = src[i]", "Copies a tile, converting the dtype; equal dtypes are copied bit by bit."},
    {Opcode::kTensorTensor, "tensor_tensor", kVector | kGpSimd, kTensorTensorFields, CostClass::kTwoInput,
     kYes, "dst[i] = src0[i] op src1[i]", "Combines two tiles element by element in fp32."},
    {Opcode::kTensorScalar, "tensor_scalar", kVector | kScalar | kGpSimd, kTensorScalarFields,
     CostClass::kElementwise, kYes, "dst[i] = (src[i] op0 scalar0) op1 scalar1",
     "Combines a tile with one or two constants or [P,1] columns in fp32; reverse puts the constant on the "
     "left. The "
     "scalar engine has only mult and add."},
    {Opcode::kTensorReduce, "tensor_reduce", kVector, kReduceFields, CostClass::kReduce, kYes,
     "dst[outer] = op over the `axes` innermost dimensions of src[outer, inner]",
     "Reduces the innermost free dimensions in ascending order."},
    {Opcode::kActivation, "activation", kScalar, kActivationFields, CostClass::kActivation, kYes,
     "dst[i] = func(src[i] * scale + bias)",
     "Applies a function after a fused scale and bias, each a constant or a [P,1] column."},
    {Opcode::kActivationReduce, "activation_reduce", kScalar, kActivationReduceFields,
     CostClass::kActivationReduce, kYes,
     "dst[i] = func(src[i] * scale + bias); sum[p] = sum over i ascending of the fp32 results",
     "An activation that also sums its results along the free dimensions into a [P,1] column."},
    {Opcode::kReciprocal, "reciprocal", kVector, kReciprocalFields, CostClass::kReciprocal, kYes,
     "dst[i] = 1 / src[i]", "Correctly rounded reciprocal on the vector engine."},
    {Opcode::kMemset, "memset", kVector | kGpSimd, kMemsetFields, CostClass::kMemset, kYes, "dst[i] = value",
     "Fills a tile with a constant."},
    {Opcode::kIota, "iota", kGpSimd, kIotaFields, CostClass::kGpSimdPattern, kYes,
     "dst[p, i] = base + channel_multiplier * p + sum over d of pattern[d] * i[d]",
     "Writes an affine function of the index."},
    {Opcode::kAffineSelect, "affine_select", kGpSimd, kAffineSelectFields, CostClass::kGpSimdPattern, kYes,
     "dst[p, i] = (base + channel_multiplier * p + sum over d of pattern[d] * i[d]) compare 0 ? src[p, i] : "
     "value",
     "Keeps the elements whose affine index satisfies a comparison with zero: causal and edge masks."},
    {Opcode::kDmaCopy, "dma_copy", kDoorbells, kDmaCopyFields, CostClass::kDoorbell, kYes,
     "dst[i] = src[i], or dst[i] + src[i] where the descriptor accumulates",
     "Rings the doorbell of a transfer on one ring of all 16 DMA engines. The wait holds the doorbell back; "
     "the update "
     "fires once per engine when its last byte is written."},
    {Opcode::kSemWait,
     "sem_wait",
     kAllQueues,
     {},
     CostClass::kSemaphore,
     kYes,
     "wait until the semaphore satisfies",
     "Holds the queue until its wait is satisfied.",
     true,
     false},
    {Opcode::kSemSet,
     "sem_set",
     kAllQueues,
     {},
     CostClass::kSemaphore,
     kYes,
     "update the semaphore",
     "Changes a semaphore once all earlier instructions of the queue are complete.",
     false,
     true},
    {Opcode::kRegSet, "reg_set", kAllQueues, kRegSetFields, CostClass::kRegister, kYes, "d = imm",
     "Sets a register of the queue's sequencer."},
    {Opcode::kRegAdd, "reg_add", kAllQueues, kRegAddFields, CostClass::kRegister, kYes, "d = a + (b or imm)",
     "Adds a register or an immediate to a register, modulo 2^32."},
    {Opcode::kJump, "jump", kAllQueues, kJumpFields, CostClass::kBranch, kYes, "goto target",
     "Continues at another instruction of the same stream."},
    {Opcode::kBranch, "branch", kAllQueues, kBranchFields, CostClass::kBranch, kYes,
     "if a compare (b or imm) goto target",
     "Continues at another instruction when signed 32-bit values compare so."},
};

constexpr std::uint8_t kBoth = kSbufOnly | kPsumOnly;
// In the order of Queue. GpSimd has no path to PSUM; the scalar engine's tensor_scalar has mult and add only.
constexpr QueueRow kQueueRows[] = {
    {Queue::kTensor, kBoth, 0, "tensor engine: the systolic array, SBUF to PSUM"},
    {Queue::kVector, kBoth, kAnyAlu, "vector engine: element-wise and reductions"},
    {Queue::kScalar, kBoth, bits(AluOp::kMult, AluOp::kAdd, AluOp::kBypass),
     "scalar engine: activation functions; ALU operations mult and add only"},
    {Queue::kGpSimd, kSbufOnly, kAnyAlu, "GpSimd engine: patterns and the rest; no access to PSUM"},
    {Queue::kSync, 0, 0, "sync engine: doorbells, semaphores and control flow"},
    {Queue::kCc0, 0, 0, "first collective core: doorbells, semaphores and control flow"},
    {Queue::kCc1, 0, 0, "second collective core: doorbells, semaphores and control flow"},
};

constexpr bool rows_stand_in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<std::size_t>(kRows[i].op) != i) return false;
  for (std::size_t i = 0; i < std::size(kQueueRows); ++i)
    if (static_cast<std::size_t>(kQueueRows[i].queue) != i) return false;
  return std::size(kRows) == kOpcodeCount && std::size(kQueueRows) == kQueueCount;
}
static_assert(rows_stand_in_order(), "every opcode and queue has one row, at its own index");
static_assert(std::all_of(std::begin(kRows), std::end(kRows),
                          [](const OpRow& r) { return word_bits(r) <= kWordBits; }),
              "every row fits the 64-byte word");

}  // namespace

const OpRow& row_of(Opcode op) { return kRows[static_cast<std::size_t>(op)]; }
std::span<const OpRow> all_rows() { return kRows; }
const QueueRow& row_of(Queue queue) { return kQueueRows[static_cast<std::size_t>(queue)]; }

const OpRow* row_by_mnemonic(std::string_view mnemonic) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const OpRow& r) { return r.mnemonic == mnemonic; });
  return row == std::end(kRows) ? nullptr : row;
}

std::string_view name_of(CostClass cost) {
  constexpr std::string_view kNames[] = {"none",       "weight_load", "matmul",         "elementwise",
                                         "two_input",  "reduce",      "activation",     "activation_reduce",
                                         "reciprocal", "memset",      "gpsimd_pattern", "doorbell",
                                         "semaphore",  "register",    "branch"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(CostClass::kCount));
  return cost < CostClass::kCount ? kNames[static_cast<std::size_t>(cost)] : "?";
}

}  // namespace tahoma::isa
