// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: it grants the first requester after the one last served, cyclically. The one last
// served has the lowest priority, so none starves. After reset, number 0 counts as last served.
module rr_arbiter #(
    parameter int REQUESTERS = 32
) (
    input  logic                          clk,
    input  logic                          rst,
`ifdef PLANTED_FAULTS
    input  logic                          unfair,
`endif
    input  logic [REQUESTERS-1:0]         ask,
    input  logic                          enable,       // one requester is served in this cycle
    output logic                          grant_valid,
    output logic [$clog2(REQUESTERS)-1:0] grant
);
  typedef logic [$clog2(REQUESTERS)-1:0] index_t;

  function automatic index_t lowest(input logic [REQUESTERS-1:0] bits);
    lowest = '0;
    for (int i = REQUESTERS - 1; i >= 0; --i) if (bits[i]) lowest = index_t'(i);
  endfunction

  index_t last;
  logic [REQUESTERS-1:0] behind;  // requesters with a higher number than the one last served

  always_comb begin
    behind = ask & ~((REQUESTERS'(2) << last) - REQUESTERS'(1));
    grant_valid = enable && ask != '0;
    grant = behind != '0 ? lowest(behind) : lowest(ask);
  end

  always_ff @(posedge clk)
    if (rst) last <= '0;
`ifdef PLANTED_FAULTS
    else if (grant_valid && !unfair) last <= grant;
`else
    else if (grant_valid) last <= grant;
`endif

  served_asks: assert property (@(posedge clk) disable iff (rst) grant_valid |-> ask[grant]);
  others_first: assert property (@(posedge clk) disable iff (rst)
                                 grant_valid && (ask & ~(REQUESTERS'(1) << last)) != '0 |-> grant != last);
endmodule
