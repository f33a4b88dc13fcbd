// SPDX-License-Identifier: Apache-2.0
// Rows that only GpSimd runs. It has eight processors of 16 partitions each.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr Field kIotaFields[] = {kShapeField, tile(kDst, "dst", kAnyDType, kSbufOnly),
                                        may(kPattern, "pattern"), may(kBase, "base"),
                                        may(kChannelMultiplier, "channel_multiplier")};
inline constexpr Field kAffineSelectFields[] = {kShapeField,
                                                tile(kDst, "dst", kAnyDType, kSbufOnly),
                                                tile(kSrc0, "src", kAnyDType, kSbufOnly),
                                                may(kPattern, "pattern"),
                                                may(kBase, "base"),
                                                may(kChannelMultiplier, "channel_multiplier"),
                                                need(kCompare, "compare"),
                                                need(kValue, "value")};
inline constexpr AluOps kAcross =
    bits<AluOps>(AluOp::kAdd, AluOp::kMax, AluOp::kBitwiseOr, AluOp::kBitwiseAnd);
inline constexpr Field kPartitionReduceFields[] = {kShapeField, tile(kOneRowDst, "dst", kAnyDType, kSbufOnly),
                                                   tile(kSrc0, "src", kAnyDType, kSbufOnly),
                                                   alu(kReduceOp, "op", kAcross)};
inline constexpr Field kLocalGatherFields[] = {kShapeField,
                                               tile(kGatheredDst, "dst", kAnyDType, kSbufOnly),
                                               tile(kGatherSource, "src", kAnyDType, kSbufOnly),
                                               tile(kSrc1, "index", kUint16Only, kSbufOnly),
                                               need(kExtent, "extent"),
                                               need(kValid, "valid"),
                                               may(kPerIndex, "per_index")};
inline constexpr Field kNGatherFields[] = {
    kShapeField, tile(kDst, "dst", kAnyDType, kSbufOnly), tile(kGatherSource, "src", kAnyDType, kSbufOnly),
    tile(kSrc1, "index", kUint32Only, kSbufOnly), need(kExtent, "extent")};
inline constexpr DTypes kSegmentTypes = bits<DTypes>(DType::kFp32, DType::kInt32);
inline constexpr Field kSequenceBoundsFields[] = {kShapeField,
                                                  tile(kBoundsDst, "dst", kSegmentTypes, kSbufOnly),
                                                  tile(kSrc0, "src", kSegmentTypes, kSbufOnly)};
inline constexpr Field kNonzeroFields[] = {
    kShapeField, tile(kCountedDst, "dst", bits<DTypes>(DType::kInt32), kSbufOnly),
    tile(kSrc0, "src", kSegmentTypes, kSbufOnly), may(kBase, "index_offset"), may(kImm, "padding")};
inline constexpr Field kTopkFields[] = {kShapeField,
                                        tile(kRankedDst, "dst", kBf16Only, kSbufOnly),
                                        tile(kRankedIndex, "index", kUint32Only, kSbufOnly),
                                        tile(kSrc0, "src", kBf16Only, kSbufOnly),
                                        need(kExtent, "n"),
                                        need(kValid, "k")};

inline constexpr ShapeRule kIndexLists{.partition_multiple = 16, .most_elements = 256},
    kOneRow{.most_partitions = 1, .most_elements = 65535}, kListed{.most_elements = 65534},
    kSnakes{.partition_multiple = 16, .most_elements = 4096};

inline constexpr OpRow kGpSimdRows[] = {
    {Opcode::kIota, "iota", nki("iota"), kGpSimd, kIotaFields, CostClass::kGpSimdPattern,
     "dst[p, i] = base + channel_multiplier * p + sum over d of pattern[d] * i[d]",
     "Writes an affine function of the index."},
    {Opcode::kAffineSelect, "affine_select", nki("affine_select"), kGpSimd, kAffineSelectFields,
     CostClass::kGpSimdPattern,
     "dst[p, i] = (base + channel_multiplier * p + sum over d of pattern[d] * i[d]) compare 0 ? src[p, i] : "
     "value",
     "Keeps the elements whose affine index satisfies a comparison with zero, for causal and edge masks."},
    {Opcode::kTensorPartitionReduce, "tensor_partition_reduce", nki("tensor_partition_reduce"), kGpSimd,
     kPartitionReduceFields, CostClass::kPartitionReduce, "dst[0, i] = op over p ascending of src[p, i]",
     "Reduces across partitions, starting with the first: add and max in fp32; bit operations on the bits "
     "of integers, with zeros above a narrower src and the low bits in a narrower dst."},
    {Opcode::kLocalGather, "local_gather", nki("local_gather"), kGpSimd, kLocalGatherFields,
     CostClass::kLocalGather, "dst[p, j * per_index + e] = src[p, index of group p / 16 at j + e], j < valid",
     "Each group of 16 partitions gathers from its own source by its own list of indices. The list runs "
     "down the group's partitions first: index j is element j / 16 of partition j % 16. An index out of "
     "range is an error (undefined on silicon).",
     kV2, false, false, static_cast<std::uint8_t>(Rule::kSameDType), kIndexLists},
    {Opcode::kNGather, "n_gather", nki("nc_n_gather"), kGpSimd, kNGatherFields, CostClass::kGpSimdPattern,
     "dst[p, i] = src[p, index[p, i]]",
     "Gathers elements within each partition. An index out of range is an error (undefined on silicon).", kV2,
     false, false, static_cast<std::uint8_t>(Rule::kSameDType)},
    {Opcode::kSequenceBounds, "sequence_bounds", nki("sequence_bounds"), kGpSimd, kSequenceBoundsFields,
     CostClass::kGpSimdPattern,
     "dst[0, i] = first, dst[1, i] = one past the last index of the run of src[i]; n and -1 if src[i] is 0",
     "Gives the begin and end of each element's segment; a segment is a run of equal numbers, and n is "
     "the number of elements.",
     kV2, false, false, 0, kOneRow},
    {Opcode::kNonzeroWithCount, "nonzero_with_count", nki("nonzero_with_count"), kGpSimd, kNonzeroFields,
     CostClass::kGpSimdPattern,
     "dst = indices of nonzero elements + index_offset, padding, and the count in the last element",
     "Lists the nonzero elements of partitions 0, 16, 32, ... of the tile; other partitions do not "
     "change. -0 counts as zero, a NaN does not; indices are modulo 2^32.",
     kV3, false, false, 0, kListed},
    {Opcode::kTopk, "topk", nki("topk"), kGpSimd, kTopkFields, CostClass::kTopk,
     "dst, index = the k largest of the first n elements of each group of 16 partitions, ascending",
     "A group's elements and results run down its partitions first: number j is element j / 16 of "
     "partition j % 16. Values are copied bit by bit. Of equal values, including -0 and +0, the later "
     "index counts as larger; a NaN is larger than any number. Whole columns are written: beyond k, +0 "
     "and an index of all ones (all three assumed).",
     kV3, false, false, 0, kSnakes},
};

}  // namespace tahoma::isa::rows
