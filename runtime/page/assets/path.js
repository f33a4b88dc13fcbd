// SPDX-License-Identifier: Apache-2.0
// The critical path: its hot spots, and the path from the end of the run to its start.

const spotName = (spot) => `${spot.engine} ${spot.opcode}`;
const rowName = (row) => (row.core ? `${row.core} ${row.engine} ${row.opcode}` : "no instruction explains it");

const pathSpotColumns = [
  {head: "instruction", of: spotName, key: spotName},
  {head: "program", of: (s) => s.program, key: (s) => s.program},
  {head: "source", of: (s) => s.source || "–", key: (s) => s.source, title: "source line, or region of a program without lines"},
  {head: "share", number: true, of: (s) => format.percent(s.share_percent), key: (s) => s.time_ns},
  {head: "time", number: true, of: (s) => format.time(s.time_ns), key: (s) => s.time_ns},
  {head: "steps", number: true, of: (s) => format.count(s.steps), key: (s) => s.steps},
  {head: "instructions", number: true, of: (s) => format.count(s.instructions), key: (s) => s.instructions,
    title: "instructions of the engine's stream with this opcode and source that are on the path"},
  {head: "largest", number: true, of: (s) => `[${s.index}]`, key: (s) => s.index,
    title: "number, in the engine's stream, of the instruction with the largest time"},
];

const pathRowColumns = [
  {head: "ends at", number: true, of: (row) => format.time(row.end_ns)},
  {head: "time", number: true, of: (row) => format.time(row.time_ns)},
  {head: "share", number: true, of: (row) => format.percent(row.share_percent)},
  {head: "steps", number: true, of: (row) => format.count(row.steps)},
  {head: "longest step", of: rowName},
  {head: "source", of: (row) => row.source || "–"},
];

// The saving is a bound, because another chain of instructions may end last then.
function nextNote([first, second]) {
  return `If ${spotName(first)} of ${first.source || first.program} were free, at most ${format.percent(first.share_percent)} of the time would be saved` +
    (second ? `; ${spotName(second)} of ${second.source || second.program} is next.` : ".");
}

function pathSection({summary}) {
  const {steps, hot_spots: spots, rows} = summary.critical_path;
  if (!spots.length) return null;
  return section("path", "Critical path",
    `The chain of ${format.count(steps)} dependent instructions and transfers that ends last. Each step begins where another one ends; together they are the simulated time.`,
    sortableTable(pathSpotColumns, spots, 8, "hot spots of the critical path"),
    el("p", {class: "note"}, nextNote(spots)),
    el("h3", {}, "From the end to the start"),
    table(pathRowColumns, rows, {label: "rows of the critical path"}));
}
