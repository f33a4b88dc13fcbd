// SPDX-License-Identifier: Apache-2.0
// The decoder, the multiplier and the adder on their own, for tests of the numbers.
module numbers
  import fp_types::*;
(
    input  format_t         a_format,
    input  format_t         b_format,
    input  logic     [31:0] a_bits,
    input  logic     [31:0] b_bits,
    input  logic     [31:0] addend,
    output logic            product_nan,
    output logic            product_infinite,
    output logic            product_sign,
    output logic     [ 9:0] product_exponent,
    output logic     [23:0] product_significand,
    output logic     [31:0] sum
);
  operand_t a, b;
  product_t product;
  always_comb begin
    a = fp_decode::decode(a_format, a_bits);
    b = fp_decode::decode(b_format, b_bits);
    product = fp_mul::multiply(a, b);
    sum = fp_add::add(product, addend);
  end
  assign {product_nan, product_infinite, product_sign, product_exponent, product_significand} = product;
endmodule
