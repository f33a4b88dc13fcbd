// SPDX-License-Identifier: Apache-2.0
// One decoded instruction: a plain value with a slot for every kind of operand. The opcode's row of the table
// (isa/table/table.h) gives the slots that it uses, their limits and their position in the 64-byte word.
// Unused slots keep their defaults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/core/dtype.h"

namespace tahoma::isa {

inline constexpr unsigned kMostPartitions = 512;   // of SBUF and PSUM; rows and columns of the array
inline constexpr unsigned kGpSimdPartitions = 16;  // partitions of one GpSimd processor

// The in-order instruction streams of a NeuronCore: five engines and the two collective cores assigned to it.
enum class Queue : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kSync, kCc0, kCc1 };
inline constexpr std::size_t kQueueCount = 7;

enum class Opcode : std::uint8_t {
  kNop,
  // tensor engine
  kLoadWeights,
  kMatmul,
  kTranspose,
  // Element-wise, and along the free dimensions.
  kTensorCopy,
  kTensorCopyDynamic,
  kTensorCopyPredicated,
  kTensorTensor,
  kTensorScalar,
  kTensorScalarReduce,
  kTensorScalarCumulative,
  kScalarTensorTensor,
  kTensorReduce,
  kTensorTensorScan,
  kSelectReduce,
  kRangeSelect,
  kActivation,
  kActivationReduce,
  kReciprocal,
  kMemset,
  // searches, statistics, movement between partitions, random numbers
  kMax8,
  kFindIndex8,
  kMatchReplace8,
  kBnStats,
  kBnAggr,
  kVectorTranspose,
  kStreamShuffle,
  kDropout,
  kRng,
  kRandSeed,
  kRandSetState,
  kRandGetState,
  // Only GpSimd executes these.
  kIota,
  kAffineSelect,
  kTensorPartitionReduce,
  kLocalGather,
  kNGather,
  kSequenceBounds,
  kNonzeroWithCount,
  kTopk,
  // data movement
  kDmaCopy,
  kDmaCompute,
  kDmaTranspose,
  kSendRecv,
  // semaphores, registers, control flow
  kSemWait,
  kSemSet,
  kCoreBarrier,
  kRegSet,
  kRegAlu,
  kRegLoad,
  kRegStore,
  kJump,
  kBranch,
  // NeuronCore-v4
  kLoadWeightsMx,
  kMatmulMx,
  kActivate2,
  kExponential,
  kQuantizeMx,
  kRand2,
  kGatherColumns,
  kScatterColumns,
  kCount
};
inline constexpr std::size_t kOpcodeCount = static_cast<std::size_t>(Opcode::kCount);

enum class Space : std::uint8_t { kSbuf, kPsum, kHbm };
// Arithmetic operations work in fp32 (in exact 32-bit integers on GpSimd), bit operations on the bits of
// integers in memory (isa/simd/alu.h).
enum class AluOp : std::uint8_t {
  kAdd,
  kSubtract,
  kMult,
  kDivide,
  kMax,
  kMin,
  kBypass,
  kPower,
  kIsEqual,
  kIsNotEqual,
  kIsGe,
  kIsGt,
  kIsLe,
  kIsLt,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kRsqrt,
  kReciprocal,
  kAbs,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kBitwiseNot,
  kShiftLeft,
  kShiftRight,
  kAbsMax,
  kAbsMin
};
enum class CompareOp : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
// isa/table/activation_functions.h defines each function.
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

// The use of the array by a matmul: pairs of fp8 rows (K up to 256), a compressed stationary operand with M
// of every N weights kept, or fp32 with one operand of only zeros and ones. kMx is the use of the two MX
// instructions alone: quads of fp8 elements with a shared scale for every 32 (K up to 512).
enum class MatmulMode : std::uint8_t {
  kDense,
  kDoubleRow,
  kSparse4of16,
  kSparse4of12,
  kSparse4of8,
  kSparse2of8,
  kSparse2of4,
  kSparse1of4,
  kSparse1of2,
  kOneZeroStationary,
  kOneZeroMoving,
  kMx
};

// The effect of a reducing instruction on an engine's accumulator registers, one fp32 per lane.
enum class ReduceCommand : std::uint8_t { kResetReduce, kReduce, kLoadReduce, kReset, kIdle };

