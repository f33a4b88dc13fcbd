// SPDX-License-Identifier: Apache-2.0
// Rows of the vector engine's searches, statistics, movement between partitions and random numbers. GpSimd
// has its own generators.
#pragma once

#include "isa/table/table_rows.h"

namespace tahoma::isa::rows {

using enum FieldKind;

inline constexpr Field kMax8Fields[] = {kShapeField, tile(kDst, "dst", kAnyDType, kOnChip, 8),
                                        tile(kSrc0, "src")};
inline constexpr DTypes kIndices = kUint16Only | kUint32Only;
inline constexpr Field kFindIndex8Fields[] = {kShapeField, tile(kDst, "dst", kIndices, kOnChip, 8),
                                              tile(kSrc0, "src"),
                                              tile(kSrc1, "values", kAnyDType, kOnChip, 8)};
inline constexpr Field kMatchReplace8Fields[] = {
    kShapeField,           tile(kDst, "dst"),
    tile(kSrc0, "src"),    tile(kSrc1, "values", kAnyDType, kOnChip, 8),
    need(kValue, "value"), column("index", kIndices, 8)};
inline constexpr Field kBnStatsFields[] = {kShapeField, tile(kDst, "dst", kFloats, kOnChip, 6),
                                           tile(kSrc0, "src")};
inline constexpr Field kBnAggrFields[] = {kShapeField, tile(kDst, "dst", kFloats, kOnChip, 2),
                                          tile(kSrc0, "src")};
inline constexpr Field kVectorTransposeFields[] = {kShapeField, tile(kTransposedDst, "dst"),
                                                   tile(kSrc0, "src")};
inline constexpr Field kShuffleFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src"),
                                           need(kMask, "mask")};
inline constexpr Field kDropoutFields[] = {kShapeField, tile(kDst, "dst"), tile(kSrc0, "src"),
                                           need(kScalar0, "probability")};
inline constexpr Field kRngFields[] = {kShapeField, tile(kDst, "dst", kIntegers)};
inline constexpr Field kRandSeedFields[] = {kShapeField,
                                            tile(kSrc0, "src", bits<DTypes>(DType::kInt32, DType::kUint32))};
inline constexpr Field kRandSetFields[] = {kShapeField, tile(kSrc0, "src", kUint32Only, kSbufOnly)};
inline constexpr Field kRandGetFields[] = {kShapeField, tile(kDst, "dst", kUint32Only, kSbufOnly)};

inline constexpr ShapeRule kSearched{.least_elements = 8, .most_elements = 16384},
    kCounted{.most_elements = 512}, kTriples{.least_elements = 3, .element_multiple = 3},
    kSquare{.most_partitions = 32, .most_elements = 32},
    kOneElement{.most_partitions = 1, .most_elements = 1},
    kGeneratorWords{.least_elements = 6, .most_elements = 6};

