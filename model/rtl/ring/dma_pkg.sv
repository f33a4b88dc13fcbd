// SPDX-License-Identifier: Apache-2.0
// The descriptors that a driver writes into a ring of a DMA engine, and the packets that the engine moves.
//
// A descriptor is one engine's share of a transfer: units from `unit` to before `last_unit`. A unit is a run
// of elements that are contiguous on all sides, or one of the pieces that a run is split into. Elements of
// the DMA are runs, or `joined` runs that are contiguous in HBM. The driver performs all divisions; the
// descriptor contains the results.
package dma_pkg;
  typedef logic [23:0] count_t;
  typedef logic [20:0] fit_t;      // of what fits a packet: of elements or bytes, 2 ** 20 at most
  typedef logic [7:0] small_t;

  // Action when everything has been written.
  typedef struct packed {
    logic        notify;       // a semaphore is changed
    small_t      flag;         // which
    small_t      change;
    logic [31:0] value;
  } completion_t;

  // Engine time of an element.
  typedef struct packed {
    logic        notify_read;  // another semaphore is written when everything has been read
    logic        accumulate;
    logic [1:0]  size;         // of an element of the data, log2 of bytes
    small_t      joined;       // runs that are one element of the DMA
    count_t      run;          // elements of a run
  } pace_t;

  // Division of units into packets.
  typedef struct packed {
    fit_t   fit;        // runs that fit a packet, at least 1
    fit_t   whole;      // of these, runs in whole elements of the DMA, at most what a packet may have
    fit_t   room;       // elements of the data that fit a packet, at least 1
    count_t piece;      // elements of a piece; the last of a run may have fewer, or none
    small_t pieces;     // of a run
    count_t last_unit;
  } cut_t;

  typedef struct packed {
    completion_t completion;
    pace_t       pace;
    small_t      sources;
    cut_t        cut;
    small_t      first_piece;  // of its run, with which the share begins
    count_t      first_from;   // element of the run with which that begins
    count_t      unit;
  } descriptor_t;

  typedef struct packed {
    fit_t runs;        // whole runs, or 1
    fit_t elements;
    logic begins;    // elements of the DMA begin in it
    logic last;        // of its descriptor
  } shape_t;

  typedef struct packed {
    count_t unit;
    count_t from;      // element of the unit
    shape_t shape;
  } packet_t;
endpackage
