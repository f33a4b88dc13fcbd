// SPDX-License-Identifier: Apache-2.0
// Text form of programs. `assemble(disassemble(p)) == p` for every valid program; the text of a program with
// macros is the expanded one.
//
//   .program scale_by_two                      names: letters, digits, _ . -
//   .args in out                               HBM addresses, bound at launch
//   .control in                                of these, tensors that keep their values in timing mode
//   .flops 128 * 512                           useful FLOPs, and .bytes, of one execution; for reports only
//   .regions load scale                        numbers regions; a region's first use does, too
//   sync:                                      the stream of a queue
//     .region scale                            reports name what follows in this queue so
//     dma_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
//     dma_copy shape=128x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=1 update=s2+=1
//   vector:
//     tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16
//     update=s1+=1
//
// An instruction is named by its mnemonic, or by a function of nki.isa that it implements
// (nki.isa.tensor_copy). If several instructions implement the function, the queue decides:
// nki.isa.nc_transpose is `transpose` on the tensor queue and `vector_transpose` on the vector queue.
// nki.isa.nc_matmul is refused (E-ASM-015), because the tensor queue runs both load_weights and matmul. The
// disassembler writes mnemonics.
//
// Each line has one instruction. Operands are name=value in any order, flags have no value, and comments run
// from # or ; to the end of the line. A label is a name with a colon, on its own line or before an
// instruction; it belongs to its stream.
// - Shape: partitions x up to four free counts, outermost first; omitted outer counts are 1.
// - Tile: space[partition, byte offset]:dtype, and :(s0,s1,s2,s3) if the strides are not those of a
//   contiguous tile (default_strides in isa/table/table_fields.h). A [P,1] column as a scalar has no dtype:
//   it is fp32.
// - HBM side of a transfer: argument+byte offset:dtype. The dma_copy contains the parts of a transfer (shape,
//   dst, src, accumulate) and numbers descriptors in order of appearance; `descriptor=3` uses one again, and
//   a line `.descriptor shape=... dst=... src=...` declares one on its own.
// - wait=s3>=16, s3==1 or s3>=r5 (a register); update=s4+=1, s4-=1 or s4=0.
// - Floats: the shortest decimal that reads back the same, or hexadecimal (0x1.8p3), inf, -inf, nan,
//   nan(0x7fc00001).
// - A shuffle's mask: 32 partitions, * to keep one: (1,0,*,...). A result's column: sbuf[0, 0x400]:fp32.
//
// Macros (macros.h): .let NAME = EXPRESSION, .tile NAME = sbuf[...], .repeat COUNT, NAME ... .endr, and
// {EXPRESSION} in any line. grammar.h has the whole grammar.
//
// Errors: ProgramError E-ASM-001..017 at file:line:column, with the nearest legal name and the line;
// isa/README.md lists them. The assembler only checks the form (and E-ISA-002, instructions of later cores);
// validate() checks limits.
#pragma once

#include <string>
#include <string_view>

#include "isa/core/program.h"

namespace tahoma::isa {

// `file` is only used in error places (file:line:column).
Program assemble(std::string_view text, const std::string& file);
// The same program with the line of the text from which each instruction came, for reports. Disassembly does
// not have them.
Program assemble_with_lines(std::string_view text, const std::string& file);

// Accepts any program that encodes. Labels are L<index>; arguments that do not exist are written ?arg<n>.
std::string disassemble(const Program& program);

// Returns one instruction as its line of assembler text without the indent. A transfer refers to its
// descriptor by number.
std::string disassemble(const Instruction& instruction, const Program& program);
// Writes the transfer's shape and sides instead of its number.
std::string disassemble_in_full(const Instruction& instruction, const Program& program);

}  // namespace tahoma::isa
