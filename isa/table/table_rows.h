// SPDX-License-Identifier: Apache-2.0
// Vocabulary of the rows of the table: fields, masks of dtypes and masks of operations.
#pragma once

#include "isa/table/table.h"

namespace tahoma::isa {

template <class Mask = std::uint8_t, class... Enums>
constexpr Mask bits(Enums... values) {
  return static_cast<Mask>(((1U << static_cast<unsigned>(values)) | ...));
}

inline constexpr std::uint8_t kSbufOnly = bits(Space::kSbuf), kPsumOnly = bits(Space::kPsum),
                              kOnChip = kSbufOnly | kPsumOnly, kSbufOrHbm = bits(Space::kSbuf, Space::kHbm);

inline constexpr DTypes kFp8s =
    bits<DTypes>(DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4, DType::kFp8E4M3Fn);
// Elements of MXFP8 (OCP Microscaling Formats 1.0, table 1).
inline constexpr DTypes kMxFp8s = bits<DTypes>(DType::kFp8E4M3Fn, DType::kFp8E5M2);
// The same, and quads of MXFP4: four numbers of E2M1 in 16 bits, the first in the lowest.
inline constexpr DTypes kMxQuads = kMxFp8s | bits<DTypes>(kMxFp4);
inline constexpr DTypes kFp32Only = bits<DTypes>(DType::kFp32), kBf16Only = bits<DTypes>(DType::kBf16);
inline constexpr DTypes kFloats =
    kFp8s | bits<DTypes>(DType::kFp32, DType::kTf32, DType::kBf16, DType::kFp16);
inline constexpr DTypes kSmallIntegers =
    bits<DTypes>(DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16);
inline constexpr DTypes kIntegers = kSmallIntegers | bits<DTypes>(DType::kInt32, DType::kUint32);
inline constexpr DTypes kAnyDType = kFloats | kIntegers;
inline constexpr DTypes kNo32BitIntegers = kFloats | kSmallIntegers;
inline constexpr DTypes kUint32Only = bits<DTypes>(DType::kUint32),
                        kUint16Only = bits<DTypes>(DType::kUint16), kUint8Only = bits<DTypes>(DType::kUint8);

inline constexpr AluOps kArithmetic =
    bits<AluOps>(AluOp::kAdd, AluOp::kSubtract, AluOp::kMult, AluOp::kDivide, AluOp::kMax, AluOp::kMin,
                 AluOp::kPower, AluOp::kIsEqual, AluOp::kIsNotEqual, AluOp::kIsGe, AluOp::kIsGt, AluOp::kIsLe,
                 AluOp::kIsLt, AluOp::kLogicalAnd, AluOp::kLogicalOr, AluOp::kLogicalXor);
inline constexpr AluOps kUnary = bits<AluOps>(AluOp::kRsqrt, AluOp::kReciprocal, AluOp::kAbs);
inline constexpr AluOps kBitwise = bits<AluOps>(AluOp::kBitwiseAnd, AluOp::kBitwiseOr, AluOp::kBitwiseXor,
                                                AluOp::kShiftLeft, AluOp::kShiftRight);
inline constexpr AluOps kBitwiseUnary = bits<AluOps>(AluOp::kBitwiseNot);
inline constexpr AluOps kBypassOp = bits<AluOps>(AluOp::kBypass);
inline constexpr AluOps kMagnitudes = bits<AluOps>(AluOp::kAbsMax, AluOp::kAbsMin);  // NeuronCore-v4
inline constexpr AluOps kAnyAlu = kArithmetic | kUnary | kBitwise | kBitwiseUnary | kBypassOp | kMagnitudes;
// Legal reductions as AWS lists them.
inline constexpr AluOps kReductions = bits<AluOps>(
    AluOp::kAdd, AluOp::kSubtract, AluOp::kMult, AluOp::kMax, AluOp::kMin, AluOp::kLogicalAnd,
    AluOp::kLogicalOr, AluOp::kLogicalXor, AluOp::kBitwiseAnd, AluOp::kBitwiseOr, AluOp::kBitwiseXor);

inline constexpr std::uint8_t kTensor = bits(Queue::kTensor), kVector = bits(Queue::kVector),
                              kScalar = bits(Queue::kScalar), kGpSimd = bits(Queue::kGpSimd),
                              kAllQueues = (1U << kQueueCount) - 1;
inline constexpr std::uint8_t kDoorbells =
    bits(Queue::kVector, Queue::kScalar, Queue::kGpSimd, Queue::kSync, Queue::kCc0, Queue::kCc1);

constexpr Field need(FieldKind kind, std::string_view name) { return {kind, name}; }
constexpr Field may(FieldKind kind, std::string_view name) { return {kind, name, true}; }
constexpr Field tile(FieldKind kind, std::string_view name, DTypes dtypes = kAnyDType,
                     std::uint8_t spaces = kOnChip, std::uint16_t elements = 0) {
  return {kind, name, false, spaces, dtypes, ~0U, elements};
}
constexpr Field alu(FieldKind kind, std::string_view name, AluOps choices, bool optional = false) {
  return {kind, name, optional, 0, 0, choices};
}
constexpr Field column(std::string_view name, DTypes dtypes, std::uint16_t elements = 1, bool optional = true,
                       FieldKind kind = FieldKind::kResult, std::uint8_t spaces = kOnChip) {
  return {kind, name, optional, spaces, dtypes, ~0U, elements};
}

constexpr NkiNames nki(std::string_view name, std::string_view other = {}) { return {name, other}; }
inline constexpr NkiNames kNoNki{};  // nki.isa has no such function

inline constexpr CoreVersion kV2 = CoreVersion::kV2, kV3 = CoreVersion::kV3, kV4 = CoreVersion::kV4;

inline constexpr Field kShapeField = need(FieldKind::kShape, "shape");

}  // namespace tahoma::isa
