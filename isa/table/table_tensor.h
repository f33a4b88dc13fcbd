// SPDX-License-Identifier: Apache-2.0
// Rows of the tensor engine.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr Field kLoadWeightsFields[] = {kShapeField, tile(kStationary, "src", kAnyDType, kSbufOnly),
                                               may(kColumn, "column"), may(kMode, "mode"),
                                               Field{kTags, "tags", true, kSbufOnly, kUint16Only}};
inline constexpr Field kMatmulFields[] = {kShapeField,
                                          need(kColumns, "columns"),
                                          tile(kMatrixDst, "dst", kFp32Only | kBf16Only, kPsumOnly),
                                          tile(kMoving, "src", kFloats, kSbufOnly),
                                          may(kAccumulate, "accumulate"),
                                          may(kOpen, "open"),
                                          may(kMode, "mode")};
inline constexpr Field kTransposeFields[] = {kShapeField, need(kColumns, "columns"),
                                             tile(kTransposeDst, "dst", kAnyDType, kPsumOnly),
                                             tile(kMoving, "src", kFloats, kSbufOnly)};

inline constexpr OpRow kTensorRows[] = {
    {Opcode::kLoadWeights, "load_weights", nki("nc_matmul"), kTensor, kLoadWeightsFields,
     CostClass::kWeightLoad, "weights[k, m] = src[k, m]",
     "Loads a stationary operand: K partitions (rows) by M elements (columns). It occupies the rows of "
     "its partitions and the columns from `column` on, in the smallest tile of a quarter, a half or all "
     "of the rows by a quarter, a half or all of the columns (beyond 128: of 32, 64, 128, ...); operands in "
     "other tiles do not change. In double_row the slices of a row are k = 2p and 2p + 1; a sparse operand "
     "is compressed, with tags."},
    {Opcode::kMatmul, "matmul", nki("nc_matmul"), kTensor, kMatmulFields, CostClass::kMatmul,
     "dst[m, n] = (accumulate ? dst[m, n] : 0) + sum over k ascending of weights[k, m] * src[k, n]",
     "Multiplies the weights in the rows of src's partitions and the columns of dst's partitions by the "
     "moving operand into fp32 PSUM, on NeuronCore-v4 also into bf16. A pass rounds once per fused "
     "multiply-add from +0 and once when it is added to PSUM; a bf16 destination is widened before and "
     "rounded after the sum. double_row: one pass, k = 2p + slice. Sparse M:N: one pass over the kept "
     "weights "
     "in ascending row, each with the moving element k = M * N/M * (p / M) + tag, k = partition * slices "
     "+ slice. fp32: four passes (two with onezero or tf32), halves of 12 bits, low * low, high * low, "
     "low * high, high * high of weights and moving operand. Weights and moving operand are both fp32 or "
     "tf32, or both narrower. Matmuls on tiles of the array that do not overlap run side by side."},
    {Opcode::kTranspose,
     "transpose",
     nki("nc_transpose"),
     kTensor,
     kTransposeFields,
     CostClass::kMatmul,
     "dst[m, n] = weights[k, m] for the k with src[k, n] != 0",
     "Moves the loaded weights through the array bit by bit, selected by the moving operand (an identity "
     "matrix). NaNs and infinities do not change, and 8-bit types become uint16 with a high byte of zero; "
     "floats may be widened to fp32. The moving operand is as wide as the weights: 32 bits, or 8 and 16.",
     kV2,
     false,
     false,
     static_cast<std::uint8_t>(Rule::kRowsOfArray),
     {.most_elements = 128}},
};

// Sparse fp32 is not published (AWS Trainium2 architecture guide: fp8, fp16, bf16, tf32).
inline constexpr DTypes kSparse = kFloats & static_cast<DTypes>(~kFp32Only);
inline constexpr ModeRow kModes[] = {
    {MatmulMode::kDense, 1, 0, kFloats, "every weight is used"},
    {MatmulMode::kDoubleRow, 2, 0, bits<DTypes>(DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E4M3Fn),
     "two fp8 rows in each row of the array, K up to 256"},
    {MatmulMode::kSparse4of16, 4, 4, kSparse, "4 of every 16 weights kept"},
    {MatmulMode::kSparse4of12, 3, 4, kSparse, "4 of every 12 weights kept"},
    {MatmulMode::kSparse4of8, 2, 4, kSparse, "4 of every 8 weights kept"},
    {MatmulMode::kSparse2of8, 4, 2, kSparse, "2 of every 8 weights kept"},
    {MatmulMode::kSparse2of4, 2, 2, kSparse, "2 of every 4 weights kept"},
    {MatmulMode::kSparse1of4, 4, 1, kSparse, "1 of every 4 weights kept"},
    {MatmulMode::kSparse1of2, 2, 1, kSparse, "1 of every 2 weights kept"},
    {MatmulMode::kOneZeroStationary, 1, 0, kFp32Only, "fp32 weights that are 0 or 1: half the passes"},
    {MatmulMode::kOneZeroMoving, 1, 0, kFp32Only, "fp32 moving operand of 0 and 1: half the passes"},
    {MatmulMode::kMx, 4, 0, kMxQuads,
     "only of load_weights_mx and matmul_mx: quads of MXFP8 or MXFP4, K up to 512"},
};

}  // namespace tahoma::isa::rows
