// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "isa/table/table_names.h"
#include "model/base/error.h"
#include "workloads/gemm/kernel/gemm_sum.h"

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 20;
constexpr const char* kNothing = "none";

constexpr base::Named<GemmNest> kNests[] = {{GemmNest::kChosen, "chosen"},
                                            {GemmNest::kNaive, "naive"},
                                            {GemmNest::kBlocked, "blocked"},
                                            {GemmNest::kRowLoads, "row_loads"}};
constexpr base::Named<BiasOf> kBiases[] = {
    {BiasOf::kNone, kNothing}, {BiasOf::kRows, "rows"}, {BiasOf::kColumns, "columns"}};
constexpr base::Named<ALayout> kLayouts[] = {{ALayout::kColumns, "columns"}, {ALayout::kRows, "rows"}};

constexpr std::array kActivations{isa::ActFn::kRelu,        isa::ActFn::kGelu, isa::ActFn::kGeluTanh,
                                  isa::ActFn::kGeluSigmoid, isa::ActFn::kSilu, isa::ActFn::kSigmoid,
                                  isa::ActFn::kTanh};

constexpr std::array kModes{
    isa::MatmulMode::kDense,       isa::MatmulMode::kDoubleRow,  isa::MatmulMode::kSparse4of16,
    isa::MatmulMode::kSparse4of12, isa::MatmulMode::kSparse4of8, isa::MatmulMode::kSparse2of8,
    isa::MatmulMode::kSparse2of4,  isa::MatmulMode::kSparse1of4, isa::MatmulMode::kSparse1of2};

base::Choice<isa::DType> dtypes() {
  using enum isa::DType;
  return {kBf16, kFp16, kFp32, kTf32, kFp8E4M3, kFp8E5M2, kFp8E3M4};
}

std::vector<std::string_view> dtypes_of(const isa::ModeRow& mode) {
  std::vector<std::string_view> names;
  for (std::size_t d = 0; d < isa::kDTypeCount; ++d)
    if ((mode.dtypes >> d & 1U) != 0) names.push_back(isa::name_of(static_cast<isa::DType>(d)));
  return names;
}

}  // namespace

void GemmParams::Parts::declare(base::ParamTree& t) {
  const base::Range<std::uint64_t> range{1, kMostExtent};
  t.add("m", m, std::uint64_t{1}, range, "parts of the rows of C", base::chosen());
  t.add("n", n, std::uint64_t{1}, range, "parts of the columns of C", base::chosen());
  t.add("k", k, std::uint64_t{1}, range, "parts of the contraction, summed over NeuronLink", base::chosen());
}

void GemmParams::Behind::declare(base::ParamTree& t) {
  t.add("bias", bias, BiasOf::kNone, kBiases,
        "fp32 vector that is added to the sums: one element per row, or per column, of C", base::chosen());
  t.add("activation", activation, std::nullopt,
        base::absent_or(kNothing, base::Choice<isa::ActFn>(kActivations)), "function of sum + bias",
        base::chosen());
  t.add("residual", residual, false, "adds a matrix of C's shape and dtype after the activation",
        base::chosen());
}

void GemmParams::Inputs::declare(base::ParamTree& t) {
  const auto file = [&](const char* name, std::string& path, const char* doc) {
    t.add_files(name, path, doc, base::chosen());
  };
  file("a", a, ".npy file of A [m, k]; empty: generated from the seed");
  file("b", b, ".npy file of B [k, n]; empty: generated from the seed");
  file("bias", bias, ".npy file of the bias, fp32 [m, 1] or [1, n]; empty: generated from the seed");
  file("residual", residual, ".npy file of the residual [m, n]; empty: generated from the seed");
}

