// SPDX-License-Identifier: Apache-2.0
// One cell of the array: two chained fused multiply-adds. Only double-row fp8 uses the second.
package pe;
  import fp_types::*, fp_decode::widen, fp_mul::multiply, fp_add::add;

  // Computes the sum passed down from the sum received from above.
  function automatic logic [31:0] cell_sum(element_t element, operand_t low, small_t high, logic [31:0] above);
    // verilator no_inline_task
    cell_sum = above;
    if (element.present && element.turn) begin
      if (element.low.significand != 0) cell_sum = 32'(low[15:0]);
    end else if (element.present) begin
      cell_sum = add(multiply(low, element.low), cell_sum);
      if (element.is_double) cell_sum = add(multiply(widen(high), widen(element.high)), cell_sum);
    end
  endfunction
endpackage
