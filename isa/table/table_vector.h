// SPDX-License-Identifier: Apache-2.0
// Rows of the vector and scalar engines that work element by element or reduce; GpSimd runs some of them.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr AluOps kBinaryArithmetic = kArithmetic;
inline constexpr AluOps kScalarArithmetic = kArithmetic | kUnary | kBypassOp;
inline constexpr AluOps kFoldable = bits<AluOps>(AluOp::kAdd, AluOp::kMult, AluOp::kMax, AluOp::kMin);
inline constexpr AluOps kCumulative = kFoldable | bits<AluOps>(AluOp::kSubtract);

inline constexpr Field kCopyFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src")};
inline constexpr Field kDynamicCopyFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src"),
                                               may(kDstReg, "dst_reg"), may(kSrcReg, "src_reg")};
inline constexpr Field kPredicatedFields[] = {
    kShapeField, tile(kDst, "dst"), tile(kSrc0, "src"),
    tile(kSrc1, "predicate", bits<DTypes>(DType::kUint8, DType::kUint16, DType::kUint32)),
    may(kReverse0, "reverse")};
inline constexpr Field kTensorTensorFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src0"),
                                                tile(kSrc1, "src1"),
                                                alu(kOp0, "op", kArithmetic | kBitwise | kMagnitudes)};
inline constexpr Field kTensorScalarFields[] = {kShapeField,
                                                tile(kDst, "dst"),
                                                tile(kSrc0, "src"),
                                                alu(kOp0, "op0", kAnyAlu),
                                                may(kScalar0, "scalar0"),
                                                alu(kOp1, "op1", kAnyAlu, true),
                                                may(kScalar1, "scalar1"),
                                                may(kReverse0, "reverse0"),
                                                may(kReverse1, "reverse1")};
inline constexpr Field kScalarReduceFields[] = {kShapeField,
                                                tile(kDst, "dst"),
                                                tile(kSrc0, "src"),
                                                alu(kOp0, "op0", kScalarArithmetic),
                                                may(kScalar0, "scalar0"),
                                                may(kReverse0, "reverse0"),
                                                alu(kReduceOp1, "op1", kFoldable),
                                                column("result", kFloats),
                                                may(kCommand, "command"),
                                                may(kScalar1, "init")};
inline constexpr Field kScalarCumulativeFields[] = {kShapeField,
                                                    tile(kDst, "dst", kNo32BitIntegers),
                                                    tile(kSrc0, "src", kNo32BitIntegers),
                                                    alu(kOp0, "op0", kScalarArithmetic),
                                                    may(kScalar0, "scalar0"),
                                                    may(kReverse0, "reverse0"),
                                                    alu(kReduceOp1, "op1", kCumulative),
                                                    may(kCommand, "command"),
                                                    may(kScalar1, "init")};
inline constexpr Field kScalarTensorTensorFields[] = {kShapeField,
                                                      tile(kDst, "dst"),
                                                      tile(kSrc0, "src0"),
                                                      alu(kOp0, "op0", kScalarArithmetic),
                                                      may(kScalar0, "scalar0"),
                                                      alu(kOp1, "op1", kBinaryArithmetic),
                                                      tile(kSrc1, "src1"),
                                                      may(kReverse0, "reverse0"),
                                                      may(kReverse1, "reverse1")};
inline constexpr Field kReduceFields[] = {kShapeField,         tile(kReducedDst, "dst"),
                                          tile(kSrc0, "src"),  alu(kReduceOp, "op", kReductions),
                                          need(kAxes, "axes"), may(kNegate, "negate")};
inline constexpr Field kScanFields[] = {kShapeField,
                                        tile(kDst, "dst"),
                                        tile(kSrc0, "src0"),
                                        tile(kSrc1, "src1"),
                                        need(kScalar0, "initial"),
                                        alu(kOp0, "op0", kBinaryArithmetic),
                                        alu(kOp1, "op1", kBinaryArithmetic),
                                        may(kReverse0, "reverse0"),
                                        may(kReverse1, "reverse1")};