// The source of the addresses along dimension 0 of a transfer: strides, or a column of row numbers.
enum class Indirection : std::uint8_t { kNone, kGather, kScatter };

// The origin of a transfer's descriptors: they are in HBM already, a hardware descriptor generation engine
// writes them when the doorbell rings, or software on the GpSimd engine does.
enum class Dge : std::uint8_t { kNone, kHw, kSw };

inline constexpr std::size_t kFreeDims = 4;
inline constexpr std::uint8_t kNone = 0xff;  // no register, no argument
inline constexpr std::size_t kQuadrant =
    32;  // partitions that a shuffle or transpose of the vector engine spans
inline constexpr std::uint8_t kKeep = 255;  // in a shuffle's mask: the partition does not change
inline constexpr std::array<std::uint8_t, kQuadrant> kOwnPartition = [] {
  std::array<std::uint8_t, kQuadrant> mask{};
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<std::uint8_t>(i);
  return mask;
}();
inline constexpr unsigned kRegisters = 64;
inline constexpr unsigned kSemaphores = 256;
inline constexpr unsigned kArguments = 128;   // kernels of nki-library have up to 76 tensors
inline constexpr unsigned kPipes = 16;        // rendezvous that two cores can tell apart
inline constexpr unsigned kMostSources = 16;  // of a dma_compute
inline constexpr unsigned kServiceClasses = 4;
inline constexpr unsigned kDmaEngines = 16;  // completion increments per dma_copy: one per DMA engine

// The iteration space shared by all tiles of an instruction: partitions x a 4-D free pattern, outermost
// dimension first.
struct Shape {
  std::uint16_t partitions = 1;  // 1..kMostPartitions
  std::array<std::uint16_t, kFreeDims> count{1, 1, 1, 1};
  friend bool operator==(const Shape&, const Shape&) = default;
};

// An operand in SBUF or PSUM. Element (p, i0..i3) is in partition `partition + p` at byte `offset +
// size_of(dtype) * sum(i_d * stride[d])`. Strides are in elements and may be 0 (broadcast) or negative.
struct Tile {
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  std::uint16_t partition = 0;
  std::uint32_t offset = 0;  // bytes inside each partition, below 2^18
  std::array<std::int16_t, kFreeDims> stride{};
  friend bool operator==(const Tile&, const Tile&) = default;
};

