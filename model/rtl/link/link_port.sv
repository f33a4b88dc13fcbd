// SPDX-License-Identifier: Apache-2.0
// A NeuronLink port: the sending end of one direction of a link and the receiving end of the other. Control
// words of the receiving end leave on separate lanes next to the sending end's wire, and vice versa.
module link_port
  import link_pkg::*;
#(
    parameter int REQUESTERS = 32,
    parameter int RETRY_WORDS = 1024
) (
    input  logic                          clk,
    input  logic                          rst,
`ifdef PLANTED_FAULTS
    input  logic [3:0]                    fault,
`endif
    input  length_t [VCS-1:0]             cfg_room,
    input  length_t                       cfg_frame_words,
    input  length_t                       cfg_timeout,
    // The router's buffers request the wire.
    input  logic [REQUESTERS-1:0]         ask,
    input  vc_t [REQUESTERS-1:0]          ask_vc,
    input  length_t [REQUESTERS-1:0]      ask_words,
    output logic                          grant_valid,
    output logic [$clog2(REQUESTERS)-1:0] grant,
    output length_t [VCS-1:0]             room,
    output logic [$clog2(REQUESTERS)-1:0] source,
    output logic                          pull,
    input  info_t                         info,
    input  word_t                         data,
    // The outgoing and incoming wires.
    output logic                          out_valid,
    output logic                          out_sop,
    output logic                          out_eop,
    output word_t                         out_word,
    input  logic                          in_valid,
    input  logic                          in_sop,
    input  logic                          in_eop,
    input  word_t                         in_word,
    // Arrived data for the router's buffers, and words that left them.
    output logic                          begins,
    output header_t                       header,
    output logic                          data_valid,
    output word_t                         arrived,
    output logic                          ends,
    output logic                          sound,
    input  length_t [VCS-1:0]             free,
    // The outgoing and incoming lanes of control words.
    output logic                          told_valid,
    output control_t                      told,
    output logic [15:0]                   told_crc,
    input  logic                          heard_valid,
    input  control_t                      heard,
    input  logic [15:0]                   heard_crc
);
  link_sender #(.REQUESTERS(REQUESTERS), .RETRY_WORDS(RETRY_WORDS)) sender (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .fault(fault[2:0]),
`endif
      .cfg_room, .cfg_frame_words, .cfg_timeout, .ask, .ask_vc, .ask_words, .grant_valid, .grant, .room, .source, .pull,
      .info, .data, .wire_valid(out_valid), .wire_sop(out_sop), .wire_eop(out_eop), .wire_word(out_word),
      .control_valid(heard_valid), .control(heard), .control_crc(heard_crc));

  link_receiver receiver (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .deaf(fault[3]),
`endif
      .wire_valid(in_valid), .wire_sop(in_sop), .wire_eop(in_eop), .wire_word(in_word), .begins, .header, .data_valid,
      .data(arrived), .ends, .sound, .free, .control_valid(told_valid), .control(told), .control_crc(told_crc));
endmodule
