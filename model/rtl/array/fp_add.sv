// SPDX-License-Identifier: Apache-2.0
// Adds an exact product to an fp32 sum and rounds once, to nearest, ties to even: with fp_mul before it this
// is a fused multiply-add. Subnormals are kept; a NaN is 7fc00000.
package fp_add;
  import fp_types::*;

  localparam logic [30:0] INFINITY = 31'h7f800000;
  localparam logic [31:0] NOT_A_NUMBER = 32'h7fc00000;

  // Converts the addend to the product's form; a subnormal has no leading one.
  function automatic product_t widen(logic [31:0] addend);
    logic [7:0] field;
    field = addend[30:23];
    widen.nan = &field && addend[22:0] != 0;
    widen.infinite = &field && addend[22:0] == 0;
    widen.sign = addend[31];
    widen.exponent = 10'(field) + 10'(field == 0) - 10'sd127;
    widen.significand = {field != 0, addend[22:0]};
  endfunction

  // Rounds magnitude * 2^(exponent - 26) to fp32. Bit 27 receives a carry; no exponent is below -126.
  function automatic logic [30:0] round(logic signed [9:0] exponent, logic [27:0] magnitude);
    logic [4:0] zeros, shift;
    logic [8:0] room;
    logic [27:0] normalised;
    logic signed [9:0] field;
    logic tie_goes_up, round_up;
    // Places the leading one in bit 27, or as high as the exponent range permits.
    zeros = 28;
    for (int i = 0; i < 28; ++i) if (magnitude[i]) zeros = 5'(27 - i);
    room = 9'(exponent + 10'sd127);
    shift = 9'(zeros) < room ? zeros : 5'(room);
    normalised = magnitude << shift;
    field = normalised[27] ? exponent + 10'sd128 - 10'(shift) : 0;
`ifdef PLANT_TIES_AWAY
    tie_goes_up = 1;
`else
    tie_goes_up = normalised[4];  // to even
`endif
    round_up = normalised[3] && (normalised[2:0] != 0 || tie_goes_up);
    round = {field[7:0], normalised[26:4]} + 31'(round_up);  // a carry may give infinity
    if (field >= 255) round = INFINITY;
`ifdef PLANT_FLUSH
    if (field == 0) round = 0;
`endif
  endfunction

  function automatic logic [31:0] add(product_t product, logic [31:0] addend);
    // verilator no_inline_task
    product_t other;
    logic signed [10:0] distance;
    logic signed [9:0] exponent;
    logic [23:0] larger, smaller;
    logic [26:0] aligned, lost;
    logic [27:0] total;
    logic product_moves, subtract, negative;
    other = widen(addend);
    subtract = product.sign != other.sign;
    // The number with the smaller exponent is shifted right. Below the 24 bits are two more and a sticky
    // bit for lost ones. This suffices: a difference that loses more than its leading bit was shifted by at
    // most one position. Only an addend has no leading one, at an exponent of -126, where the last bit
    // keeps its position.
    distance = 11'(product.exponent) - 11'(other.exponent);
    product_moves = distance < 0;
    if (product_moves) distance = -distance;
    if (distance > 27) distance = 27;
    {exponent, larger, smaller} = product_moves ?
        {other.exponent, other.significand, product.significand} :
        {product.exponent, product.significand, other.significand};
    {aligned, lost} = {smaller, 30'b0} >> distance[4:0];
    aligned[0] = aligned[0] || lost != 0;
    total = {1'b0, larger, 3'b0} + (subtract ? -28'(aligned) : 28'(aligned));
    negative = subtract && total[27];
    add = {product_moves == negative ? product.sign : other.sign, round(exponent, negative ? -total : total)};
    if (total == 0) add = {product.sign && other.sign, 31'd0};
    if (product.infinite || other.infinite) add = {product.infinite ? product.sign : other.sign, INFINITY};
    if (product.nan || other.nan || (product.infinite && other.infinite && subtract)) add = NOT_A_NUMBER;
  endfunction
endpackage
