// SPDX-License-Identifier: Apache-2.0
// Numbers inside the array. Every element is decoded once, at the array's edge, so the cells do not
// depend on formats.
package fp_types;

  typedef enum logic [2:0] {
    BF16 = 0,
    FP16 = 1,
    FP8_E4M3 = 2,
    FP8_E5M2 = 3,
    FP8_E3M4 = 4,
    FP32_HALF = 5,  // an fp32 word of at most 12 significant bits: a half of fp32, or tf32
    BITS = 6        // 16 bits that are not a number: weights of a transpose
  } format_t;

  // significand * 2^(exponent - 11), bit 11 set unless it is zero. Infinities and NaNs have a
  // significand too.
  typedef struct packed {
    logic nan;
    logic infinite;
    logic sign;
    logic signed [8:0] exponent;
    logic [11:0] significand;
  } operand_t;

  // The same for fp8, which the second slice of double-row always is: significand * 2^(exponent - 4).
  typedef struct packed {
    logic nan;
    logic infinite;
    logic sign;
    logic signed [4:0] exponent;
    logic [4:0] significand;
  } small_t;

  // Exact product: significand * 2^(exponent - 23), bit 23 set unless it is zero.
  typedef struct packed {
    logic nan;
    logic infinite;
    logic sign;
    logic signed [9:0] exponent;
    logic [23:0] significand;
  } product_t;

  // A moving element and the operation that cells apply to it.
  typedef struct packed {
    logic present;    // if absent, the sum passes unchanged
    logic is_double;  // double-row fp8: `high` is used too
    logic turn;       // a transpose: the weight's bits replace the sum where the element is not zero
    operand_t low;
    small_t high;
  } element_t;
  typedef struct packed {
    logic bank;  // of the weights that it uses
    element_t element;
  } moving_t;

endpackage
