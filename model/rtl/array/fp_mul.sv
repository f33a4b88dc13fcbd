// SPDX-License-Identifier: Apache-2.0
// An exact multiplier: 12 by 12 significant bits give 24, and the exponent field can represent every product.
package fp_mul;
  import fp_types::*;

  function automatic product_t multiply(operand_t a, operand_t b);
    // verilator no_inline_task
    logic [23:0] exact;
    exact = 24'(a.significand) * 24'(b.significand);
    multiply.sign = a.sign ^ b.sign;
    multiply.infinite = a.infinite || b.infinite;
    multiply.nan = a.nan || b.nan || (multiply.infinite && exact == 0);
    multiply.significand = exact[23] ? exact : exact << 1;
    multiply.exponent = 10'(a.exponent) + 10'(b.exponent) + 10'(exact[23]);
    if (exact == 0) multiply.exponent = 10'sh200;  // below everything else
  endfunction
endpackage
