// SPDX-License-Identifier: Apache-2.0
// The sending end of a link: The router's buffers request it in turn. A message leaves when the wire is free
// and the receiver's buffer of its virtual channel has space for all of it. The decision is made in the cycle
// in which the wire becomes free. The first word is on the wire two cycles later, and no cycle is lost
// between messages.
module link_sender
  import link_pkg::*;
#(
    parameter int REQUESTERS = 32,
    parameter int RETRY_WORDS = 1024
) (
    input  logic                          clk,
    input  logic                          rst,
`ifdef PLANTED_FAULTS
    input  logic [2:0]                    fault,
`endif
    input  length_t [VCS-1:0]             cfg_room,         // of each empty buffer, sampled in reset
    input  length_t                       cfg_frame_words,  // data of a frame, at most
    input  length_t                       cfg_timeout,
    // The router.
    input  logic [REQUESTERS-1:0]         ask,
    input  vc_t [REQUESTERS-1:0]          ask_vc,
    input  length_t [REQUESTERS-1:0]      ask_words,
    output logic                          grant_valid,
    output logic [$clog2(REQUESTERS)-1:0] grant,
    output length_t [VCS-1:0]             room,             // before the grant
    output logic [$clog2(REQUESTERS)-1:0] source,
    output logic                          pull,
    input  info_t                         info,
    input  word_t                         data,
    // The wire.
    output logic                          wire_valid,
    output logic                          wire_sop,
    output logic                          wire_eop,
    output word_t                         wire_word,
    // Control words from the receiver.
    input  logic                          control_valid,
    input  control_t                      control,
    input  logic [15:0]                   control_crc
);
  logic told;
  assign told = control_valid && crc16(control) == control_crc;

  logic [REQUESTERS-1:0] eligible;
  always_comb
    for (int i = 0; i < REQUESTERS; ++i) eligible[i] = ask[i] && room[ask_vc[i]] >= ask_words[i];

  logic idle, busy, at_start, hold, go, sop, eop;
  word_t word;
  length_t frame_words;
  sequence_t sequence_number;

  rr_arbiter #(.REQUESTERS(REQUESTERS)) arbiter (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .unfair(fault[0]),
`endif
      .ask(eligible), .enable(idle), .grant_valid, .grant);

  for (genvar v = 0; v < VCS; ++v) begin : channels
    credit_counter credits (
        .clk, .rst,
`ifdef PLANTED_FAULTS
        .lose(fault[1]),
`endif
        .cfg_room(cfg_room[v]), .told, .freed(control.freed[v]),
        .take(grant_valid && ask_vc[grant] == vc_t'(v) ? ask_words[grant] : '0), .room(room[v]));
  end

  packetiser #(.REQUESTERS(REQUESTERS)) frames (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .wrong_crc(fault[2]),
`endif
      .cfg_frame_words, .idle, .start(grant_valid), .requester(grant), .vc(ask_vc[grant]), .words(ask_words[grant]),
      .source, .pull, .info, .data, .at_start, .frame_words, .busy, .go, .sop, .eop, .word,
      .next_sequence(sequence_number));

  logic again, again_sop, again_eop;
  word_t again_word;
  assign go = busy && !(at_start && hold);

  retry_buffer #(.WORDS(RETRY_WORDS)) retries (
      .clk, .rst, .cfg_timeout,
      .put(go), .put_sop(sop), .put_eop(eop), .put_word(word), .put_sequence(sequence_number), .frame_words, .hold,
      .told, .go_back(control.go_back), .expected(control.expected), .again, .again_sop, .again_eop, .again_word);

  always_ff @(posedge clk) begin
    wire_valid <= !rst && (go || again);
    {wire_sop, wire_eop, wire_word} <= again ? {again_sop, again_eop, again_word} : {sop, eop, word};
  end

  frames_in_frames: assert property (@(posedge clk) disable iff (rst)
                                     wire_valid && !wire_eop |=> !wire_valid || !wire_sop);
endmodule
