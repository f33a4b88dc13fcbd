// SPDX-License-Identifier: Apache-2.0
// The critical path: by resource and operation, its hot spots, and the path from the end of the run to its start.

const spotName = (spot) => `${spot.engine} ${spot.opcode}`;
const rowName = (row) => (row.core ? `${row.core} ${row.engine} ${row.opcode}` : "no instruction explains it");

const pathShareColumns = [
  {head: "resource", of: (s) => s.resource, key: (s) => s.resource},
  {head: "operation", of: (s) => s.operation || "–", key: (s) => s.operation, title: "region of the program; the source line of one without regions"},
  {head: "share", number: true, of: (s) => format.percent(s.share_percent), key: (s) => s.time_ns},
  {head: "time", number: true, of: (s) => format.time(s.time_ns), key: (s) => s.time_ns},
  {head: "steps", number: true, of: (s) => format.count(s.steps), key: (s) => s.steps, title: "steps of the path in which the resource has a part"},
];

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

// The whole path as one bar: each resource by its share.
function resourceBar(resources) {
  return el("div", {class: "shares", role: "img", "aria-label": "shares of the resources"}, resources.filter((r) => r.share_percent >= 0.5).map((r) =>
    el("span", {style: `flex-grow: ${r.share_percent}; background: ${resourceColour(r.resource)}`,
                title: `${r.resource} ${format.percent(r.share_percent)}, most in ${r.operation}`},
       r.share_percent >= 9 ? `${r.resource} ${format.percent(r.share_percent)}` : "")));
}

// The saving is a bound, because another chain of instructions may end last then.
function limitNote({limits, headline}) {
  if (!limits) return null;
  return `If ${limits.resource} cost nothing, at most ${format.percent(limits.share_percent)} of the time would be saved` +
    (headline.explained ? `; tahoma ${headline.explained}.` : ", because another chain may end last then; `tahoma explain` on the folder measures it.");
}

function pathSection({summary}) {
  const {steps, resources = [], operations = [], hot_spots: spots, rows} = summary.critical_path;  // earlier versions have instructions only
  if (!spots.length) return null;
  return section("path", "Critical path",
    `The chain of ${format.count(steps)} dependent instructions and transfers that ends last. Each step begins where another one ends; together they are the simulated time.`,
    resourceBar(resources),
    sortableTable(pathShareColumns, operations, 8, "resources and operations of the critical path"),
    el("p", {class: "note"}, limitNote(summary)),
    el("h3", {}, "Instructions"),
    sortableTable(pathSpotColumns, spots, 8, "hot spots of the critical path"),
    el("h3", {}, "From the end to the start"),
    table(pathRowColumns, rows, {label: "rows of the critical path"}));
}
