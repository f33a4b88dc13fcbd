// SPDX-License-Identifier: Apache-2.0
// Computes how long a packet occupies the engine. Its elements pass one after another, each in beats of the
// engine's width plus an overhead at its start, once per source; an accumulation passes twice. A semaphore
// after a single element is part of it; after several it is a separate element.
module packet_pacer
  import dma_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  small_t      cfg_element_overhead,
    input  small_t      cfg_packet_overhead,
    input  small_t      cfg_semaphore,        // cycles of a semaphore that is a separate element
    output logic        free,                 // the engine accepts a packet
    input  logic        start,
    input  shape_t      packet,
    input  pace_t       pace,
    input  small_t      sources,
    input  logic        notify                // a semaphore after the last packet
);
  localparam int BEAT_BITS = 5;               // 32 bytes
  localparam fit_t SEMAPHORE_BYTES = 4;
  typedef logic [16:0] cycles_t;              // of an element: twice the beats of a packet, and overheads

  pace_t current;
  shape_t shape;
  logic notifies;
  fit_t rows_left;                            // of this source, after the current element
  small_t sources_left;
  cycles_t left;                              // of the current element

  // The first packet of a cycle is not yet in registers.
  pace_t now_of;
  shape_t now;
  fit_t rows, row_bytes, bytes;
  small_t rows_now;
  cycles_t beats, element;
  logic [9:0] extra;
  logic single, signals, more_rows, more_sources;
  always_comb begin
    now_of = start ? pace : current;
    now = start ? packet : shape;
    rows = start || rows_left == '0 ? now.runs : rows_left;
    rows_now = rows < fit_t'(now_of.joined) ? small_t'(rows) : now_of.joined;
    row_bytes = (now.runs == 1 ? now.elements : fit_t'(now_of.run)) << now_of.size;
    signals = now.last && (start ? notify : notifies);
    single = now.runs <= fit_t'(now_of.joined);
    bytes = row_bytes * fit_t'(rows_now) + (signals && single ? SEMAPHORE_BYTES : '0);
    beats = cycles_t'((bytes + fit_t'((1 << BEAT_BITS) - 1)) >> BEAT_BITS);
    element = (now_of.accumulate ? beats << 1 : beats) + (now.begins ? cycles_t'(cfg_element_overhead) : 0);
    extra = (now.begins ? 10'(cfg_packet_overhead) : 0) +
            (signals && !single ? 10'(cfg_semaphore) : 0) +
            (now.last && now_of.notify_read ? 10'(cfg_semaphore) : 0);
    more_rows = rows_left != '0;
    more_sources = sources_left != '0;
  end

  assign free = left <= 1 && !more_rows && !more_sources;

  always_ff @(posedge clk)
    if (rst) begin
      left <= '0;
      rows_left <= '0;
      sources_left <= '0;
    end else if (start) begin
      left <= packet.elements == '0 ? cycles_t'(cfg_semaphore) : element + cycles_t'(extra);
      rows_left <= packet.elements == '0 ? '0 : rows - fit_t'(rows_now);
      sources_left <= packet.elements == '0 ? '0 : sources - 1;
    end else if (left > 1) left <= left - 1;
    else if (more_rows || more_sources) begin
      left <= element;
      rows_left <= rows - fit_t'(rows_now);
      if (!more_rows) sources_left <= sources_left - 1;
    end else left <= '0;

  always_ff @(posedge clk)
    if (start) begin
      current <= pace;
      shape <= packet;
      notifies <= notify;
    end

  starts_when_free: assert property (@(posedge clk) disable iff (rst) start |-> free);
endmodule