void GemmParams::declare(base::ParamTree& t) {
  const base::Range<std::uint64_t> extent{1, kMostExtent};
  t.add("m", m_, std::uint64_t{1024}, extent, "rows of A and C", base::chosen());
  t.add("n", n_, std::uint64_t{1024}, extent, "columns of B and C", base::chosen());
  t.add("k", k_, std::uint64_t{1024}, extent, "columns of A, rows of B", base::chosen());
  t.add("dtype", dtype_, isa::DType::kBf16, dtypes(), "element type of A and B; sums are fp32",
        base::chosen());
  t.add("out", out_, std::nullopt, base::absent_or("auto", dtypes()),
        "element type of C; auto: that of A and B, bf16 for fp8", base::chosen());
  t.add("mode", mode_, isa::MatmulMode::kDense, base::Choice<isa::MatmulMode>(kModes),
        "use of the array: dense, two fp8 rows at once, or M of every N elements of A's rows kept",
        base::chosen());
  t.add("a_layout", a_layout_, ALayout::kColumns, kLayouts,
        "A in HBM: columns [k, m], as the array needs it; rows [m, k], transposed on its way into SBUF",
        base::chosen());
  t.add("kernel", kernel_, GemmNest::kChosen, kNests,
        "loop nest of a core: chosen for the machine, or a published one for comparison", base::chosen());
  t.add("algorithm", algorithm_, runtime::collective::Algorithm::kBest, GemmSum::algorithms(),
        "algorithm for partial sums: auto (by size, as published), best (by closed forms), or a name",
        base::chosen());
  t.group("epilogue", behind_);
  t.group("shard", shard_);
  t.group("inputs", inputs_);
}

GemmShape GemmParams::shape() const {
  GemmShape shape{m_, n_, k_};
  shape.dtype = dtype_;
  shape.out = out_.value_or(isa::size_of(dtype_) > 1 ? dtype_ : isa::DType::kBf16);
  shape.mode = mode_;
  shape.epilogue.bias = behind_.bias;
  if (behind_.activation) shape.epilogue.activation = *behind_.activation;
  shape.epilogue.residual = behind_.residual;
  shape.a_by_rows = a_layout_ == ALayout::kRows;
  return shape;
}

void GemmParams::check() const {
  const GemmShape s = shape();
  const isa::ModeRow& mode = isa::row_of(s.mode);
  if ((mode.dtypes >> static_cast<unsigned>(dtype_) & 1U) == 0)
    throw base::UserError("E-RUN-091", "workload.dtype",
                          fmt::format("mode {} does not take {}; expected {}", isa::name_of(mode_),
                                      isa::name_of(dtype_), fmt::join(dtypes_of(mode), ", ")));
  const bool plain = s.epilogue.only_rounds();
  if (nest() != GemmNest::kChosen && (s.mode != isa::MatmulMode::kDense || !plain))
    throw base::UserError("E-RUN-092", "workload.kernel",
                          fmt::format("kernel {} is dense and has no epilogue; expected chosen",
                                      base::name_in(kNests, kernel_)));
  // Partitions hold pairs of a core's part of the contraction.
  const bool whole_pairs = !s.turns_pairs() || runtime::part_of(s.k, shard_.k, 0).count % 2 == 0;
  if (s.a_by_rows && (nest() != GemmNest::kChosen || !s.may_turn() || !whole_pairs))
    throw base::UserError(
        "E-RUN-092", "workload.a_layout",
        fmt::format("rows of {} in mode {} by kernel {} with k = {} in {} parts; expected 2- or 4-byte "
                    "elements in mode "
                    "dense, or fp8 in mode double_row and even parts of k, by kernel chosen; or columns",
                    isa::name_of(dtype_), isa::name_of(mode_), base::name_in(kNests, kernel_), s.k,
                    shard_.k));
  if (shard_.k > 1 && (s.sparse() || !plain))
    throw base::UserError(
        "E-RUN-092", "workload.shard.k",
        fmt::format("a contraction in {} parts with {}; expected 1: partial sums are only "
                    "rounded, and groups of weights stay together",
                    shard_.k, plain ? fmt::format("mode {}", isa::name_of(mode_)) : "an epilogue"));
}

std::string GemmParams::describe() const {
  std::string text = fmt::format("gemm {}x{}x{} {}, shard m{} n{} k{}", m_, n_, k_, isa::name_of(dtype_),
                                 shard_.m, shard_.n, shard_.k);
  const GemmShape s = shape();
  if (nest() != GemmNest::kChosen) text += fmt::format(", kernel {}", base::name_in(kNests, kernel_));
  if (s.mode != isa::MatmulMode::kDense) text += fmt::format(", {}", isa::name_of(mode_));
  if (s.a_by_rows) text += ", A by rows";
  if (out_) text += fmt::format(", to {}", isa::name_of(*out_));
  if (s.epilogue.bias != BiasOf::kNone)
    text += fmt::format(", bias of {}", base::name_in(kBiases, behind_.bias));
  if (s.epilogue.activation != isa::ActFn::kCopy)
    text += fmt::format(", {}", isa::name_of(*behind_.activation));
  if (s.epilogue.residual) text += ", residual";
  return text;
}

}  // namespace tahoma::workloads
