// SPDX-License-Identifier: Apache-2.0
// One cell of the array: two chained fused multiply-adds, the second of which works in double-row fp8 only.
package pe;
  import fp_types::*, fp_mul::multiply, fp_add::add;

  // The sum that goes down, from the one that comes from above.
  function automatic logic [31:0] cell_sum(element_t element, operand_t low, operand_t high, logic [31:0] above);
    // verilator no_inline_task
    if (!element.present) return above;
    if (element.turn) return element.low.significand != 0 ? 32'(low[15:0]) : above;
    cell_sum = add(multiply(low, element.low), above);
    if (element.is_double) cell_sum = add(multiply(high, element.high), cell_sum);
  endfunction
endpackage
