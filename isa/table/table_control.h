// SPDX-License-Identifier: Apache-2.0
// Rows of transfers, semaphores, registers and control flow.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr std::uint8_t kEngines =
    bits(Queue::kTensor, Queue::kVector, Queue::kScalar, Queue::kGpSimd, Queue::kSync);
inline constexpr AluOps kRegisterAlu =
    bits<AluOps>(AluOp::kAdd, AluOp::kSubtract, AluOp::kMult, AluOp::kMax, AluOp::kMin, AluOp::kBypass) |
    kBitwise;
inline constexpr AluOps kFolds = bits<AluOps>(AluOp::kAdd, AluOp::kMax, AluOp::kMin);

inline constexpr Field kDmaCopyFields[] = {
    need(kDescriptor, "descriptor"),
    may(kRing, "ring"),
    may(kService, "service"),
    may(kDstReg, "dst_reg"),
    may(kSrcReg, "src_reg"),
    may(kNotify, "notify"),
    may(kPeer, "peer"),
    may(kReadUpdate, "read_update"),
    may(kReadPeer, "read_peer"),
    may(kIndirect, "indirect"),
    column("rows", bits<DTypes>(DType::kInt32, DType::kUint32), 1, true, kRowNumbers, kSbufOnly),
    may(kExtent, "bound"),
    may(kSkip, "skip"),
    may(kDge, "dge")};
inline constexpr Field kDmaComputeFields[] = {need(kDescriptor, "descriptor"),
                                              may(kSources, "sources"),
                                              alu(kFold, "op", kFolds, true),
                                              may(kRing, "ring"),
                                              may(kService, "service"),
                                              may(kDstReg, "dst_reg"),
                                              may(kSrcReg, "src_reg"),
                                              may(kNotify, "notify"),
                                              may(kPeer, "peer"),
                                              may(kReadUpdate, "read_update"),
                                              may(kReadPeer, "read_peer"),
                                              may(kDge, "dge")};
inline constexpr Field kDmaTransposeFields[] = {need(kDescriptor, "descriptor"),
                                                may(kRing, "ring"),
                                                may(kService, "service"),
                                                may(kDstReg, "dst_reg"),
                                                may(kSrcReg, "src_reg"),
                                                may(kNotify, "notify"),
                                                may(kDge, "dge")};
inline constexpr Field kSendRecvFields[] = {kShapeField, tile(kDst, "dst", kAnyDType, kSbufOnly),
                                            tile(kSrc0, "src", kAnyDType, kSbufOnly), may(kPipe, "pipe"),
                                            may(kGpSimdDma, "gpsimd_dma")};
inline constexpr Field kBarrierFields[] = {may(kPipe, "pipe")};
inline constexpr Field kRegSetFields[] = {need(kRegD, "d"), need(kImm, "imm")};
inline constexpr Field kRegAluFields[] = {need(kRegD, "d"), need(kRegA, "a"), alu(kOp0, "op", kRegisterAlu),
                                          may(kRegB, "b"), may(kImm, "imm")};
inline constexpr Field kRegLoadFields[] = {
    need(kRegD, "d"), Field{kWordSrc, "src", false, kSbufOrHbm, kIntegers}, may(kSrcReg, "src_reg")};
inline constexpr Field kRegStoreFields[] = {
    need(kRegA, "a"), Field{kWordDst, "dst", false, kSbufOrHbm, kIntegers}, may(kDstReg, "dst_reg")};
inline constexpr Field kJumpFields[] = {need(kTarget, "target")};
inline constexpr Field kBranchFields[] = {need(kRegA, "a"), need(kCompare, "compare"), may(kRegB, "b"),
                                          may(kImm, "imm"), need(kTarget, "target")};

inline constexpr OpRow kNopRow[] = {{Opcode::kNop,
                                     "nop",
                                     kNoNki,
                                     kAllQueues,
                                     {},
                                     CostClass::kNone,
                                     "nothing",
                                     "Does nothing; may carry a wait and an update."}};

