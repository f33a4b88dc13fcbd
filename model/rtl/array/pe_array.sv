// SPDX-License-Identifier: Apache-2.0
// A weight-stationary systolic array of ROWS x COLUMNS cells. A moving row (one element for each row of the
// array) enters at once and its sums leave at once; the array handles the skew internally. Sums start at the
// top from +0 and move down, so rows are added in ascending order, each with one rounding.
//
//   moving_*   one moving row when valid and ready. use_row: participating rows; elsewhere sums pass.
//              double_row: each element is two fp8, the lower byte first. turn: a transpose. bank: the
//              weights that it uses.
//   weight_*   up to four adjacent columns of all `weight_rows`, into one bank, when valid and ready: ready
//              while no moving row inside the array uses that bank. The other bank keeps streaming.
//   result_*   one sum for each column, in the order of the moving rows. If not ready, the array stalls.
//
// A row that enters in cycle t leaves in cycle t + ROWS + COLUMNS - 1, plus one cycle for every stall.
module pe_array
  import fp_types::*, fp_decode::decode, fp_decode::narrow;
#(
    parameter int ROWS = 4,
    parameter int COLUMNS = 4,
    localparam int LANES = 4  // columns written at a time
) (
    input logic clk,
    input logic reset,

    input  logic           moving_valid,
    output logic           moving_ready,
    input  format_t        moving_format,
    input  logic           double_row,
    input  logic           turn,
    input  logic           bank,
    input  logic [ROWS-1:0] use_row,
    input  logic [ROWS-1:0][31:0] moving,

    input  logic           weight_valid,
    output logic           weight_ready,
    input  format_t        weight_format,
    input  logic           weight_double,
    input  logic           weight_bank,
    input  logic    [ 7:0] weight_column,           // the first
    input  logic    [ 2:0] weight_count,            // of columns, 1 to 4
    input  logic [ROWS-1:0] weight_rows,
    input  logic [ROWS-1:0][LANES-1:0][31:0] weights,

    output logic           result_valid,
    input  logic           result_ready,
    output logic [COLUMNS-1:0][31:0] result
);
  localparam int FILL = ROWS + COLUMNS - 1;

  // Rows inside the array, the newest first, and the bank that each uses.
  logic [FILL-1:0] under_way, banks;
  logic advance, accepted;
  assign result_valid = under_way[FILL-1];
  assign advance = result_ready || !result_valid;
  assign moving_ready = advance;
  assign accepted = moving_valid && moving_ready;
  always_ff @(posedge clk)
    if (reset) {under_way, banks} <= '0;
    else if (advance) begin
      under_way <= FILL'({under_way, moving_valid});
      banks  <= FILL'({banks, bank});
    end

  // The last stage of `under_way` holds only sums, which no longer use weights.
  logic load, bank_in_use;
  assign bank_in_use = |(under_way[FILL-2:0] & ~(banks[FILL-2:0] ^ {(FILL - 1) {weight_bank}}));
  assign weight_ready = !bank_in_use && !(moving_valid && bank == weight_bank);
  assign load = weight_valid && weight_ready;

  logic [ROWS:0][COLUMNS-1:0][31:0] sums;
  assign sums[0] = '0;
  for (genvar r = 0; r < ROWS; ++r) begin : rows
    element_t element;
    always_comb begin
      element = '0;
      element.present = accepted && use_row[r];
      element.turn = turn;
      element.is_double = double_row;
      if (element.present) begin
        element.low = decode(moving_format, double_row ? 32'(moving[r][7:0]) : moving[r]);
        if (double_row) element.high = narrow(decode(moving_format, 32'(moving[r][15:8])));
      end
    end
    array_row #(
        .COLUMNS(COLUMNS),
        .LANES(LANES),
`ifdef PLANT_SKEW
        .DELAY(r == ROWS - 1 ? r - 1 : r)
`else
        .DELAY(r)
`endif
    ) cells (
        .clk,
        .advance,
        .entering({bank, element}),
        .load(load && weight_rows[r]),
`ifdef PLANT_BANK
        .load_bank(r == ROWS - 1 ? 1'b0 : weight_bank),
`else
        .load_bank(weight_bank),
`endif
        .load_double(weight_double),
        .load_format(weight_format),
        .load_column(weight_column),
        .load_count(weight_count),
        .weights(weights[r]),
        .above(sums[r]),
        .below(sums[r+1])
    );
  end

  // Each column is delayed to match the last one.
  for (genvar c = 0; c < COLUMNS; ++c) begin : columns
    localparam int DELAY = COLUMNS - 1 - c;
    if (DELAY == 0) begin : straight
      assign result[c] = sums[ROWS][c];
    end else begin : skew
      logic [DELAY-1:0][31:0] waiting;
      always_ff @(posedge clk) if (advance) waiting <= (DELAY * 32)'({waiting, sums[ROWS][c]});
      assign result[c] = waiting[DELAY-1];
    end
  end

  // The interface protocol: an offer is held until it is accepted.
  default clocking @(posedge clk);
  endclocking
  moving_stays :
  assert property (disable iff (reset) moving_valid && !moving_ready |=> moving_valid && $stable(
      moving_format
  ) && $stable(
      double_row
  ) && $stable(
      turn
  ) && $stable(
      bank
  ));
  result_stays :
  assert property (disable iff (reset) result_valid && !result_ready |=> result_valid);
  weight_stays :
  assert property (disable iff (reset) weight_valid && !weight_ready |=> weight_valid && $stable(
      weight_format
  ) && $stable(
      weight_bank
  ) && $stable(
      weight_column
  ) && $stable(
      weight_count
  ));
  weights_fit :
  assert property (disable iff (reset) weight_valid |-> weight_count > 0 && weight_count <= 3'(LANES));
  double_row_is_fp8 :
  assert property (disable iff (reset) moving_valid && double_row |-> moving_format inside {FP8_E4M3, FP8_E5M2, FP8_E3M4});
  turned_weights_are_bits :
  assert property (disable iff (reset) moving_valid && turn |-> !double_row);
endmodule
