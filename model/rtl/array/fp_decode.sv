// SPDX-License-Identifier: Apache-2.0
// Decodes one element of any format to a number with a leading one. Exact, subnormals included.
package fp_decode;
  import fp_types::*;

  // Sign, exponent and fraction at their fp32 positions; the exponent still has its own bias.
  typedef struct packed {
    logic sign;
    logic [7:0] field;
    logic [22:0] fraction;
  } fields_t;

  function automatic operand_t decode(format_t format, logic [31:0] bits);
    // verilator no_inline_task
    fields_t fields;
    logic [7:0] bias;
    logic is_special, is_subnormal;
    logic [23:0] normalised;
    logic [4:0] zeros;
    case (format)
      FP16: begin
        fields = {bits[15], 3'b0, bits[14:0], 13'b0};
        bias = 15;
        is_special = &bits[14:10];
      end
      FP8_E4M3: begin
        fields = {bits[7], 4'b0, bits[6:0], 20'b0};
        bias = 7;
        is_special = &bits[6:3];
      end
      FP8_E5M2: begin
        fields = {bits[7], 3'b0, bits[6:0], 21'b0};
        bias = 15;
        is_special = &bits[6:2];
      end
      FP8_E3M4: begin
        fields = {bits[7], 5'b0, bits[6:0], 19'b0};
        bias = 3;
        is_special = &bits[6:4];
      end
      FP32_HALF: begin
        fields = bits;
        bias = 127;
        is_special = &bits[30:23];
      end
      default: begin  // bf16
        fields = {bits[15:0], 16'b0};
        bias = 127;
        is_special = &bits[14:7];
      end
    endcase
    is_subnormal = fields.field == 0;
    normalised = {!is_subnormal, fields.fraction};
    zeros = 0;
    for (int i = 0; i < 24; ++i) if (normalised[i]) zeros = 5'(23 - i);
    normalised = normalised << zeros;
    decode.nan = is_special && fields.fraction != 0;
    decode.infinite = is_special && fields.fraction == 0;
    decode.sign = fields.sign;
    decode.exponent = 9'(fields.field) + 9'(is_subnormal) - 9'(bias) - 9'(zeros);
    decode.significand = normalised[23:12];
    if (format == BITS) decode = operand_t'(24'(bits[15:0]));
    else
      assert (normalised[11:0] == 0 || is_special)
      else $error("more than 12 significant bits: %h", bits);
  endfunction

  // Converts to and from fp8.
  function automatic small_t narrow(operand_t operand);
    narrow = {operand.nan, operand.infinite, operand.sign, operand.exponent[4:0], operand.significand[11:7]};
    assert (operand == widen(narrow) || operand.significand == 0 || operand.nan || operand.infinite)
    else $error("no fp8: %h", operand);
  endfunction
  function automatic operand_t widen(small_t small_operand);
    widen.nan = small_operand.nan;
    widen.infinite = small_operand.infinite;
    widen.sign = small_operand.sign;
    widen.exponent = 9'(small_operand.exponent);
    widen.significand = {small_operand.significand, 7'b0};
  endfunction
endpackage
