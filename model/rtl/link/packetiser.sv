// SPDX-License-Identifier: Apache-2.0
// Splits a message into frames of at most cfg_frame_words of data: header, data shifted by the header's
// length, CRC. One word in each cycle in which `go` is set. A message is accepted in the cycle before
// its first word, at the earliest in the cycle of its predecessor's last word, so no cycle is lost
// between messages.
module packetiser
  import link_pkg::*;
#(
    parameter int REQUESTERS = 32
) (
    input  logic                          clk,
    input  logic                          rst,
`ifdef PLANTED_FAULTS
    input  logic                          wrong_crc,
`endif
    input  length_t                       cfg_frame_words,
    // A message: from whom, where to, and the words of the wire that it takes, headers included.
    output logic                          idle,         // a message may come
    input  logic                          start,
    input  logic [$clog2(REQUESTERS)-1:0] requester,
    input  vc_t                           vc,
    input  length_t                       words,
    // Its data, in the cycle in which they are read.
    output logic [$clog2(REQUESTERS)-1:0] source,
    output logic                          pull,
    input  info_t                         info,
    input  word_t                         data,
    // Its frames.
    output logic                          busy,
    output logic                          at_start,     // the next word begins a frame
    output length_t                       frame_words,  // number of its words
    input  logic                          go,
    output logic                          sop,
    output logic                          eop,
    output word_t                         word,
    output sequence_t                     next_sequence
);
  logic first;
  vc_t to;
  length_t left, frame_left;  // words of the message and of the frame
  logic [HEADER_BITS-1:0] carried;
  logic [31:0] crc, crc_before;
  header_t header;

  always_comb begin
    at_start = busy && frame_left == '0;
    frame_words = left > cfg_frame_words ? cfg_frame_words + 1 : left;
  end

  always_comb begin
    sop = go && at_start;
    eop = go && (at_start ? frame_words : frame_left) == 1;
    idle = !busy || (go && left == 1);
    pull = go && !eop;
  end

  always_comb begin
    header.info = info;
    header.words = frame_words - 1;
    header.first = first;
    header.last = frame_words == left;
    header.vc = to;
    header.sequence_number = next_sequence;
    word[HEADER_BITS-1:0] = at_start ? header : carried;
    word[WORD_BITS-1:HEADER_BITS] = eop ? '0 : data[CRC_BITS-1:0];
    crc = crc32(at_start ? CRC_START : crc_before, word);
`ifdef PLANTED_FAULTS
    if (wrong_crc) crc = ~crc;
`endif
    if (eop) word[WORD_BITS-1:HEADER_BITS] = crc;
  end

  always_ff @(posedge clk)
    if (rst) begin
      busy <= 1'b0;
      first <= 1'b0;
      frame_left <= '0;
      left <= '0;
      next_sequence <= '0;
    end else begin
      if (go) begin
        left <= left - 1;
        frame_left <= (at_start ? frame_words : frame_left) - 1;
        if (left == 1) busy <= 1'b0;
        if (eop) next_sequence <= next_sequence + 1;
        if (sop) first <= 1'b0;
      end
      if (start) begin
        busy <= 1'b1;
        first <= 1'b1;
        left <= words;
      end
    end

  always_ff @(posedge clk) begin
    if (go) begin
      carried <= data[WORD_BITS-1:CRC_BITS];
      crc_before <= crc;
    end
    if (start) begin
      source <= requester;
      to <= vc;
    end
  end

  starts_when_idle: assert property (@(posedge clk) disable iff (rst) start |-> idle);
  goes_when_busy: assert property (@(posedge clk) disable iff (rst) go |-> busy);
  messages_have_words: assert property (@(posedge clk) disable iff (rst) start |-> words != '0);
  frames_end_in_messages: assert property (@(posedge clk) disable iff (rst) go && left == 1 |-> eop);
endmodule
