// SPDX-License-Identifier: Apache-2.0
// The torus as planes of chips with their links, each direction a line of its own. No library has this
// chart. Links that close a ring leave the plane at one side and are drawn as stubs on both.

const AXES = "xyz";
const coordinatesOf = (chip, [x, y]) => [chip % x, Math.floor(chip / x) % y, Math.floor(chip / (x * y))];

// Views: two axes in the plane, the third counts the planes; or rings of one axis.
function torusViews([x, y, z]) {
  const sizes = [x, y, z], views = [];
  for (const [a, b, c] of [[0, 1, 2], [0, 2, 1], [1, 2, 0]])
    if (sizes[a] > 1 && sizes[b] > 1) views.push({name: `${AXES[a]}–${AXES[b]} planes`, a, b, c});
  for (const a of [2, 1, 0])
    if (sizes[a] > 1 && (a === 2 || !views.length)) views.push({name: `${AXES[a]} rings`, a, b: null, c: null});
  return views;
}

// A plane of the view: {label, chips: [[chip, column, row]]}
function planesOf(view, sizes) {
  const planes = new Map(), count = sizes[0] * sizes[1] * sizes[2];
  for (let chip = 0; chip < count; ++chip) {
    const at = coordinatesOf(chip, sizes);
    const rest = view.b === null ? [0, 1, 2].filter((axis) => axis !== view.a) : [view.c];
    const label = rest.map((axis) => `${AXES[axis]} ${at[axis]}`).join(", ");
    const row = view.b === null ? 0 : sizes[view.b] - 1 - at[view.b];
    planes.set(label, [...(planes.get(label) ?? []), [chip, at[view.a], row]]);
  }
  return [...planes].map(([label, chips]) => ({label, chips}));
}

const STEP = 46, NODE = 20, STUB = 15, APART = 4.7;

// Where a link's line begins and ends, beside the middle line, on the right in its direction.
function lineOf(link, from, to, view, sizes, position) {
  const axis = AXES.indexOf(link.axis), horizontal = axis === view.a;
  const start = position.get(link.from), sign = (link.up ? 1 : -1) * (horizontal ? 1 : -1);
  const steps = to[axis] - from[axis], closes = sizes[axis] > 2 ? Math.abs(steps) > 1 : (steps > 0) !== link.up;
  const reach = closes ? NODE / 2 + STUB : STEP - NODE / 2;
  const [dx, dy] = horizontal ? [sign, 0] : [0, sign];
  const side = [-dy * APART / 1, dx * APART / 1];
  return {x1: start[0] + dx * NODE / 2 + side[0], y1: start[1] + dy * NODE / 2 + side[1],
          x2: start[0] + dx * reach + side[0], y2: start[1] + dy * reach + side[1], closes};
}

function planePicture(plane, view, detail, measure, choose, chosen) {
  const sizes = detail.links.torus, position = new Map(), inside = new Set();
  const margin = STUB + NODE / 2 + 4;
  for (const [chip, column, row] of plane.chips) {
    position.set(chip, [margin + column * STEP, margin + row * STEP]);
    inside.add(chip);
  }
  const columns = Math.max(...plane.chips.map(([, column]) => column)), rows = Math.max(...plane.chips.map(([, , row]) => row));
  const width = 2 * margin + columns * STEP, height = 2 * margin + rows * STEP;
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `links of the plane ${plane.label}`});
  for (const link of detail.links.list) {
    const axis = AXES.indexOf(link.axis);
    if ((axis !== view.a && axis !== view.b) || !inside.has(link.from) || !inside.has(link.to)) continue;
    const line = lineOf(link, coordinatesOf(link.from, sizes), coordinatesOf(link.to, sizes), view, sizes, position);
    picture.append(...linkLines(link, line, measure, choose, chosen));
  }
  for (const [chip] of plane.chips) {
    const [x, y] = position.get(chip);
    const text = svg("text", {x, y: y + 3.6, class: "chip-number"});
    text.textContent = chip;
    picture.append(svg("rect", {x: x - NODE / 2, y: y - NODE / 2, width: NODE, height: NODE, rx: 3, class: "chip"}), text);
  }
  return el("figure", {class: "plane"}, picture, el("figcaption", {}, plane.label));
}

function linkLines(link, line, measure, choose, chosen) {
  const at = {x1: line.x1, y1: line.y1, x2: line.x2, y2: line.y2};
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
