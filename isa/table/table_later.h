// SPDX-License-Identifier: Apache-2.0
// Rows of the instructions that only NeuronCore-v4 has. Sources: AWS's Trainium3 architecture guide for NKI,
// the pages of these functions in nki.isa 2.32, and the OCP's Microscaling Formats (MX) 1.0.
//
// An operand of MXFP8 has the shape P x 4 x columns: the four elements of a quad are adjacent in memory and
// belong to one row of the array, and 8 partitions by 4 elements of a column share a scale (E8M0: 2^(byte -
// 127), 255 is NaN). The scale of partition p and column m is column m of partition p / 32 * 32 + p % 32 / 8,
// so that each quadrant of 32 partitions keeps its scales in its first four, or in four others that start the
// same number of partitions behind in every quadrant: scales of several operands share a tile.
//
// A quad of MXFP4 is one element of uint16: four numbers of E2M1, the first in the lowest bits. Such an
// operand has the same shape, and a stride of 0 along the quad.
//
// gather_columns and scatter_columns are the indirect access to SBUF and PSUM as copies. Silicon gives it to
// every operand of most instructions; here such an operand takes a copy of its own.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr Field kLoadWeightsMxFields[] = {kShapeField, tile(kStationary, "src", kMxQuads, kSbufOnly),
                                                 tile(kScales, "scales", kUint8Only, kSbufOnly)};
inline constexpr Field kMatmulMxFields[] = {kShapeField,
                                            need(kColumns, "columns"),
                                            tile(kMatrixDst, "dst", kFp32Only | kBf16Only, kPsumOnly),
                                            tile(kMoving, "src", kMxQuads, kSbufOnly),
                                            tile(kScales, "scales", kUint8Only, kSbufOnly),
                                            may(kAccumulate, "accumulate"),
                                            may(kOpen, "open")};
inline constexpr AluOps kBeforeFunction = bits<AluOps>(AluOp::kMult, AluOp::kBypass),
                        kBeforeFunctionToo = bits<AluOps>(AluOp::kAdd, AluOp::kSubtract, AluOp::kBypass),
                        kBehindFunction = bits<AluOps>(AluOp::kAdd, AluOp::kMax, AluOp::kMin) | kMagnitudes;
inline constexpr Field kActivate2Fields[] = {kShapeField,
                                             tile(kDst, "dst"),
                                             tile(kSrc0, "src"),
                                             need(kFunc, "func"),
                                             alu(kOp0, "op0", kBeforeFunction, true),
                                             may(kScalar0, "scalar0"),
                                             alu(kOp1, "op1", kBeforeFunctionToo, true),
                                             may(kScalar1, "scalar1"),
                                             may(kValue, "alpha"),
                                             alu(kFold, "reduce", kBehindFunction, true),
                                             column("result", kFp32Only),
                                             may(kCommand, "command")};
inline constexpr Field kExponentialFields[] = {kShapeField,
                                               tile(kDst, "dst"),
                                               tile(kSrc0, "src"),
                                               need(kScalar0, "maximum"),
                                               column("sum", kFp32Only),
                                               may(kCommand, "command"),
                                               may(kScalar1, "init")};
inline constexpr Field kQuantizeMxFields[] = {
    kShapeField, tile(kDst, "dst", kMxFp8s, kSbufOnly), tile(kScalesDst, "scales", kUint8Only, kSbufOnly),
    tile(kSrc0, "src", bits<DTypes>(DType::kBf16, DType::kFp16), kSbufOnly)};
inline constexpr Field kRand2Fields[] = {kShapeField, tile(kDst, "dst", kFloats), need(kScalar0, "low"),
                                         need(kScalar1, "high")};

inline constexpr DTypes kColumnNumbers = kUint16Only | kUint32Only | bits<DTypes>(DType::kInt32);
inline constexpr Field kGatherColumnsFields[] = {kShapeField,
                                                 tile(kGatheredDst, "dst"),
                                                 tile(kGatherSource, "src"),
                                                 tile(kSrc1, "index", kColumnNumbers, kSbufOnly),
                                                 need(kExtent, "extent"),
                                                 need(kValid, "valid"),
                                                 may(kListGroups, "groups")};
inline constexpr Field kScatterColumnsFields[] = {kShapeField,
                                                  tile(kScatteredDst, "dst"),
                                                  tile(kListedSource, "src"),
                                                  tile(kSrc1, "index", kColumnNumbers, kSbufOnly),
                                                  need(kExtent, "extent"),
                                                  need(kValid, "valid"),
                                                  may(kListGroups, "groups")};

inline constexpr std::uint8_t kLaneQueues = kVector | kScalar | kGpSimd;
inline constexpr ShapeRule kSnakeOfColumns{.partition_multiple = 16, .most_elements = 4096};
inline constexpr ShapeRule kMxRows{.partition_multiple = 32, .element_multiple = 4};