inline constexpr Field kSelectReduceFields[] = {
    kShapeField,
    tile(kDst, "dst"),
    tile(kSrc0, "src", static_cast<DTypes>(kNo32BitIntegers & ~bits<DTypes>(DType::kTf32))),
    tile(kSrc1, "predicate", kSmallIntegers),
    need(kScalar0, "on_false"),
    column("result", kFloats),
    may(kCommand, "command"),
    may(kReverse0, "reverse")};
inline constexpr Field kRangeSelectFields[] = {kShapeField,
                                               tile(kDst, "dst"),
                                               tile(kSrc0, "src", kFloats),
                                               need(kCompare, "compare0"),
                                               need(kScalar0, "bound0"),
                                               need(kCompare1, "compare1"),
                                               need(kScalar1, "bound1"),
                                               may(kBase, "start"),
                                               column("result", kFloats),
                                               may(kCommand, "command")};
inline constexpr Field kActivationFields[] = {
    kShapeField,         tile(kDst, "dst"),       tile(kSrc0, "src"),
    need(kFunc, "func"), need(kScalar0, "scale"), may(kScalar1, "bias"),
    may(kValue, "alpha")};
inline constexpr Field kActivationReduceFields[] = {
    kShapeField,           tile(kDst, "dst"),    column("sum", kFp32Only),
    tile(kSrc0, "src"),    need(kFunc, "func"),  need(kScalar0, "scale"),
    may(kScalar1, "bias"), may(kValue, "alpha"), may(kCommand, "command")};
