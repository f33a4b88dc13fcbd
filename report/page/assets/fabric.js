// SPDX-License-Identifier: Apache-2.0
// The fabric as pictures of chips with their links, each direction a line of its own. No library has this
// chart. Positions and lines are in the data: the topology gives them, in steps. A stub is a link that leaves
// the picture at one side and returns at the other.

const STEP = 46, NODE = 20, STUB = 15, APART = 4.7;

// Where a link's line begins and ends, beside the middle line, on the right in its direction.
function lineOf([x, y], dx, dy, stub) {
  const length = Math.hypot(dx, dy), ux = dx / length, uy = dy / length;
  const reach = stub ? NODE / 2 + STUB : length * STEP - NODE / 2;
  const side = [-uy * APART, ux * APART];
  return {x1: x + ux * NODE / 2 + side[0], y1: y + uy * NODE / 2 + side[1],
          x2: x + ux * reach + side[0], y2: y + uy * reach + side[1]};
}

function fabricPicture(picture, links, measure, choose, chosen) {
  const margin = STUB + NODE / 2 + 4;
  const position = new Map(picture.nodes.map(([node, column, row]) => [node, [margin + column * STEP, margin + row * STEP]]));
  const [columns, rows] = [1, 2].map((at) => Math.max(...picture.nodes.map((node) => node[at])));
  const width = 2 * margin + columns * STEP, height = 2 * margin + rows * STEP;
  const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `links of ${picture.label}`});
  for (const [number, dx, dy, stub] of picture.lines) {
    const link = links.list[number];
    drawing.append(...linkLines(link, lineOf(position.get(link.from), dx, dy, stub), measure, choose, chosen));
  }
  for (const [node, [x, y]] of position) {
    const text = svg("text", {x, y: y + 3.6, class: "chip-number"});
    text.textContent = node < links.names.length ? node : "sw";
    drawing.append(svg("rect", {x: x - NODE / 2, y: y - NODE / 2, width: NODE, height: NODE, rx: 3, class: "chip"}), text);
  }
  return el("figure", {class: columns > 8 || rows > 8 ? "plane large" : "plane"}, drawing, el("figcaption", {}, picture.label));
}

const isFlat = (view) => view.pictures.every((picture) => picture.nodes.every(([, , row]) => row === 0));
const hasStubs = (views) => views.some((view) => view.pictures.some((picture) => picture.lines.some(([, , , stub]) => stub)));

function linkLines(link, at, measure, choose, chosen) {
  const lines = [];
  if (link.saturated > 0) lines.push(svg("line", {...at, class: "saturated"}));
  const own = svg("line", {...at, class: `link${chosen === link.name ? " chosen" : ""}`, stroke: heatColour(measure(link))});
  const target = svg("line", {...at, class: "target", tabindex: 0, role: "button", "data-link": link.name});
  const title = svg("title");
  title.textContent = linkTip(link);
  target.append(title);
  target.addEventListener("click", () => choose(link));
  target.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(link); } });
  lines.push(own, target);
  return lines;
}

const linkTip = (link) => `${link.name}: busy ${link.busy_percent.toFixed(1)} %, ${format.bytes(link.bytes)}` +
  (link.saturated ? `, saturated in ${link.saturated} window${link.saturated === 1 ? "" : "s"}` : "");
