// SPDX-License-Identifier: Apache-2.0
#include "isa/table/activation_functions.h"

#include <array>
#include <bit>
#include <initializer_list>
#include <limits>

#include "isa/table/table_names.h"

namespace tahoma::isa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ArgumentRange kEverywhere{-kInfinity, kInfinity};
constexpr double kPi = 3.14159265358979323846;

constexpr std::uint32_t sets(std::initializer_list<unsigned> numbers) {
  std::uint32_t mask = 0;
  for (const unsigned number : numbers) mask |= std::uint32_t{1} << number;
  return mask;
}
constexpr std::uint32_t kEverySet = (std::uint32_t{2} << kTableSets) - 2;

constexpr ErrorBound kExact{0}, kRounded{0.5};

// The sets, by number: 1 exp+tanh; 2 softplus; 3 sigmoid+tanh+erf+arctan; 4 sqrt; 5 the cheap functions
// alone; 6 log; 7 log+exp; 8 d_sigmoid; 9 tanh+d_tanh; 10 sin+arctan; 11 gelu+gelu_dx+tanh; 12
// gelu_apprx_tanh; 13 gelu_apprx_sigmoid; 14 reciprocal; 15 rsqrt; 16 mish; 17 erf_dx; 18 silu+tanh+sin; 19
// silu_dx+tanh+sin; 20 gelu_apprx_sigmoid_dx.
//
// The error bounds come from counting roundings (u = 2^-24 relative is at most one ulp): e^x carries 1.5 u; a
// quotient of exponentials adds a rounded denominator and a division, a product one more. A sweep over every
// fp32 number with |x| in [2^-14, 2^15] used 70 to 99 % of the bounds in ulp and 59 to 91 % of the absolute
// ones; sparser sweeps over all of fp32 found nothing beyond.
constexpr std::array kFunctionRows = {
    ActFnRow{ActFn::kCopy, kEverywhere, kExact, kEverySet, "x", ""},
    ActFnRow{ActFn::kSquare, kEverywhere, kRounded, kEverySet, "x^2", ""},
    ActFnRow{ActFn::kRelu, kEverywhere, kExact, kEverySet, "max(x, 0)", "relu(-0) = +0"},
    ActFnRow{ActFn::kAbs, kEverywhere, kExact, kEverySet, "|x|", "abs(-0) = +0"},
    ActFnRow{ActFn::kSign, kEverywhere, kExact, kEverySet, "-1, 0 or 1 as x < 0, x = 0 or x > 0",
             "sign(-0) = -0"},
    ActFnRow{ActFn::kExp,
             kEverywhere,
             {1.5},
             sets({1, 7}),
             "e^x",
             "exp(-inf) = +0; 0 below -104, infinite above 88.73"},
    ActFnRow{ActFn::kReciprocal,
             {0x1p-42, 0x1p42, true},
             kRounded,
             sets({14}),
             "1 / x",
             "reciprocal(+-0) = +-inf, reciprocal(+-inf) = +-0"},
    ActFnRow{ActFn::kSqrt, {0x1p-116, 0x1p118}, kRounded, sets({4}), "x^(1/2)", "sqrt(-0) = -0; NaN below 0"},
    ActFnRow{ActFn::kSigmoid,
             kEverywhere,
             {3},
             sets({3}),
             "1 / (1 + e^-x)",
             "sigmoid(-inf) = +0, sigmoid(inf) = 1"},
    ActFnRow{ActFn::kPrelu, kEverywhere, kRounded, kEverySet, "x if x >= 0, else alpha x", "prelu(-0) = -0"},
    ActFnRow{ActFn::kGelu,
             kEverywhere,
             {4},
             sets({11}),
             "x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2",
             "gelu(-inf) = -0, gelu(inf) = inf"},
    ActFnRow{ActFn::kGeluDx,
             kEverywhere,
             {5, 0x1p-24, -1.2, -0.4},
             sets({11}),
             "Phi(x) + x e^(-x^2 / 2) / sqrt(2 pi)",
             "gelu_dx(-inf) = -0, gelu_dx(inf) = 1; zero at -0.7518"},
    ActFnRow{ActFn::kGeluTanh,
             kEverywhere,
             {3.5},
             sets({12}),
             "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2",
             "gelu_apprx_tanh(-inf) = -0, gelu_apprx_tanh(inf) = inf"},
    ActFnRow{ActFn::kGeluSigmoid,
             kEverywhere,
             {3.5},
             sets({13}),
             "x sigmoid(1.702 x)",
             "gelu_apprx_sigmoid(-inf) = -0, gelu_apprx_sigmoid(inf) = inf"},
    ActFnRow{ActFn::kGeluSigmoidDx,
             kEverywhere,
             {5, 0x1p-25, -0.95, -0.6},
             sets({20}),
             "s + 1.702 x s (1 - s), s = sigmoid(1.702 x)",
             "gelu_apprx_sigmoid_dx(-inf) = -0, gelu_apprx_sigmoid_dx(inf) = 1; zero at -0.7512"},
    ActFnRow{
        ActFn::kSilu, kEverywhere, {3.5}, sets({18}), "x sigmoid(x)", "silu(-inf) = -0, silu(inf) = inf"},
    ActFnRow{ActFn::kSiluDx,
             kEverywhere,
             {5, 0x1p-25, -1.6, -1.0},
             sets({19}),
             "s + x s (1 - s), s = sigmoid(x)",
             "silu_dx(-inf) = -0, silu_dx(inf) = 1; zero at -1.2785"},
    ActFnRow{ActFn::kTanh,
             kEverywhere,
             {2},
             sets({1, 3, 9, 11, 18, 19}),
             "tanh(x)",
             "tanh(+-inf) = +-1, tanh(-0) = -0"},
    ActFnRow{ActFn::kSoftplus,
             kEverywhere,
             {2.5},
             sets({2}),
             "log(1 + e^x)",
             "softplus(-inf) = +0, softplus(inf) = inf; x itself above 17"},
    ActFnRow{ActFn::kMish,
             kEverywhere,
             {4},
             sets({16}),
             "x tanh(log(1 + e^x))",
             "mish(-inf) = -0, mish(inf) = inf"},
    ActFnRow{ActFn::kErf, kEverywhere, {2}, sets({3}), "erf(x)", "erf(+-inf) = +-1, erf(-0) = -0"},
    ActFnRow{ActFn::kErfDx, kEverywhere, {3}, sets({17}), "2 e^(-x^2) / sqrt(pi)", "erf_dx(+-inf) = +0"},
    ActFnRow{ActFn::kLog,
             {0x1p-64, 0x1p64},
             {1},
             sets({6, 7}),
             "natural logarithm of x",
             "log(+-0) = -inf, log(inf) = inf; NaN below 0"},
    ActFnRow{ActFn::kSin,
             {-kPi, kPi},
             {3},
             sets({10, 18, 19}),
             "sin(x)",
             "sin(-0) = -0; right up to |x| = 2^15, NaN beyond (silicon reduces no argument)"},
    ActFnRow{ActFn::kArctan,
             {-kPi / 2, kPi / 2},
             {2},
             sets({3, 10}),
             "arctan(x)",
             "arctan(+-inf) = +-pi/2, arctan(-0) = -0"},
    ActFnRow{ActFn::kRsqrt,
             {0x1p-87, 0x1p97},
             {1.5},
             sets({15}),
             "1 / x^(1/2)",
             "rounds the root, then its reciprocal; rsqrt(+-0) = +-inf, rsqrt(inf) = +0; NaN below 0"},
};

constexpr bool rows_stand_in_order() {
  for (std::size_t i = 0; i < kFunctionRows.size(); ++i)
    if (static_cast<std::size_t>(kFunctionRows[i].fn) != i) return false;
  return kFunctionRows.size() == kEnumeratorCount<ActFn>;
}
static_assert(rows_stand_in_order(), "every function has one row, at its own index");

}  // namespace

std::span<const ActFnRow> activation_functions() { return kFunctionRows; }

const ActFnRow& activation_function(ActFn fn) { return kFunctionRows[static_cast<std::size_t>(fn)]; }

bool in_every_table_set(ActFn fn) { return activation_function(fn).table_sets == kEverySet; }

unsigned table_set_for(ActFn fn, unsigned loaded) {
  const std::uint32_t with_fn = activation_function(fn).table_sets;
  const bool held = ((with_fn >> loaded) & 1) != 0;
  if (held || in_every_table_set(fn)) return loaded;
  return static_cast<unsigned>(std::countr_zero(with_fn));
}

}  // namespace tahoma::isa
