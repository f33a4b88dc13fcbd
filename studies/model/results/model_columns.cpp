// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/model_columns.h"

#include <algorithm>

namespace tahoma::runtime {

namespace {

using base::Better;
using F = const ModelFigures&;
using P = const ModelPoint&;

double count(std::uint64_t n) { return static_cast<double>(n); }

template <class E, std::size_t N>
constexpr std::uint64_t place_in(const base::Named<E> (&table)[N], std::type_identity_t<E> value) {
  std::uint64_t place = 0;
  while (table[place].value != value) ++place;
  return place;
}

template <std::size_t N>
std::uint64_t place_of(const isa::DType (&types)[N], isa::DType type) {
  return static_cast<std::uint64_t>(std::find(std::begin(types), std::end(types), type) - std::begin(types));
}

const PointParameter kParameters[] = {
    {"chips", [](P p) { return p.layout.chips; }},
    {"lnc", [](P p) { return p.layout.lnc; }},
    {"tensor", [](P p) { return p.layout.tensor; }},
    {"data", [](P p) { return p.layout.data; }},
    {"expert", [](P p) { return p.layout.expert; }},
    {"sequence", [](P p) { return p.layout.sequence; }},
    {"pipeline", [](P p) { return p.layout.pipeline; }},
    {"microbatches", [](P p) { return p.layout.microbatches; }},
    {"placement", [](P p) { return place_in(kPlacements, p.layout.placement); },
     [](std::uint64_t n) { return std::string(kPlacements[n].name); }},
    {"weights", [](P p) { return place_of(kWeightTypes, p.layout.weights); },
     [](std::uint64_t n) { return std::string(isa::name_of(kWeightTypes[n])); }},
    {"activations", [](P p) { return place_of(kActivationTypes, p.layout.activations); },
     [](std::uint64_t n) { return std::string(isa::name_of(kActivationTypes[n])); }},
    {"batch", [](P p) { return p.demand.batch; }},
    {"prompt", [](P p) { return p.demand.prompt; }},
    {"context", [](P p) { return p.demand.context; }}};

const PointQuantity kQuantities[] = {
    {"tpot_ns", Better::kLess, [](F f) { return f.tpot() * 1e9; }},
    {"tokens_per_second_and_chip", Better::kMore,
     [](F f) { return f.tokens_per_second() / count(f.layout.chips); }},
    {"ttft_ns", Better::kLess, [](F f) { return f.ttft() * 1e9; }},
    {"tokens_per_second", Better::kMore, [](F f) { return f.tokens_per_second(); }},
    {"prompt_tokens_per_second", Better::kMore, [](F f) { return f.prompt_tokens_per_second(); }},
    {"joules_per_token", Better::kLess, [](F f) { return f.joules_per_token(); }},
    {"dollars_per_million_tokens", Better::kLess, [](F f) { return f.dollars_per_million_tokens(); }},
    {"dollars_per_million_prompt_tokens", Better::kLess,
     [](F f) { return f.dollars_per_million_prompt_tokens(); }},
    {"litres_per_million_tokens", Better::kLess, [](F f) { return f.litres_per_million_tokens(); }},
    {"prefill_mfu_percent", Better::kMore, [](F f) { return 100 * f.prefill.mfu(); }},
    {"decode_mfu_percent", Better::kMore, [](F f) { return 100 * f.decode.mfu(); }},
    {"hbm_footprint_bytes", Better::kLess, [](F f) { return f.footprint_bytes(); }},
    {"prefill_bubble_percent", Better::kLess, [](F f) { return 100 * f.prefill.bubble(); }},
    {"decode_bubble_percent", Better::kLess, [](F f) { return 100 * f.decode.bubble(); }},
    {"full_tpot_ns", Better::kLess, [](F f) { return f.full_tpot() * 1e9; }},
    {"full_tokens_per_second", Better::kMore, [](F f) { return f.full_tokens_per_second(); }},
    {"full_prompt_tokens_per_second", Better::kMore, [](F f) { return f.full_prompt_tokens_per_second(); }}};

}  // namespace

std::span<const PointParameter> point_parameters() { return kParameters; }
std::span<const PointQuantity> point_quantities() { return kQuantities; }

}  // namespace tahoma::runtime
