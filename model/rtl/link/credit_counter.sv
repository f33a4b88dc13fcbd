// SPDX-License-Identifier: Apache-2.0
// Tracks the free space in the receiver's buffer of one virtual channel, as the sender knows it. The receiver
// reports freed words as a running total, which takes effect in the cycle in which it arrives.
module credit_counter
  import link_pkg::*;
(
    input  logic    clk,
    input  logic    rst,
`ifdef PLANTED_FAULTS
    input  logic    lose,
`endif
    input  length_t cfg_room,   // of the empty buffer, sampled in reset
    input  logic    told,
    input  length_t freed,      // by the receiver, since reset
    input  length_t take,       // words that leave for the buffer
    output length_t room        // now, before `take`
);
  length_t kept, seen, back;

  always_comb begin
    back = told ? freed - seen : '0;
`ifdef PLANTED_FAULTS
    if (lose) back = '0;
`endif
    room = kept + back;
  end

  always_ff @(posedge clk)
    if (rst) begin
      kept <= cfg_room;
      seen <= '0;
    end else begin
      kept <= room - take;
      if (told) seen <= freed;
    end

  never_overdrawn: assert property (@(posedge clk) disable iff (rst) take <= room);
  never_more_than_the_buffer: assert property (@(posedge clk) disable iff (rst) room <= cfg_room);
endmodule
