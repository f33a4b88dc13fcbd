// SPDX-License-Identifier: Apache-2.0
// The isolated decoder, multiplier, adder and cell, for tests of the numbers. With COVERED the functions are in this
// module, because Verilator 5.006 counts all lines of a module's functions, but only one of a package.
module numbers
  import fp_types::*;
`ifndef COVERED
  import fp_decode::decode, fp_decode::narrow, fp_mul::multiply, fp_add::add, pe::cell_sum;
`endif
(
    input  format_t         a_format,
    input  format_t         b_format,
    input  logic     [31:0] a_bits,
    input  logic     [31:0] b_bits,
    input  logic     [31:0] addend_bits,
    input  logic            present,
    input  logic            is_double,  // the second slice repeats the first
    input  logic            turn,
    output logic            product_nan,
    output logic            product_infinite,
    output logic            product_sign,
    output logic     [ 9:0] product_exponent,
    output logic     [23:0] product_significand,
    output logic     [31:0] sum,
    output logic     [31:0] below
);
`ifdef COVERED
  `include "fp_decode.svh"
  `include "fp_mul.svh"
  `include "fp_add.svh"
  `include "pe.svh"
`endif
  operand_t left, right;
  product_t exact_product;
  element_t moving;
  small_t weight_high;
  always_comb begin
    left = decode(a_format, a_bits);
    right = decode(b_format, b_bits);
    exact_product = multiply(left, right);
    sum = add(exact_product, addend_bits);
    moving = '0;
    weight_high = '0;
    moving.present = present;
    moving.is_double = is_double;
    moving.turn = turn;
    moving.low = right;
    if (is_double) begin
      moving.high = narrow(right);
      weight_high = narrow(left);
    end
    below = cell_sum(moving, left, weight_high, addend_bits);
  end
  assign {product_nan, product_infinite, product_sign, product_exponent, product_significand} = exact_product;
endmodule
