// SPDX-License-Identifier: Apache-2.0
// Every series of the page as CSV, made by the browser from the data in the page.

const csvField = (value) => (typeof value === "string" && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value ?? ""));
const csvText = (heads, rows) => [heads, ...rows].map((row) => row.map(csvField).join(",")).join("\n") + "\n";

// Windows as rows: their start, and a value of each series.
function windowRows(detail, series) {
  return Array.from({length: detail.windows}, (_, n) => [n * detail.window_ns, ...series.map((values) => values[n] ?? 0)]);
}

const seriesFiles = [
  {name: "engines_over_time", what: "busy percent of each kind of engine, mean, least and most of the active cores", unit: "window",
   of({detail}) {
     const {kinds, series} = detail.engines, parts = ["mean", "least", "most"];
     return [["start_ns", ...kinds.flatMap((kind) => parts.map((part) => `${kind}_${part}_percent`))],
             windowRows(detail, kinds.flatMap((kind) => parts.map((part) => series[kind][part])))];
   }},
  {name: "stalls", what: "percent of the time of each engine by stall reason", unit: "engine",
   of({detail}) {
     const {cores, kinds, cycles, percent, instructions} = detail.engines;
     return [["core", "engine", "instructions", ...cycles.map((cycle) => `${cycle.name}_percent`)],
             cores.flatMap((core, n) => kinds.map((kind, k) => [core.name, kind, instructions[n][k], ...percent[n][k]]))];
   }},
  {name: "timeline", what: "the time lines of cores", unit: "part",
   of({detail}) {
     const {labels, cores} = detail.timeline ?? {labels: [], cores: []};
     return [["core", "engine", "start_ns", "end_ns", "busy_ns", "longest", "source", "index", "instructions"],
             cores.flatMap((core) => core.lanes.flatMap((lane) => cellsOf(lane, labels).map((cell) =>
               [core.name, lane.queue, cell.from, cell.to, cell.busy, cell.name, cell.source, cell.stall ? "" : cell.index, cell.instructions])))];
   }},
  {name: "hbm_over_time", what: "busy percent of each stack", unit: "window",
   of: ({detail}) => [["start_ns", ...detail.hbm.stacks.map((stack) => stack.name)], detail.hbm.stacks.length ? windowRows(detail, detail.hbm.stacks.map((stack) => stack.busy)) : []]},
  {name: "links_over_time", what: "busy percent of each link direction", unit: "window",
   of({detail}) {
     const links = detail.links.list.filter((link) => link.bytes > 0);
     return [["start_ns", ...links.map((link) => link.name)], links.length ? windowRows(detail, links.map((link) => link.windows)) : []];
   }},
  {name: "traffic", what: "bytes from each chip to each other chip", unit: "pair",
   of({detail}) {
     const {names, matrix} = detail.traffic ?? {names: [], matrix: []};
     return [["from", "to", "bytes"], matrix.flatMap((row, from) => row.map((bytes, to) => [names[from], names[to], bytes])).filter(([, , bytes]) => bytes > 0)];
   }},
  {name: "occupancy_over_time", what: "live bytes of each memory by what fills it", unit: "window",
   of({detail}) {
     const fillings = detail.occupancy.flatMap((space) => space.fillings.map((filling) => ({name: `${space.space} ${filling.what}`, values: filling.mean_bytes})));
     return [["start_ns", ...fillings.map((filling) => filling.name)], fillings.length ? windowRows(detail, fillings.map((filling) => filling.values)) : []];
   }},
  {name: "power_over_time", what: "watts of the chips in use by part", unit: "window",
   of({detail}) {
     const parts = detail.power ? Object.entries(detail.power) : [];
     return [["start_ns", ...parts.map(([part]) => `${part}_watts`)], parts.length ? windowRows(detail, parts.map(([, values]) => values)) : []];
   }},
  {name: "critical_path", what: "the critical path from its end to its start", unit: "row",
   of: ({summary}) => objectRows(summary.critical_path.rows)},
  {name: "critical_path_operations", what: "the critical path by resource and operation", unit: "row",
   of: ({summary}) => objectRows(summary.critical_path.operations ?? [])},
  {name: "hot_spots", what: "the instructions with the largest shares of the critical path", unit: "instruction",
   of: ({summary}) => objectRows(summary.critical_path.hot_spots)},
];

const objectRows = (objects) => [Object.keys(objects[0] ?? {}), objects.map((each) => Object.values(each))];

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
  const link = el("a", {href: address, download: `${name}.csv`});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Made when a button is pressed, because the text of all files together is larger than the page.
function downloadSection(run) {
  const files = seriesFiles.map((file) => ({...file, count: file.of(run)[1].length})).filter((file) => file.count > 0);
  const columns = [
    {head: "file", of: (file) => el("button", {type: "button", class: "more", "data-download": file.name,
      onclick: () => download(file.name, csvText(...file.of(run)))}, `${file.name}.csv`)},
    {head: "contents", of: (file) => file.what, class: "prose"},
    {head: "rows", number: true, of: (file) => `${format.count(file.count)} ${file.unit}${file.count === 1 ? "" : "s"}`}];
  return section("downloads", "The series as files", "Each button saves a series of this page as CSV; times are in nanoseconds.",
    table(columns, files, {label: "downloads"}));
}
