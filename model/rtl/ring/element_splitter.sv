// SPDX-License-Identifier: Apache-2.0
// Splits the share of a descriptor into packets: as many whole runs as fit (whole elements of the DMA if at
// least one fits, otherwise up to the end of the current one), or parts of a run that does not fit. A share
// without units is one packet without elements, for its semaphore.
module element_splitter
  import dma_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
`ifdef PLANTED_FAULTS
    input  logic        never_whole,
`endif
    output logic        idle,        // a new descriptor is accepted
    input  logic        start,
    input  descriptor_t descriptor,
    output logic        valid,
    output packet_t     packet,
    output completion_t completion,  // of what it is part of
    output pace_t       pace,
    output small_t      sources,
    input  logic        take
);
  cut_t cut;
  count_t unit, piece_from, done;
  small_t piece, done_rows;

  count_t here, left;
  fit_t most, rows;
  logic empty, by_rows, inside_element, ends_unit;
  always_comb begin
    empty = unit == cut.last_unit;
    here = piece_from >= pace.run ? '0 : (cut.piece < pace.run - piece_from ? cut.piece : pace.run - piece_from);
    left = here - done;
    by_rows = done == '0 && here <= count_t'(cut.room) && cut.pieces == 1;
    inside_element = done_rows != '0 || cut.fit < fit_t'(pace.joined);
`ifdef PLANTED_FAULTS
    if (never_whole) inside_element = 1'b1;
`endif
    most = !inside_element ? cut.whole :
           cut.fit < fit_t'(pace.joined) - fit_t'(done_rows) ? cut.fit : fit_t'(pace.joined) - fit_t'(done_rows);
    rows = count_t'(most) < cut.last_unit - unit ? most : fit_t'(cut.last_unit - unit);
  end

  always_comb begin
    packet.unit = unit;
    packet.from = empty ? '0 : done;
    packet.shape.runs = !empty && by_rows ? rows : 1;
    packet.shape.elements = empty ? '0 : by_rows ? fit_t'(here) * rows :
                            left < count_t'(cut.room) ? fit_t'(left) : cut.room;
    packet.shape.begins = !empty && done == '0 && done_rows == '0;
    ends_unit = packet.shape.runs != 1 || done + count_t'(packet.shape.elements) >= here;
    packet.shape.last = empty || (ends_unit && unit + count_t'(packet.shape.runs) >= cut.last_unit);
    idle = !valid || (take && packet.shape.last);
  end

  always_ff @(posedge clk)
    if (rst) valid <= 1'b0;
    else if (start) valid <= 1'b1;
    else if (take && packet.shape.last) valid <= 1'b0;

  logic wraps;
  assign wraps = piece == cut.pieces - 1;

  always_ff @(posedge clk)
    if (start) begin
      {completion, pace, sources, cut} <= {descriptor.completion, descriptor.pace, descriptor.sources, descriptor.cut};
      unit <= descriptor.unit;
      piece <= descriptor.first_piece;
      piece_from <= descriptor.first_from;
      done <= '0;
      done_rows <= '0;
    end else if (take) begin
      if (!ends_unit) done <= done + count_t'(packet.shape.elements);
      else begin
        done <= '0;
        unit <= unit + count_t'(packet.shape.runs);
        piece <= wraps ? '0 : piece + 1;
        piece_from <= wraps ? '0 : piece_from + cut.piece;
        done_rows <= fit_t'(done_rows) + packet.shape.runs >= fit_t'(pace.joined) ? '0 :
                     done_rows + small_t'(packet.shape.runs);
      end
    end

  starts_when_idle: assert property (@(posedge clk) disable iff (rst) start |-> idle);
  takes_what_is_there: assert property (@(posedge clk) disable iff (rst) take |-> valid);
  stays_inside: assert property (@(posedge clk) disable iff (rst) valid |-> unit <= cut.last_unit);
endmodule
