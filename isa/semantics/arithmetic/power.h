// SPDX-License-Identifier: Apache-2.0
// Powers and reciprocal roots of single numbers by IEEE operations on doubles alone, so that every host gives
// the same bits. The hardware's error is not published: these bits are Tahoma's, not silicon's.
#pragma once

namespace tahoma::isa {

// base^exponent within 0.5001 ulp of the true value, subnormal results included; beyond the largest finite
// number infinite. Special cases are those of C's pow (Annex F): x^0 = 1^y = 1 even of NaNs, (-1)^(+-inf) =
// 1, a negative base with an exponent that is no integer is a NaN, an odd exponent keeps the sign of a zero
// or infinite base. Every NaN is 0x7fc00000.
float power(float base, float exponent);

// 1 / sqrt(value), correctly rounded: square root and quotient round as doubles, the quotient once more to
// fp32, which no fp32 argument is close enough to a tie to notice. +-0 gives +-inf, +inf gives +0, anything
// below zero the NaN 0x7fc00000.
float reciprocal_root(float value);

}  // namespace tahoma::isa
