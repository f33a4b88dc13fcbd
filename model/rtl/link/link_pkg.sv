// SPDX-License-Identifier: Apache-2.0
// Definitions shared by both ends of a link: words, frames, control words and their check codes.
//
// A frame is a header of 28 bytes, its data in whole words, and a CRC-32 of 4 bytes, concatenated. It takes
// one word more on the wire than its data, the 32 bytes of machine.link.header. Byte i of a word is bits 8 *
// i + 7 down to 8 * i. Marks of the line code, next to the word, show the start and end of a frame.
//
// A control word travels opposite to the data, on separate lanes. It carries the number of the next expected
// frame, whether the sender shall go back to it, and for each virtual channel how many words have left the
// buffer since reset. Because these are running totals, the next control word compensates for a lost one.
package link_pkg;
  localparam int WORD_BITS = 256;
  localparam int VCS = 4;          // of a link, at most
  localparam int SEQUENCE_BITS = 12;
  localparam int LENGTH_BITS = 16;  // of counts of words
  localparam int INFO_BITS = 192;   // sender's information about a message

  typedef logic [WORD_BITS-1:0] word_t;
  typedef logic [$clog2(VCS)-1:0] vc_t;
  typedef logic [SEQUENCE_BITS-1:0] sequence_t;
  typedef logic [LENGTH_BITS-1:0] length_t;
  typedef logic [INFO_BITS-1:0] info_t;

  typedef struct packed {
    info_t     info;
    length_t   words;     // of data after this header
    logic      first;     // frame of its message
    logic      last;
    vc_t       vc;
    sequence_t sequence_number;
  } header_t;
  localparam int HEADER_BITS = $bits(header_t);  // 224: with the CRC one word
  localparam int CRC_BITS = WORD_BITS - HEADER_BITS;

  typedef struct packed {
    logic                  go_back;   // the expected frame was damaged or missing
    sequence_t             expected;  // all frames before it have arrived
    length_t [VCS-1:0]     freed;     // words, modulo 2 ** LENGTH_BITS
  } control_t;
  localparam int CONTROL_BITS = $bits(control_t);

  // CRC-32 of IEEE 802.3, from all ones and not inverted at the end; bit 0 of byte 0 comes first.
  localparam logic [31:0] CRC_START = 32'hFFFF_FFFF;
  typedef logic [255:0][31:0] crc32_table_t;

  function automatic crc32_table_t make_crc32_table();
    for (int n = 0; n < 256; ++n) begin
      make_crc32_table[n] = n;
      for (int bits = 0; bits < 8; ++bits)
        make_crc32_table[n] = (make_crc32_table[n] >> 1) ^ (make_crc32_table[n][0] ? 32'hEDB8_8320 : 32'h0);
    end
  endfunction
  localparam crc32_table_t CRC32_TABLE = make_crc32_table();

  function automatic logic [31:0] crc32(input logic [31:0] from, input word_t word);
    crc32 = from;
    for (int i = 0; i < WORD_BITS; i += 8) crc32 = (crc32 >> 8) ^ CRC32_TABLE[crc32[7:0] ^ word[i+:8]];
  endfunction

  // CRC-16 of CCITT, for control words: as above.
  localparam int CONTROL_BYTES = (CONTROL_BITS + 7) / 8;
  typedef logic [255:0][15:0] crc16_table_t;

  function automatic crc16_table_t make_crc16_table();
    for (int n = 0; n < 256; ++n) begin
      make_crc16_table[n] = 16'(n);
      for (int bits = 0; bits < 8; ++bits)
        make_crc16_table[n] = (make_crc16_table[n] >> 1) ^ (make_crc16_table[n][0] ? 16'h8408 : 16'h0);
    end
  endfunction
  localparam crc16_table_t CRC16_TABLE = make_crc16_table();

  function automatic logic [15:0] crc16(input control_t control);
    automatic logic [8*CONTROL_BYTES-1:0] bytes = (8 * CONTROL_BYTES)'(control);
    crc16 = 16'hFFFF;
    for (int i = 0; i < 8 * CONTROL_BYTES; i += 8) crc16 = (crc16 >> 8) ^ CRC16_TABLE[crc16[7:0] ^ bytes[i+:8]];
  endfunction
endpackage
