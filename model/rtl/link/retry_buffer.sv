// SPDX-License-Identifier: Apache-2.0
// Keeps every frame until the receiver has acknowledged it and retransmits from the oldest unacknowledged
// frame (go-back-N). Frames have consecutive numbers. If each frame is a single word, there is space for as
// many frames as words.
module retry_buffer
  import link_pkg::*;
#(
    parameter int WORDS = 1024
) (
    input  logic      clk,
    input  logic      rst,
    input  length_t   cfg_timeout,    // cycles without progress before retransmission
    // New words; none while `hold`.
    input  logic      put,
    input  logic      put_sop,
    input  logic      put_eop,
    input  word_t     put_word,
    input  sequence_t put_sequence,   // of the frame that is, or will be, put next
    input  length_t   frame_words,    // that it has
    output logic      hold,           // start no new frame
    // From the receiver.
    input  logic      told,
    input  logic      go_back,
    input  sequence_t expected,
    // Retransmitted words.
    output logic      again,
    output logic      again_sop,
    output logic      again_eop,
    output word_t     again_word
);
  localparam int ADDRESS_BITS = $clog2(WORDS);
  typedef logic [ADDRESS_BITS-1:0] address_t;

  word_t store[WORDS];
  logic [1:0] marks[WORDS];      // sop, eop
  address_t begins[WORDS];       // where a frame begins, by the low bits of its number
  address_t write, read;
  logic [ADDRESS_BITS:0] used;   // unacknowledged words
  sequence_t oldest;             // of the unacknowledged frames
  length_t waited;
  logic wanted, replaying, in_frame;
  sequence_t frames, reached;    // unacknowledged frames, and those newly acknowledged
  logic valid_news, progress;
  address_t oldest_at, next_oldest_at;
  address_t frame_at;            // start of the frame that is being stored

  always_comb begin
    frames = put_sequence - oldest;
    reached = expected - oldest;
    valid_news = told && reached <= frames;
    progress = valid_news && reached != '0;
    next_oldest_at = reached == frames ? (in_frame ? frame_at : write) : begins[expected[ADDRESS_BITS-1:0]];
    hold = wanted || replaying || length_t'(used) + frame_words >= length_t'(WORDS);
    again = replaying;
    {again_sop, again_eop} = marks[read];
    again_word = store[read];
  end

  always_ff @(posedge clk)
    if (put) begin
      store[write] <= put_word;
      marks[write] <= {put_sop, put_eop};
      if (put_sop) begins[put_sequence[ADDRESS_BITS-1:0]] <= write;
    end

  always_ff @(posedge clk)
    if (rst) begin
      write <= '0;
      used <= '0;
      oldest <= '0;
      oldest_at <= '0;
      in_frame <= 1'b0;
      frame_at <= '0;
    end else begin
      if (put) begin
        write <= write + 1;
        in_frame <= !put_eop;
        if (put_sop) frame_at <= write;
      end
      if (progress) begin
        oldest <= expected;
        oldest_at <= next_oldest_at;
      end
      used <= used + (ADDRESS_BITS + 1)'(put) - (progress ? {1'b0, next_oldest_at - oldest_at} : '0);
    end

  // Go back on request, or if the oldest frame has not been acknowledged for too long.
  always_ff @(posedge clk)
    if (rst || progress || frames == '0 || replaying) waited <= '0;
    else waited <= waited + 1;

  logic ends, begins_again;
  always_comb begin
    ends = replaying && again_eop;
    begins_again = wanted && !in_frame && (!replaying || ends);
  end

  always_ff @(posedge clk)
    if (rst) begin
      wanted <= 1'b0;
      replaying <= 1'b0;
      read <= '0;
    end else begin
      if (valid_news && go_back) wanted <= 1'b1;
      else if (waited == cfg_timeout && frames != '0) wanted <= 1'b1;
      else if (begins_again) wanted <= 1'b0;
      if (replaying) begin
        read <= read + 1;
        if (ends && read + 1 == write) replaying <= 1'b0;
      end
      if (begins_again) begin
        replaying <= frames != '0;
        read <= oldest_at;
      end
    end

  never_overfull: assert property (@(posedge clk) disable iff (rst) used < (ADDRESS_BITS + 1)'(WORDS));
  keeps_order: assert property (@(posedge clk) disable iff (rst) put && put_sop |-> !hold && !in_frame);
  replays_no_news: assert property (@(posedge clk) disable iff (rst) again |-> !put);
endmodule
