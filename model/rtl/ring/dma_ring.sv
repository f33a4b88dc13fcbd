// SPDX-License-Identifier: Apache-2.0
// One ring of a DMA engine: descriptors are taken in order after the doorbell has announced them and split
// into packets. Packets are issued one after another as the engine and the memories accept them, and
// completed in order by a semaphore.
module dma_ring
  import dma_pkg::*;
#(
    parameter int DEPTH = 64,
    parameter int PACKETS = 64
) (
    input  logic                   clk,
    input  logic                   rst,
`ifdef PLANTED_FAULTS
    input  logic [1:0]             fault,
`endif
    input  small_t                 cfg_element_overhead,
    input  small_t                 cfg_packet_overhead,
    input  small_t                 cfg_semaphore,
    input  small_t                 cfg_latency,
    // The driver.
    output logic                   room,
    input  logic                   write,
    input  descriptor_t            descriptor,
    input  logic                   doorbell,
    input  logic [$clog2(DEPTH):0] rung,
    // Packets to the memories, which may not be ready.
    output logic                   issue,
    output packet_t                packet,
    input  logic                   ready,
    input  logic                   written,
    // Semaphores.
    output logic                   post,
    output small_t                 flag,
    output small_t                 change,
    output logic [31:0]            value
);
  logic known, take, idle, splits, engine_free, remembers;
  descriptor_t oldest;
  completion_t completion;
  pace_t pace;
  small_t sources;

  descriptor_ring #(.DEPTH(DEPTH)) descriptors (
      .clk, .rst, .room, .write, .written(descriptor), .doorbell, .rung, .valid(known), .oldest, .take);
  assign take = known && idle;

  element_splitter splitter (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .never_whole(fault[1]),
`endif
      .idle, .start(take), .descriptor(oldest), .valid(splits), .packet, .completion, .pace, .sources,
      .take(issue));
  assign issue = splits && engine_free && remembers && ready;

  packet_pacer pacer (
      .clk, .rst, .cfg_element_overhead, .cfg_packet_overhead, .cfg_semaphore, .free(engine_free), .start(issue),
      .packet(packet.shape), .pace, .sources, .notify(completion.notify));

  completion_queue #(.PACKETS(PACKETS)) completions (
      .clk, .rst,
`ifdef PLANTED_FAULTS
      .drop(fault[0]),
`endif
      .cfg_latency, .room(remembers), .issue, .last(packet.shape.last),
      .of(completion), .written, .post, .flag, .change, .value);
endmodule