inline constexpr OpRow kMovementRows[] = {
    {Opcode::kDmaCopy, "dma_copy", nki("dma_copy"), kDoorbells, kDmaCopyFields, CostClass::kDoorbell,
     "dst[i] = src[i], or dst[i] + src[i] if the descriptor accumulates",
     "Rings the doorbell of a transfer on one ring of all 16 DMA engines. The wait delays the doorbell. "
     "The update occurs once per engine when its last byte is written, and the read_update when it has "
     "read its share. Indirect: dimension 0 of the HBM side follows the row numbers of a column, one per "
     "partition, below `bound`, with their values at the doorbell. Without numbers, `bound` limits the rows "
     "of dimension 0 that a register selects."},
    {Opcode::kDmaCompute, "dma_compute", nki("dma_compute"), kDoorbells, kDmaComputeFields,
     CostClass::kDoorbell, "dst[i] = src_0[i] op src_1[i] op ...",
     "A transfer that folds up to 16 sources in ascending order, in fp32, and rounds once to dst's dtype. "
     "If sources and destination have one integer dtype, the result is exact, and sums are modulo 2 to "
     "the power of its bits. One source is copied. The sources are successive descriptors with one "
     "destination and one set of counts; the source register applies to all."},
    {Opcode::kDmaTranspose, "dma_transpose", nki("dma_transpose"), kDoorbells, kDmaTransposeFields,
     CostClass::kDoorbell, "dst[i] = src[i], dimensions in another order",
     "A transfer through the transposing path of the DMA engines: 2- or 4-byte elements, at most 128 "
     "contiguous elements of the source in its innermost dimension, a multiple of 16 in its outermost.",
     kV3},
    {Opcode::kSendRecv, "sendrecv", nki("sendrecv"), kEngines, kSendRecvFields, CostClass::kRendezvous,
     "dst of this core = src of the other core of the logical core",
     "Swaps tiles between the two physical cores of a logical core. Both must arrive, on the same pipe; "
     "the n-th arrival of one is paired with the n-th of the other. A core arrives when the earlier "
     "instructions of its queue are complete. Through GpSimd's own DMA, at most 1024, 512 or 256 bytes "
     "per partition of 32-, 16- or 8-bit types.",
     kV3, false, false, static_cast<std::uint8_t>(Rule::kSameDType)},
};

inline constexpr OpRow kControlRows[] = {
    {Opcode::kSemWait,
     "sem_wait",
     kNoNki,
     kAllQueues,
     {},
     CostClass::kSemaphore,
     "wait until the semaphore satisfies the condition",
     "Holds the queue until its wait is satisfied.",
     kV2,
     true,
     false},
    {Opcode::kSemSet,
     "sem_set",
     kNoNki,
     kAllQueues,
     {},
     CostClass::kSemaphore,
     "update the semaphore",
     "Changes a semaphore once all earlier instructions of the queue are complete, or with @read, once "
     "they have read their sources.",
     kV2,
     false,
     true},
    {Opcode::kCoreBarrier, "core_barrier", nki("core_barrier"), kEngines, kBarrierFields,
     CostClass::kRendezvous, "wait until the other core of the logical core arrives",
     "Holds the queue until both cores have arrived on the pipe; the n-th arrival of one is paired with "
     "the n-th of the other. A core arrives when the earlier instructions of its queue are complete.",
     kV3},
    {Opcode::kRegSet, "reg_set", nki("register_move"), kAllQueues, kRegSetFields, CostClass::kRegister,
     "d = imm", "Sets a register of the queue's sequencer."},
    {Opcode::kRegAlu, "reg_alu", nki("register_move"), kAllQueues, kRegAluFields, CostClass::kRegister,
     "d = a op (b or imm)",
     "Combines a register with a register or an immediate, in signed 32-bit integers modulo 2^32."},
    {Opcode::kRegLoad, "reg_load", nki("register_load"), kAllQueues, kRegLoadFields,
     CostClass::kRegisterMemory, "d = src",
     "Loads an integer from SBUF or HBM into a register, sign- or zero-extended."},
    {Opcode::kRegStore, "reg_store", nki("register_store"), kAllQueues, kRegStoreFields,
     CostClass::kRegisterMemory, "dst = a",
     "Stores the low bits of a register as an integer in SBUF or HBM."},
    {Opcode::kJump, "jump", kNoNki, kAllQueues, kJumpFields, CostClass::kBranch, "goto target",
     "Continues at another instruction of the same stream."},
    {Opcode::kBranch, "branch", kNoNki, kAllQueues, kBranchFields, CostClass::kBranch,
     "if a compare (b or imm) goto target",
     "Continues at another instruction if the comparison of signed 32-bit values holds."},
};

}  // namespace tahoma::isa::rows
