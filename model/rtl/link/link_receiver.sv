// SPDX-License-Identifier: Apache-2.0
// The receiving end of a link. Arriving words are forwarded at once, header first, if they can belong to the
// expected frame. The last word shows whether the frame was intact. Unexpected frames, and frames after a
// lost one, are dropped, and the sender is requested to go back. A frame that begins before its predecessor
// has ended replaces it.
module link_receiver
  import link_pkg::*;
#(
    parameter int REFRESH_BITS = 8  // at least one report to the sender every 2 ** REFRESH_BITS cycles
) (
    input  logic              clk,
    input  logic              rst,
`ifdef PLANTED_FAULTS
    input  logic              deaf,
`endif
    // The wire.
    input  logic              wire_valid,
    input  logic              wire_sop,
    input  logic              wire_eop,
    input  word_t             wire_word,
    // To the router: a frame's header, its data, and whether it was intact.
    output logic              begins,
    output header_t           header,
    output logic              data_valid,
    output word_t             data,
    output logic              ends,
    output logic              sound,
    // Words that the router has taken out of its buffers.
    input  length_t [VCS-1:0] free,
    // Control words for the sender.
    output logic              control_valid,
    output control_t          control,
    output logic [15:0]       control_crc
);
  logic in_frame, wanted;              // inside a frame; inside a frame that is forwarded
  logic [CRC_BITS-1:0] carried, crc, crc_before, crc_sent;
  length_t words;                    // data words that are still missing
  sequence_t expected;
  header_t arriving;

  logic begins_now, wanted_now, whole, intact, here, lost;
  always_comb begin
    arriving = header_t'(wire_word[HEADER_BITS-1:0]);
    begins_now = wire_valid && wire_sop;
    wanted_now = begins_now ? arriving.sequence_number == expected : wanted && in_frame;
    crc_sent = wire_word[WORD_BITS-1:HEADER_BITS];
    crc = crc32(wire_sop ? CRC_START : crc_before,
                {wire_eop ? CRC_BITS'(0) : crc_sent, wire_word[HEADER_BITS-1:0]});
    whole = wire_sop ? arriving.words == '0 : in_frame && words == 1;
    intact = whole && crc == crc_sent;
    here = wire_valid && wire_eop && intact && wanted_now;
`ifdef PLANTED_FAULTS
    if (deaf) here = 1'b0;
`endif
    lost = wire_valid && wire_eop && !intact;
  end

  // A frame that arrives late is a duplicate; one that arrives early follows a lost frame.
  logic early, repeated, asked_back, go_back, news;
  sequence_t number, ahead;
  always_comb begin
    ahead = (wire_sop ? arriving.sequence_number : number) - expected;
    early = wire_valid && wire_eop && intact && !wanted_now && !ahead[SEQUENCE_BITS-1];
    repeated = wire_valid && wire_eop && intact && !wanted_now && ahead[SEQUENCE_BITS-1];
  end

  always_ff @(posedge clk)
    if (rst) begin
      in_frame <= 1'b0;
      wanted <= 1'b0;
    end else if (wire_valid) begin
      in_frame <= !wire_eop && (wire_sop || in_frame);
      wanted <= wanted_now;
    end

  always_ff @(posedge clk)
    if (wire_valid) begin
      carried <= crc_sent;
      crc_before <= crc;
      words <= wire_sop ? arriving.words : words - 1;
      if (wire_sop) number <= arriving.sequence_number;
    end

  always_ff @(posedge clk)
    if (rst) begin
      begins <= 1'b0;
      data_valid <= 1'b0;
      ends <= 1'b0;
    end else begin
      begins <= begins_now && wanted_now;
      data_valid <= wire_valid && !wire_sop && wanted_now;
      ends <= wire_valid && wire_eop && wanted_now;
    end

  always_ff @(posedge clk) begin
    sound <= here;
    data <= {wire_word[HEADER_BITS-1:0], carried};
    if (begins_now) header <= arriving;
  end

  always_ff @(posedge clk)
    if (rst) begin
      expected <= '0;
      asked_back <= 1'b0;
      go_back <= 1'b0;
      news <= 1'b0;
    end else begin
      if (here) expected <= expected + 1;
      asked_back <= !here && (asked_back || lost || early);
      go_back <= lost || (early && !asked_back);
      news <= here || lost || (early && !asked_back) || repeated;
    end

  // Reported as running totals.
  length_t [VCS-1:0] freed;
  logic freed_more;
  logic [REFRESH_BITS-1:0] silent;
  always_ff @(posedge clk)
    if (rst) begin
      freed <= '0;
      freed_more <= 1'b0;
      silent <= '0;
    end else begin
      for (int v = 0; v < VCS; ++v) freed[v] <= freed[v] + free[v];
      freed_more <= free != '0;
      silent <= control_valid ? '0 : silent + 1;
    end

  always_comb begin
    control_valid = news || freed_more || silent == '1;
    control = '{go_back: go_back, expected: expected, freed: freed};
    control_crc = crc16(control);
  end

  ends_what_began: assert property (@(posedge clk) disable iff (rst) sound && ends |=> !ends || begins);
endmodule
