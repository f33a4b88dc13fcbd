// SPDX-License-Identifier: Apache-2.0
// Keeps issued packets, in order, until the memory has written them. After the last packet of a descriptor
// its semaphore is changed, cfg_latency cycles after that packet was written.
module completion_queue
  import dma_pkg::*;
#(
    parameter int PACKETS = 64
) (
    input  logic        clk,
    input  logic        rst,
`ifdef PLANTED_FAULTS
    input  logic        drop,
`endif
    input  small_t      cfg_latency,   // at least 1
    output logic        room,
    input  logic        issue,
    input  logic        last,
    input  completion_t of,
    input  logic        written,       // the oldest unwritten packet has been written
    output logic        post,
    output small_t      flag,
    output small_t      change,
    output logic [31:0] value
);
  localparam int INDEX_BITS = $clog2(PACKETS);
  typedef logic [INDEX_BITS-1:0] index_t;
  typedef struct packed {
    logic        posts;
    small_t      flag;
    small_t      change;
    logic [31:0] value;
  } entry_t;

  entry_t entries[PACKETS];
  small_t due[PACKETS];              // when a written one is posted
  index_t put, seen, out;            // next to be issued, written, posted
  logic [INDEX_BITS:0] held, waiting;  // issued and not posted; written and not posted
  small_t now;

  entry_t first;
  logic leaves;
  always_comb begin
    first = entries[out];
    leaves = waiting != '0 && due[out] == now;
    post = leaves && first.posts;
`ifdef PLANTED_FAULTS
    if (drop) post = 1'b0;
`endif
    {flag, change, value} = {first.flag, first.change, first.value};
    room = held != (INDEX_BITS + 1)'(PACKETS);
  end

  always_ff @(posedge clk) begin
    if (issue) entries[put] <= '{last && of.notify, of.flag, of.change, of.value};
    if (written) due[seen] <= now + cfg_latency;
  end

  always_ff @(posedge clk)
    if (rst) begin
      put <= '0;
      seen <= '0;
      out <= '0;
      held <= '0;
      waiting <= '0;
      now <= '0;
    end else begin
      now <= now + 1;
      if (issue) put <= put + 1;
      if (written) seen <= seen + 1;
      if (leaves) out <= out + 1;
      held <= held + (INDEX_BITS + 1)'(issue) - (INDEX_BITS + 1)'(leaves);
      waiting <= waiting + (INDEX_BITS + 1)'(written) - (INDEX_BITS + 1)'(leaves);
    end

  issues_fit: assert property (@(posedge clk) disable iff (rst) issue |-> room);
  written_was_issued: assert property (@(posedge clk) disable iff (rst) written |-> waiting < held);
  posts_in_order: assert property (@(posedge clk) disable iff (rst) post |-> first.posts && waiting != '0);
endmodule
