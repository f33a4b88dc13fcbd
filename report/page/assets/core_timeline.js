// SPDX-License-Identifier: Apache-2.0
// The time line of a core: what each of its engines did from the start of the run to its end.

// "end busy label index instructions;..." as in report/page/detail.h; times in nanoseconds.
function cellsOf(lane, labels) {
  let from = 0;
  return lane.cells.split(";").map((text) => {
    const [end, busy, label, index, instructions] = text.split(" ").map(Number);
    const [name, source, stall] = labels[label];
    const cell = {from, to: end / 1000, busy: busy / 1000, name, source, stall, index, instructions};
    from = cell.to;
    return cell;
  });
}

// A wait has the colour of its reason. Of a cell with instructions, the filled part is the share of its time that was busy.
function drawCell(cell, kind, scale, height) {
  const x = cell.from * scale, width = Math.max(0.4, (cell.to - cell.from) * scale), time = cell.to - cell.from;
  const filled = time > 0 ? height * Math.min(1, cell.busy / time) : height;
  const parts = [];
  if (filled < height) parts.push(svg("rect", {x, y: 0, width, height, fill: cycleColour(cell.stall ? cell.name : "idle")}));
  if (filled > 0) parts.push(svg("rect", {x, y: height - filled, width, height: filled, fill: engineColour(kind)}));
  return parts;
}

function cellText(lane, cell) {
  const what = cell.stall ? format.words(cell.name) : `${cell.name}${cell.source ? ` (${cell.source})` : ""}, ${lane.queue}[${cell.index}]`;
  const time = cell.to - cell.from, busy = time > 0 ? `, busy ${format.percent(100 * cell.busy / time)}` : "";
  return `${lane.queue} at ${format.time(cell.from)} for ${format.time(time)}: ` +
    (cell.instructions > 1 ? `${format.count(cell.instructions)} instructions${busy}; longest: ${what}` : what);
}

function timeMarks(elapsed, width) {
  const unit = timeUnitFor(elapsed), count = Math.max(2, Math.floor(width / 160)), raw = elapsed / unit.scale / count;
  const power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const marks = [];
  for (let at = 0; at * unit.scale < elapsed; at += step) marks.push({x: at * unit.scale / elapsed * width, text: `${+at.toPrecision(4)} ${unit.label}`});
  return marks;
}

function laneDrawing(lane, cells, elapsed, width, about) {
  const height = 26, scale = width / elapsed;
  const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "lane-cells", "data-lane": lane.queue,
                              "aria-label": `${lane.queue}: ${cells.length} parts of the time line`},
                      ...cells.flatMap((cell) => drawCell(cell, lane.engine, scale, height)));
  const show = (event) => {
    const box = drawing.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * elapsed;
    const cell = cells.find((each) => at < each.to);
    about.textContent = cell ? cellText(lane, cell) : `${lane.queue}: idle to the end`;
  };
  drawing.addEventListener("pointermove", show);
  drawing.addEventListener("click", show);
  return drawing;
}

function timelineSection({summary, detail}) {
  const cores = (detail.timeline?.cores ?? []).filter((core) => core.lanes.length);
  if (!cores.length) return null;
  const {labels} = detail.timeline, elapsed = summary.simulated_time_ns;
  const state = {core: cores[0].name, zoom: "1"};
  const holder = el("div", {class: "timeline"}), about = el("p", {class: "note", "aria-live": "polite"}), key = el("p", {class: "key"});
  const draw = () => {
    const core = cores.find((each) => each.name === state.core);
    const room = Math.max(220, Math.min(1072, document.documentElement.clientWidth - 28) - 90), width = room * Number(state.zoom);
    const lanes = core.lanes.map((lane) => ({lane, cells: cellsOf(lane, labels)}));
    const marks = svg("svg", {viewBox: `0 0 ${width} 18`, width, height: 18, "aria-hidden": "true"},
      ...timeMarks(elapsed, width).map(({x, text}) => svg("text", {x: x + 2, y: 13, class: "time-mark"}, text)));
    holder.replaceChildren(
      el("div", {class: "lane-names"}, lanes.map(({lane}) => el("span", {}, lane.queue))),
      el("div", {class: "lane-drawings", tabindex: 0, role: "region", "aria-label": `time line of ${core.name}`},
         lanes.map(({lane, cells}) => laneDrawing(lane, cells, elapsed, width, about)), marks));
    const stalls = [...new Set(lanes.flatMap(({cells}) => cells.filter((cell) => cell.stall).map((cell) => cell.name)))];
    key.replaceChildren(...stalls.flatMap((name) => [swatch(cycleColour(name)), `${format.words(name)}  `]));
    about.textContent = "Point at a part of a line to see what it is.";
  };
  draw();
  document.addEventListener("recolour", draw);
  const merged = cores.some((core) => core.lanes.some((lane) => cellsOf(lane, labels).some((cell) => cell.instructions > 1)));
  return section("timeline", "Time line of a core",
    "Instructions have the colour of their engine, waits that of their reason." +
    (merged ? " Neighbours that are too short to be drawn apart are one part; its filled share is busy time, and its name is that of the longest of them. tahoma run --trace writes every event." : ""),
    el("div", {class: "controls"}, select("core", cores.map((core) => [core.name, core.name]), state.core, (name) => { state.core = name; draw(); }),
       select("zoom", [["1", "whole run"], ["4", "4 ×"], ["16", "16 ×"]], "1", (zoom) => { state.zoom = zoom; draw(); })),
    holder, about, key);
}
