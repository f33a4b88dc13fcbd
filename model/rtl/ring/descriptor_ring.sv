// SPDX-License-Identifier: Apache-2.0
// The ring: descriptors are written one after another and become valid when the doorbell reports their
// number. The oldest stays until it is taken.
module descriptor_ring
  import dma_pkg::*;
#(
    parameter int DEPTH = 64
) (
    input  logic                     clk,
    input  logic                     rst,
    // The driver.
    output logic                     room,      // space for one more descriptor
    input  logic                     write,
    input  descriptor_t              written,
    input  logic                     doorbell,
    input  logic [$clog2(DEPTH):0]   rung,      // descriptors since the last doorbell
    // The engine.
    output logic                     valid,
    output descriptor_t              oldest,
    input  logic                     take
);
  localparam int INDEX_BITS = $clog2(DEPTH);
  typedef logic [INDEX_BITS:0] amount_t;

  descriptor_t ring[DEPTH];
  logic [INDEX_BITS-1:0] head, tail;
  amount_t held, known;  // written and not taken; of these, reported by the doorbell

  assign room = held != amount_t'(DEPTH);
  assign valid = known != '0;
  assign oldest = ring[head];

  always_ff @(posedge clk) if (write) ring[tail] <= written;

  always_ff @(posedge clk)
    if (rst) begin
      head <= '0;
      tail <= '0;
      held <= '0;
      known <= '0;
    end else begin
      if (write) tail <= tail + 1;
      if (take) head <= head + 1;
      held <= held + amount_t'(write) - amount_t'(take);
      known <= known + (doorbell ? rung : '0) - amount_t'(take);
    end

  writes_fit: assert property (@(posedge clk) disable iff (rst) write |-> room);
  takes_what_is_there: assert property (@(posedge clk) disable iff (rst) take |-> valid);
  rings_for_what_is_written: assert property (@(posedge clk) disable iff (rst) known <= held);
endmodule
