// SPDX-License-Identifier: Apache-2.0
// Powers and reciprocal roots of single numbers that use only IEEE operations on doubles, so every host gives
// the same bits. The hardware's error is not published: these bits are Tahoma's, not silicon's.
#pragma once

namespace tahoma::isa {

// Computes base^exponent within 0.5001 ulp of the true value, subnormal results included; results beyond the
// largest finite number are infinite. Special cases follow C's pow (Annex F): x^0 = 1^y = 1 even for NaNs,
// (-1)^(+-inf) = 1, a negative base with a non-integer exponent is a NaN, and an odd exponent keeps the sign
// of a zero or infinite base. Every NaN is 0x7fc00000.
float power(float base, float exponent);

// Computes 1 / sqrt(value), correctly rounded: the square root and the quotient round as doubles, then the
// quotient rounds to fp32. No fp32 argument gives a quotient close enough to a tie for double rounding to
// matter. +-0 gives +-inf, +inf gives +0, and a value below zero gives the NaN 0x7fc00000.
float reciprocal_root(float value);

}  // namespace tahoma::isa
