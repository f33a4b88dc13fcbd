// SPDX-License-Identifier: Apache-2.0
// One decoded instruction: a plain value with a slot for every kind of operand. Which slots an opcode uses,
// their limits and their place in the 64-byte word stand in the opcode's row of the table (isa/table.h);
// unused slots keep their defaults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/dtype.h"

namespace tahoma::isa {

// The in-order instruction streams of a NeuronCore: five engines and the two collective cores assigned to it.
enum class Queue : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kSync, kCc0, kCc1 };
inline constexpr std::size_t kQueueCount = 7;

enum class Opcode : std::uint8_t {
  kNop,
  // tensor engine
  kLoadWeights,
  kMatmul,
  kTranspose,
  // element-wise engines
  kTensorCopy,
  kTensorTensor,
  kTensorScalar,
  kTensorReduce,
  kActivation,
  kActivationReduce,
  kReciprocal,
  kMemset,
  kIota,
  kAffineSelect,
  // data movement
  kDmaCopy,
  // semaphores, registers, control flow
  kSemWait,
  kSemSet,
  kRegSet,
  kRegAdd,
  kJump,
  kBranch,
  kCount
};
inline constexpr std::size_t kOpcodeCount = static_cast<std::size_t>(Opcode::kCount);

enum class Space : std::uint8_t { kSbuf, kPsum, kHbm };
enum class AluOp : std::uint8_t { kAdd, kSubtract, kMult, kDivide, kMax, kMin, kBypass };
enum class CompareOp : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
// What each computes: isa/activation_functions.h.
enum class ActFn : std::uint8_t {
  kCopy,
  kSquare,
  kRelu,
  kAbs,
  kSign,
  kExp,
  kReciprocal,
  kSqrt,
  kSigmoid,
  kPrelu,
  kGelu,
  kGeluDx,
  kGeluTanh,
  kGeluSigmoid,
  kGeluSigmoidDx,
  kSilu,
  kSiluDx,
  kTanh,
  kSoftplus,
  kMish,
  kErf,
  kErfDx,
  kLog,
  kSin,
  kArctan,
  kRsqrt
};

inline constexpr std::size_t kFreeDims = 4;
inline constexpr std::uint8_t kNone = 0xff;  // no register, no argument
inline constexpr unsigned kRegisters = 64;
inline constexpr unsigned kSemaphores = 256;
inline constexpr unsigned kArguments = 32;
inline constexpr unsigned kDmaEngines = 16;  // completion increments per dma_copy: one per DMA engine

// The iteration space shared by all tiles of an instruction: partitions x a 4-D free pattern, outermost
// dimension first.
struct Shape {
  std::uint8_t partitions = 1;  // 1..128
  std::array<std::uint16_t, kFreeDims> count{1, 1, 1, 1};
  friend bool operator==(const Shape&, const Shape&) = default;
};

// An operand in SBUF or PSUM. Element (p, i0..i3) lives in partition `partition + p` at byte
// `offset + size_of(dtype) * sum(i_d * stride[d])`. Strides are in elements and may be 0 (broadcast) or
// negative.
struct Tile {
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  std::uint8_t partition = 0;
  std::uint32_t offset = 0;  // bytes inside each partition, below 2^18
  std::array<std::int16_t, kFreeDims> stride{};
  friend bool operator==(const Tile&, const Tile&) = default;
};

// A per-instruction constant or a [P,1] fp32 column with one value per partition.
struct Scalar {
  bool is_tile = false;
  float imm = 0.0F;
  Space space = Space::kSbuf;
  std::uint8_t partition = 0;
  std::uint32_t offset = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// Start condition: the instruction waits at the head of its queue until the semaphore satisfies it.
struct Wait {
  enum class Kind : std::uint8_t { kNone, kGe, kEq, kGeReg };
  Kind kind = Kind::kNone;
  std::uint8_t semaphore = 0;
  std::uint32_t value = 0;  // for kGeReg: the register's number
  friend bool operator==(const Wait&, const Wait&) = default;
};

// What happens to a semaphore when the instruction completes. For dma_copy: once per DMA engine, at its last
// write.
struct Update {
  enum class Kind : std::uint8_t { kNone, kAdd, kSubtract, kSet };
  Kind kind = Kind::kNone;
  std::uint8_t semaphore = 0;
  std::uint16_t value = 0;
  friend bool operator==(const Update&, const Update&) = default;
};

// One side of a DMA transfer. HBM: byte address = args[arg] + offset + registers[reg] + element size *
// sum(i_d * stride[d]). SBUF and PSUM: dimension 0 walks partitions from `partition` (its stride is ignored),
// dimensions 1..3 the free axis.
struct DmaSide {
  Space space = Space::kHbm;
  DType dtype = DType::kFp32;
  std::uint8_t partition = 0;
  std::uint8_t arg = kNone;
  std::uint64_t offset = 0;  // bytes, below 2^40
  std::array<std::int32_t, kFreeDims> stride{};
  friend bool operator==(const DmaSide&, const DmaSide&) = default;
};

// A transfer as the DMA rings see it. dst = src (cast when the dtypes differ), or dst = dst + src when
// accumulating.
struct Descriptor {
  std::array<std::uint32_t, kFreeDims> count{1, 1, 1, 1};
  DmaSide dst, src;
  bool accumulate = false;
  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

struct Instruction {
  Opcode op = Opcode::kNop;
  Wait wait;
  Update update;
  Shape shape;
  std::uint8_t columns = 0;  // matmul, transpose: partitions of dst = columns of the loaded weights, 1..128
  Tile dst, src0, src1;      // activation_reduce: src1 is the [P,1] result of the reduction
  Scalar scalar0, scalar1;   // tensor_scalar: operands of op0, op1; activation: scale, bias
  AluOp op0 = AluOp::kBypass, op1 = AluOp::kBypass;
  ActFn func = ActFn::kCopy;
  CompareOp compare = CompareOp::kEq;
  bool accumulate = false;                  // matmul: add to PSUM instead of overwriting
  bool reverse0 = false, reverse1 = false;  // tensor_scalar: operand on the left
  std::uint8_t axes = 0;                    // tensor_reduce: number of innermost free dimensions reduced
  std::array<std::int16_t, kFreeDims> pattern{};  // iota, affine_select: coefficient per free dimension
  std::int32_t base = 0, channel_multiplier = 0;  // iota, affine_select
  float value = 0.0F;                             // memset, affine_select (where the condition is false)
  std::uint8_t reg_d = kNone, reg_a = kNone, reg_b = kNone;
  std::int32_t imm = 0;                           // registers, branch operand when reg_b is kNone
  std::uint32_t target = 0;                       // jump, branch: index in the same stream
  std::uint32_t descriptor = 0;                   // dma_copy: index into Program::descriptors
  std::uint8_t ring = 0;                          // dma_copy: ring on each of the 16 engines, 0..15
  std::uint8_t src_reg = kNone, dst_reg = kNone;  // dma_copy: byte offset added to an HBM side
  std::uint8_t notify_arg = kNone;  // dma_copy: the core whose semaphore is updated; kNone = this core
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

}  // namespace tahoma::isa