inline constexpr Field kMemsetFields[] = {kShapeField, tile(kDst, "dst"), need(kValue, "value")};
inline constexpr OpRow kElementRows[] = {
    {Opcode::kTensorCopy, "tensor_copy", nki("tensor_copy"), kVector | kScalar | kGpSimd, kCopyFields,
     CostClass::kElementwise, "dst[i] = src[i]",
     "Copies a tile, converting the dtype; equal dtypes are copied bit by bit."},
    {Opcode::kTensorCopyDynamic, "tensor_copy_dynamic",
     nki("tensor_copy_dynamic_src", "tensor_copy_dynamic_dst"), kVector | kScalar | kGpSimd,
     kDynamicCopyFields, CostClass::kDynamicCopy, "dst[i] = src[i], each offset by a register",
     "A tensor_copy whose source, destination or both are offset by a register's number of bytes in each "
     "partition."},
    {Opcode::kTensorCopyPredicated, "tensor_copy_predicated", nki("tensor_copy_predicated"), kVector,
     kPredicatedFields, CostClass::kTwoInput, "if (predicate[i] != 0) dst[i] = src[i]",
     "Copies the elements whose predicate holds (or does not, with reverse); the others do not change.", kV2,
     false, false, Rule::kSameDType | Rule::kOnePsumSource},
    {Opcode::kTensorTensor, "tensor_tensor", nki("tensor_tensor"), kVector | kGpSimd, kTensorTensorFields,
     CostClass::kTwoInput, "dst[i] = src0[i] op src1[i]",
     "Combines two tiles element by element: arithmetic in fp32 (on GpSimd with 32-bit integers "
     "throughout, exact integers modulo 2^32), bit operations on the bits of integers.",
     kV2, false, false, static_cast<std::uint8_t>(Rule::kOnePsumSource)},
    {Opcode::kTensorScalar, "tensor_scalar", nki("tensor_scalar"), kVector | kScalar | kGpSimd,
     kTensorScalarFields, CostClass::kElementwise, "dst[i] = (src[i] op0 scalar0) op1 scalar1",
     "Combines a tile with one or two constants or [P,1] columns in fp32, or by bit operations; reverse puts "
     "the constant on the left. The scalar engine has only mult, add, and mult then add."},
    {Opcode::kTensorScalarReduce, "tensor_scalar_reduce", nki("tensor_scalar_reduce"), kVector,
     kScalarReduceFields, CostClass::kScalarReduce,
     "dst[i] = src[i] op0 scalar0; acc[p] = op1 over i ascending of the fp32 results; result[p] = acc[p]",
     "A tensor_scalar that also folds its results along the free dimensions into the vector engine's "
     "accumulators."},
    {Opcode::kTensorScalarCumulative, "tensor_scalar_cumulative", nki("tensor_scalar_cumulative"), kVector,
     kScalarCumulativeFields, CostClass::kStreaming,
     "acc[p] = (src[i] op0 scalar0) op1 acc[p]; dst[i] = acc[p]; i ascending",
     "Running sums, products, maxima or minima along the free dimensions, continued from the accumulators, "
     "from init (load_reduce) or from the neutral element.",
     kV3},
    {Opcode::kScalarTensorTensor, "scalar_tensor_tensor", nki("scalar_tensor_tensor"), kVector,
     kScalarTensorTensorFields, CostClass::kScalarTensorTensor, "dst[i] = (src0[i] op0 scalar0) op1 src1[i]",
     "Combines a tile with a constant or column and then with another tile, in fp32.", kV2, false, false,
     static_cast<std::uint8_t>(Rule::kOnePsumSource)},
    {Opcode::kTensorReduce, "tensor_reduce", nki("tensor_reduce"), kVector, kReduceFields, CostClass::kReduce,
     "dst[outer] = op over the `axes` innermost dimensions of src[outer, inner]",
     "Reduces the innermost free dimensions in ascending order, beginning with the first element; arithmetic "
     "in fp32, bit operations on integers."},
    {Opcode::kTensorTensorScan, "tensor_tensor_scan", nki("tensor_tensor_scan"), kVector, kScanFields,
     CostClass::kScan,
     "state = (src0[i] op0 state) op1 src1[i]; dst[i] = state; i ascending from state = initial",
     "A recurrence along the free dimensions, in fp32.", kV2, false, false,
     static_cast<std::uint8_t>(Rule::kOnePsumSource)},
    {Opcode::kSelectReduce, "select_reduce", nki("select_reduce"), kVector, kSelectReduceFields,
     CostClass::kStreaming,
     "dst[i] = predicate[i] != 0 ? src[i] : on_false; acc[p] = max over i; result[p] = acc[p]",
     "Selects between a tile and a constant or column, and keeps the maximum of the selected values.", kV2,
     false, false, static_cast<std::uint8_t>(Rule::kOnePsumSource)},
    {Opcode::kRangeSelect, "range_select", nki("range_select"), kVector, kRangeSelectFields,
     CostClass::kStreaming,
     "dst[i] = (start + i compare0 bound0) and (start + i compare1 bound1) ? src[i] : -3.4028235e38; "
     "acc[p] = max over i; result[p] = acc[p]",
     "Keeps the elements whose index along the free dimensions is in a range that may differ between "
     "partitions, and the maximum of the written values.",
     kV3},
    {Opcode::kActivation, "activation", nki("activation"), kScalar, kActivationFields, CostClass::kActivation,
     "dst[i] = func(src[i] * scale + bias)",
     "Applies a function after a fused scale and bias, each a constant or a [P,1] column."},
    {Opcode::kActivationReduce, "activation_reduce", nki("activation_reduce"), kScalar,
     kActivationReduceFields, CostClass::kActivationReduce,
     "dst[i] = func(src[i] * scale + bias); acc[p] = sum over i ascending of the fp32 results; sum[p] = "
     "acc[p]",
     "An activation that also sums its results along the free dimensions into the scalar engine's "
     "accumulators."},
    {Opcode::kReciprocal, "reciprocal", nki("reciprocal"), kVector, kCopyFields, CostClass::kReciprocal,
     "dst[i] = 1 / src[i]", "Correctly rounded reciprocal on the vector engine."},
    {Opcode::kMemset, "memset", nki("memset"), kVector | kGpSimd, kMemsetFields, CostClass::kMemset,
     "dst[i] = value", "Fills a tile with a constant."},
};

}  // namespace tahoma::isa::rows
