// SPDX-License-Identifier: Apache-2.0
// One row of cells. A decoded element waits DELAY cycles to align with the descending sums and then moves
// right by one cell per cycle. Sums enter from above and leave below one cycle later.
module array_row
  import fp_types::*, fp_decode::decode, fp_decode::narrow, pe::cell_sum;
#(
    parameter int COLUMNS = 4,
    parameter int LANES = 4,
    parameter int DELAY = 0
) (
    input  logic                         clk,
    input  logic                         advance,  // the array advances
    input  moving_t                      entering,
    // weights enter from the left, up to LANES columns at `column`
    input  logic                         load,
    input  logic                         load_bank,
    input  logic                         load_double,
    input  format_t                      load_format,
    input  logic     [        7:0]       load_column,
    input  logic     [        2:0]       load_count,
    input  logic     [  LANES-1:0][31:0] weights,
    input  logic     [COLUMNS-1:0][31:0] above,
    output logic     [COLUMNS-1:0][31:0] below
);
  moving_t skewed;
  if (DELAY == 0) begin : straight
    assign skewed = entering;
  end else begin : skew
    logic [DELAY-1:0][$bits(moving_t)-1:0] waiting;
    always_ff @(posedge clk) if (advance) waiting <= (DELAY * $bits(moving_t))'({waiting, entering});
    assign skewed = waiting[DELAY-1];
  end

  logic [COLUMNS-1:0][$bits(moving_t)-1:0] moving, moved;
  assign moving = (COLUMNS * $bits(moving_t))'({moved, skewed});
  always_ff @(posedge clk) if (advance) moved <= moving;

  // Two banks: while moving elements use one, the other serves as its shadow.
  logic [1:0][COLUMNS-1:0][$bits(operand_t)-1:0] weight_low;
  logic [1:0][COLUMNS-1:0][$bits(small_t)-1:0] weight_high;
  always_ff @(posedge clk)
    if (load)
      for (int l = 0; l < LANES; ++l)
        if (l < 32'(load_count)) begin
          weight_low[load_bank][32'(load_column)+l] <= decode(
              load_format, load_double ? 32'(weights[l][7:0]) : weights[l]
          );
          if (load_double)
            weight_high[load_bank][32'(load_column)+l] <= narrow(decode(load_format, 32'(weights[l][15:8])));
        end

  always_ff @(posedge clk)
    if (advance)
      for (int c = 0; c < COLUMNS; ++c) begin : cells
        moving_t m;
        m = moving[c];
        below[c] <= cell_sum(m.element, weight_low[m.bank][c], weight_high[m.bank][c], above[c]);
      end
endmodule