// A per-instruction constant or a [P,1] fp32 column with one value per partition.
struct Scalar {
  bool is_tile = false;
  float imm = 0.0F;
  Space space = Space::kSbuf;
  std::uint16_t partition = 0;
  std::uint32_t offset = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// A few adjacent elements per partition: results of reductions, indices, row numbers.
struct Column {
  bool present = false;
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  std::uint16_t partition = 0;
  std::uint32_t offset = 0;
  friend bool operator==(const Column&, const Column&) = default;
};

// Start condition: the instruction waits at the head of its queue until the semaphore satisfies it.
struct Wait {
  enum class Kind : std::uint8_t { kNone, kGe, kEq, kGeReg };
  Kind kind = Kind::kNone;
  std::uint8_t semaphore = 0;
  std::uint32_t value = 0;  // for kGeReg: the register's number
  friend bool operator==(const Wait&, const Wait&) = default;
};

// The change of a semaphore when the instruction completes, or when it has read its sources (`on_read`: they
// may then be overwritten). For a transfer: once per DMA engine, at its last write or read.
struct Update {
  enum class Kind : std::uint8_t { kNone, kAdd, kSubtract, kSet };
  Kind kind = Kind::kNone;
  std::uint8_t semaphore = 0;
  std::uint16_t value = 0;
  bool on_read = false;
  friend bool operator==(const Update&, const Update&) = default;
};

// One side of a DMA transfer. HBM: byte address = args[arg] + offset + registers[reg] + element size *
// sum(i_d * stride[d]), modulo 2^64, so that an offset may lead to another core's memory on any chip. SBUF
// and PSUM: dimension `across` enumerates partitions from `partition` (its stride is ignored), the others the
// free axis.
struct DmaSide {
  Space space = Space::kHbm;
  DType dtype = DType::kFp32;
  std::uint16_t partition = 0;
  std::uint8_t arg = kNone;
  std::uint8_t across = 0;   // 0..3; 0 in HBM
  std::uint64_t offset = 0;  // bytes: below 2^40 on chip; in HBM a signed number, see reaches()
  std::array<std::int32_t, kFreeDims> stride{};
  friend bool operator==(const DmaSide&, const DmaSide&) = default;
};

// An offset in HBM reaches this far in either direction: past the last of 256 chips of 2^40 bytes.
inline constexpr std::uint64_t kReach = std::uint64_t{1} << 48;
constexpr bool reaches(std::uint64_t hbm_offset) { return hbm_offset + kReach < 2 * kReach; }

// A transfer as the DMA rings receive it: dst = src (cast if the dtypes differ), or dst = dst + src if it
// accumulates.
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
  std::uint16_t columns = 0;  // matmul, transpose: partitions of dst = columns of the loaded weights
  std::uint16_t column = 0;   // load_weights: first column of the array that it fills
  MatmulMode mode = MatmulMode::kDense;
  Tile dst, src0, src1;
  Scalar scalar0, scalar1;  // operands of op0, op1; scale and bias; bounds; initial values
  Column result;            // of a reduction; indices of matches; row numbers of an indirect transfer
  AluOp op0 = AluOp::kBypass, op1 = AluOp::kBypass;
  ActFn func = ActFn::kCopy;
  CompareOp compare = CompareOp::kEq, compare1 = CompareOp::kEq;
  ReduceCommand command = ReduceCommand::kResetReduce;
  bool accumulate = false;                  // matmul: add to PSUM instead of overwriting
  bool open = false;                        // matmul: more of this accumulation group follows
  bool reverse0 = false, reverse1 = false;  // operand on the left; predicate reversed
  bool negate = false;                      // tensor_reduce: negates the result
  bool skip = false;                        // indirect transfer: rows out of bounds are skipped
  bool gpsimd_dma = false;                  // sendrecv: through GpSimd's own DMA
  std::uint8_t axes = 0;                    // tensor_reduce: number of innermost free dimensions reduced
  std::array<std::int16_t, kFreeDims> pattern{};  // iota, affine_select: coefficient per free dimension
  std::array<std::uint8_t, kQuadrant> mask = kOwnPartition;  // stream_shuffle
  std::int32_t base = 0, channel_multiplier = 0;             // iota, affine_select; first index
  float value = 0.0F;          // memset, match_replace8, affine_select (if the condition is false), prelu
  std::uint32_t extent = 0;    // elements of the source of a gather; of a top-k; rows of an indirect side
  std::uint32_t valid = 0;     // local_gather: indices per group of 16 partitions; topk: k
  std::uint8_t per_index = 1;  // local_gather: elements per index
  std::uint8_t reg_d = kNone, reg_a = kNone, reg_b = kNone;
  std::int32_t imm = 0;          // registers, branch operand when reg_b is kNone; padding
  std::uint32_t target = 0;      // jump, branch: index in the same stream
  DmaSide word;                  // reg_load, reg_store: one element in SBUF or HBM
  std::uint32_t descriptor = 0;  // transfers: index into Program::descriptors
  std::uint8_t sources = 1;      // dma_compute: descriptors from `descriptor` on, one per source
  AluOp fold = AluOp::kAdd;      // dma_compute: the operation that combines them
  Indirection indirect = Indirection::kNone;
  Dge dge = Dge::kNone;
  std::uint8_t ring = 0;     // transfers: ring on each of the 16 engines, 0..15
  std::uint8_t service = 0;  // transfers: class of service, 0..3; engines serve the highest class first
  std::uint8_t pipe = 0;     // sendrecv, core_barrier: identifies the rendezvous of two cores
  std::uint8_t src_reg = kNone, dst_reg = kNone;  // byte offset added to a side or tile
  // Transfers: the core whose semaphores are updated is the core of the argument (kNone: this core) plus
  // `peer`. For a second update, once per DMA engine at its last read, it is that core plus `read_peer`.
  std::uint8_t notify_arg = kNone;
  std::int16_t peer = 0, read_peer = 0;
  Update read_update;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

}  // namespace tahoma::isa