inline constexpr OpRow kSearchRows[] = {
    {Opcode::kMax8, "max8", nki("max8"), kVector, kMax8Fields, CostClass::kStreaming,
     "dst[0..7] = the 8 largest of src, descending",
     "Finds the 8 largest elements of each partition, as fp32. A NaN is larger than any number and -0 "
     "smaller than +0, as in max (assumed).",
     kV2, false, false, 0, kSearched},
    {Opcode::kFindIndex8, "find_index8", nki("nc_find_index8"), kVector, kFindIndex8Fields,
     CostClass::kStreaming, "dst[j] = first i with src[i] == values[j] that no earlier j has taken",
     "Finds the positions of 8 values in each partition, compared as fp32. A value that occurs several "
     "times is found at its successive positions. A value that does not occur, and always a NaN, gives "
     "all ones (undefined on silicon).",
     kV2, false, false, 0, kSearched},
    {Opcode::kMatchReplace8, "match_replace8", nki("nc_match_replace8"), kVector, kMatchReplace8Fields,
     CostClass::kStreaming,
     "dst = src with the first position of each values[j] that no later j has taken set to value; "
     "index[j] = position",
     "Replaces 8 values by a constant and returns their positions. Compares as find_index8 does, but from "
     "j = 7 down, as published; all other elements are copied as by tensor_copy.",
     kV2, false, false, 0, kSearched},
    {Opcode::kBnStats, "bn_stats", nki("bn_stats"), kVector, kBnStatsFields, CostClass::kStreaming,
     "dst = count, mean, variance * count of the even elements, then of the odd ones",
     "Statistics of each partition in fp32: ascending sums from +0, first of the elements, then of the "
     "squared distances from their mean, each added by one fused multiply-add (order assumed).",
     kV2, false, false, 0, kCounted},
    {Opcode::kBnAggr, "bn_aggr", nki("bn_aggr"), kVector, kBnAggrFields, CostClass::kAggregate,
     "dst = mean, variance of all elements that the triples count, mean, variance * count of src describe",
     "Merges the results of bn_stats in ascending order. With d the distance of the means and r the share "
     "of the second count: mean + d * r, and the sum of both last numbers + (d * d) * (first count * r), "
     "each operation rounded in fp32 (assumed). Triples of count 0 are skipped; without any others, the "
     "result is 0, 0.",
     kV2, false, false, 0, kTriples},
    {Opcode::kVectorTranspose, "vector_transpose", nki("nc_transpose"), kVector, kVectorTransposeFields,
     CostClass::kStreaming, "dst[j, i] = src[i, j]",
     "Transposes a tile of at most 32 x 32 bit by bit; dst may overlap src in any way.", kV2, false, false,
     static_cast<std::uint8_t>(Rule::kSameDType), kSquare},
    {Opcode::kStreamShuffle, "stream_shuffle", nki("nc_stream_shuffle"), kVector, kShuffleFields,
     CostClass::kStreaming, "dst[32 q + i] = src[32 q + mask[i]], or dst[32 q + i] if the mask keeps it",
     "Moves partitions within each group of 32, bit by bit; dst may overlap src in any way. src consists "
     "of whole groups of 32 partitions, even if the shape ends inside one.",
     kV2, false, false, Rule::kSameDType | Rule::kWholeQuadrants},
    {Opcode::kDropout, "dropout", nki("dropout"), kVector, kDropoutFields, CostClass::kStreaming,
     "dst[i] = (32 random bits) / 2^32 < probability ? 0 : src[i]",
     "Sets random elements to zero; the others are copied bit by bit, unscaled. Each element uses the "
     "generator of dst's partition, in ascending order.",
     kV2, false, false, static_cast<std::uint8_t>(Rule::kSameDType)},
    {Opcode::kRng, "rng", nki("rng"), kVector | kGpSimd, kRngFields, CostClass::kStreaming,
     "dst[i] = the low bits of 32 random bits",
     "Fills a tile with random bits. Each element uses the generator of its partition, in ascending "
     "order: xorwow (name published, recurrence assumed to be Marsaglia's), one per lane of each engine, "
     "with the same state at the start of every program."},
    {Opcode::kRandSeed, "rand_seed", nki("set_rng_seed"), kVector, kRandSeedFields, CostClass::kStreaming,
     "generators of the lanes = f(src, lane)",
     "Seeds the vector engine's generators from one number (isa/semantics/arithmetic/random.h; f "
     "assumed); 0 gives the state at the start of a program.",
     kV2, false, false, 0, kOneElement},
    {Opcode::kRandSetState, "rand_set_state", nki("rand_set_state"), kGpSimd, kRandSetFields,
     CostClass::kStreaming, "generator of src's partition p = src[p, 0..5]",
     "Sets the generators of GpSimd's lanes; others do not change.", kV3, false, false, 0, kGeneratorWords},
    {Opcode::kRandGetState, "rand_get_state", nki("rand_get_state"), kGpSimd, kRandGetFields,
     CostClass::kStreaming, "dst[p, 0..5] = generator of dst's partition p",
     "Stores the generators of GpSimd's lanes.", kV3, false, false, 0, kGeneratorWords},
};

}  // namespace tahoma::isa::rows
