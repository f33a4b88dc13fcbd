// SPDX-License-Identifier: Apache-2.0
// The lines of the source: hot spots, and the text of the source beside the time of each line.

const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);
const placeName = (spot) => (spot.line ? `${fileName(spot.file)}:${spot.line}` : spot.file ? fileName(spot.file) : "(no line)");
const stallText = (spot) => (spot.largest_stall === "none" ? "none" : `${spot.stalled_engine} ${spot.largest_stall} ${format.time(spot.stall_ns)}`);

const pathEnds = "start and end";
const pathPlace = (spot) => (spot.file ? placeName(spot) : pathEnds);
const pathFunction = (spot) => (spot.file ? spot.function : pathEnds);

// A table whose heads sort it: by `key` of a column, the largest first; texts in alphabetical order.
function sortableTable(columns, rows, most, label) {
  const holder = el("div");
  const show = (sorted) => {
    const key = sorted === null ? null : columns[sorted].key;
    const order = (a, b) => (typeof key(a) === "string" ? key(a).localeCompare(key(b)) : key(b) - key(a));
    const heads = columns.map((column, n) => ({...column,
      head: el("button", {type: "button", class: "sort", "aria-pressed": String(n === sorted), onclick: () => show(n)}, column.head)}));
    holder.replaceChildren(longTable(heads, key === null ? rows : [...rows].sort(order), most, label));
  };
  show(null);
  return holder;
}

const functionColumn = {head: "function", of: (s) => s.function, key: (s) => s.function};

function spotColumns(...first) {
  return [...first,
          {head: "share", number: true, of: (s) => format.percent(s.share_percent), key: (s) => s.share_percent},
          {head: "engine time", number: true, of: (s) => format.time(s.time_ns), key: (s) => s.time_ns},
          {head: "busy", number: true, of: (s) => format.time(s.busy_ns), key: (s) => s.busy_ns},
          {head: "waited for", number: true, of: (s) => format.time(s.waited_for_ns), key: (s) => s.waited_for_ns, title: "time that instructions of all engines waited for results of the line"},
          {head: "largest stall", of: stallText, key: (s) => s.stall_ns},
          {head: "instructions", number: true, of: (s) => format.count(s.instructions), key: (s) => s.instructions},
          {head: "moved", number: true, of: (s) => (s.bytes ? format.bytes(s.bytes) : "–"), key: (s) => s.bytes}];
}

// The chain of dependent instructions that explains the simulated time, by line or by function.
function criticalTable(first, spots, label) {
  const total = spots.reduce((sum, spot) => sum + spot.critical_ns, 0);
  const onPath = spots.filter((spot) => spot.critical_ns > 0).sort((a, b) => b.critical_ns - a.critical_ns);
  const columns = [...first,
                   {head: "share of the path", number: true, of: (s) => format.percent(100 * s.critical_ns / total), key: (s) => s.critical_ns},
                   {head: "time on it", number: true, of: (s) => format.time(s.critical_ns), key: (s) => s.critical_ns}];
  return sortableTable(columns, onPath, 8, label);
}

function engineTitle(spot) {
  return Object.entries(spot.engines).map(([engine, {time_ns: time, stalls}]) =>
    `${engine} ${format.time(time)}: ${Object.entries(stalls).map(([reason, ns]) => `${reason} ${format.time(ns)}`).join(", ")}`).join("\n");
}

// Paths from the folder that all files have in common: where it is on the machine of the run is of no interest.
function relativeNames(files) {
  const parts = files.map((file) => file.split("/"));
  const most = Math.min(...parts.map((path) => path.length - 1));
  let common = 0;
  while (common < most && parts.every((path) => path[common] === parts[0][common])) ++common;
  return parts.map((path) => path.slice(common).join("/"));
}

// Each line of the text with its share, its busy time and its largest stall.
function sourcePart(source, name, spots) {
  if (source.problem) return el("p", {class: "note"}, `${name}: ${source.problem}`);
  const largest = Math.max(...spots.map((spot) => spot.share_percent), 1);
  const byLine = new Map(spots.filter((spot) => spot.file === source.file).map((spot) => [spot.line, spot]));
  const rows = source.parts.flatMap((part, n) => [...(n ? [{line: "", text: "⋯"}] : []), ...part.text.map((text, i) => ({line: part.first + i, text, spot: byLine.get(part.first + i)}))]);
  const columns = [{head: "share", number: true, of: ({spot}) => (spot ? format.percent(spot.share_percent) : "")},
                   {head: "busy", number: true, of: ({spot}) => (spot ? format.time(spot.busy_ns) : "")},
                   {head: "critical", number: true, title: "time on the critical path", of: ({spot}) => (spot && spot.critical_ns ? format.time(spot.critical_ns) : "")},
                   {head: "largest stall", of: ({spot}) => (spot && spot.largest_stall !== "none" ? stallText(spot) : "")},
                   {head: "line", number: true, of: ({line}) => String(line)},
                   {head: name, class: "source", of: ({text}) => text || " "}];
  const row = ({spot}) => (spot ? {title: engineTitle(spot), "data-line": `${fileName(source.file)}:${spot.line}`,
    style: `--share: ${(100 * spot.share_percent / largest).toFixed(1)}%`} : {});
  return table(columns, rows, {label: `source of ${name}`, row});
}

function lineSection({detail}) {
  if (!detail.lines) return null;
  const {share_of: limit, spots, functions, sources} = detail.lines;
  const names = relativeNames(sources.map((source) => source.file));
  const executed = (spot) => spot.instructions > 0;
  return section("lines", "Source lines",
    `Shares are of the time of ${limit === "dma" ? "the DMA engines" : `the ${limit} engines, stalls included`}, which are busy longest. A wait belongs to the line that waits; "waited for" gives it to the line that was waited for.`,
    sortableTable(spotColumns({head: "line", of: placeName, key: placeName}, functionColumn), spots.filter(executed), 8, "hot spots"),
    functions.length > 1 ? el("h3", {}, "Functions") : null,
    functions.length > 1 ? sortableTable(spotColumns(functionColumn), functions.filter(executed), 8, "functions") : null,
    el("h3", {}, "Critical path"),
    el("p", {class: "note"}, `The chain of dependent instructions and transfers that ends last. Its parts add up to the simulated time; "${pathEnds}" is the time that no line explains.`),
    criticalTable([{head: "line", of: pathPlace, key: pathPlace}, functionColumn], spots, "critical path by line"),
    functions.length > 1 ? criticalTable([{head: "function", of: pathFunction, key: pathFunction}], functions, "critical path by function") : null,
    sources.length ? el("h3", {}, "The source") : null,
    sources.map((source, n) => sourcePart(source, names[n], spots)));
}