inline constexpr OpRow kLaterRows[] = {
    {Opcode::kLoadWeightsMx, "load_weights_mx", nki("nc_matmul_mx"), kTensor, kLoadWeightsMxFields,
     CostClass::kWeightLoad, "weights[4 p + s, m] = src[p, s, m] * 2^(scale of src[p, s, m] - 127)",
     "Loads a stationary operand of MXFP8 or MXFP4: P partitions by 4 by M elements, K = 4 P. It occupies "
     "the "
     "columns from 0 on, and rows like load_weights. A quad of MXFP4 is one uint16, the first of its four "
     "numbers "
     "of E2M1 in the lowest bits.",
     kV4, false, false, 0, kMxRows},
    {Opcode::kMatmulMx, "matmul_mx", nki("nc_matmul_mx"), kTensor, kMatmulMxFields, CostClass::kMatmul,
     "dst[m, n] = (accumulate ? dst[m, n] : 0) + sum over p, s ascending of weights[4 p + s, m] * src[p, s, "
     "n] "
     "* 2^(scale of src[p, s, n] - 127)",
     "Multiplies the weights of load_weights_mx by a moving operand of MXFP8 or MXFP4 in one pass, four "
     "products in "
     "each "
     "cell of the array and cycle. Elements times scales are exact in fp32, infinity beyond its range; the "
     "pass "
     "rounds as that of a matmul.",
     kV4, false, false, 0, kMxRows},
    {Opcode::kActivate2, "activate2", nki("activate2"), kScalar, kActivate2Fields,
     CostClass::kActivationReduce,
     "dst[i] = func((src[i] op0 scalar0) op1 scalar1); acc[p] = reduce over i ascending of the fp32 results; "
     "result[p] = acc[p]",
     "An activation with an optional product and an optional sum or difference before the function, each "
     "rounded "
     "in fp32, and a sum, maximum or minimum behind it.",
     kV4},
    {Opcode::kExponential, "exponential", nki("exponential"), kVector, kExponentialFields,
     CostClass::kExponential,
     "dst[i] = exp(src[i] - maximum); acc[p] = sum over i ascending of the fp32 results; sum[p] = acc[p]; "
     "load_reduce begins with init",
     "The exponential of a softmax on the vector engine: a difference in fp32, the function, and the sum "
     "along the "
     "free dimensions.",
     kV4},
    {Opcode::kQuantizeMx, "quantize_mx", nki("quantize_mx"), kVector, kQuantizeMxFields, CostClass::kQuantise,
     "e = floor(log2 max |block|) - emax + 1; scales = e + 127; dst[i] = src[i] / 2^e, to nearest, saturated",
     "Quantises blocks of 8 partitions by 4 elements to MXFP8. The scale is twice that of the OCP's sample "
     "algorithm, so that the largest value of a block rounds without saturation (nki.isa 2.32). A block of "
     "zeros "
     "has the scale 0, one with an infinity or NaN the scale 255 (assumed).",
     kV4, false, false, 0, kMxRows},
    {Opcode::kRand2, "rand2", nki("rand2"), kVector, kRand2Fields, CostClass::kRandom,
     "dst[i] = low + (high - low) * ((32 random bits) / 2^32)",
     "Fills a tile with random numbers of a range, from the generator of each partition, in ascending order. "
     "The 24 highest bits are used, and every operation rounds in fp32 (assumed).",
     kV4},
    {Opcode::kGatherColumns, "gather_columns", kNoNki, kLaneQueues, kGatherColumnsFields,
     CostClass::kIndirectCopy, "dst[p, j] = src[p, index of group p / G at j], j < valid, G = 16 groups",
     "Copies the columns of a tile that a list names, bit by bit. Each G partitions, 16 or 32, have their "
     "own list, "
     "which runs down these partitions first: index j is element j / G of partition j % G. An index out of "
     "range is "
     "an error (undefined on silicon).",
     kV4, false, false, static_cast<std::uint8_t>(Rule::kSameDType), kSnakeOfColumns},
    {Opcode::kScatterColumns, "scatter_columns", kNoNki, kLaneQueues, kScatterColumnsFields,
     CostClass::kIndirectCopy,
     "dst[p, index of group p / G at j] = src[p, j], j < valid ascending, G = 16 groups",
     "Copies columns to the places that a list names, bit by bit, with lists as those of gather_columns. "
     "Other "
     "columns keep their values; of equal indices the last counts.",
     kV4, false, false, static_cast<std::uint8_t>(Rule::kSameDType), kSnakeOfColumns},
};

}  // namespace tahoma::isa::rows
