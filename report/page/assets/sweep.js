// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: its points over any two metrics or parameters, the Pareto front, the sensitivity to
// each axis, and the list of points.

// Quantities for the axes of a chart: metrics and numeric parameters. `more`: more of it is better.
function quantitiesOf(data) {
  const quantities = data.metrics.map(({name, better}, n) => ({name, more: better === "more", of: (point) => point.values[n], band: (point) => point.bands?.[n] ?? null, ...lookOf(name)}));
  data.axes.forEach((axis, n) => {
    if (quantities.some((quantity) => quantity.name === axis.path)) return;
    if (axis.numbers.every((number) => number !== null) && axis.numbers.length > 1)
      quantities.push({name: axis.path, parameter: true, unit: {scale: 1, label: ""},
                       of: (point) => (point.parameters[n] === null ? null : axis.numbers[point.parameters[n]]),
                       text: (value) => axis.values[axis.numbers.indexOf(value)] ?? format.plain(value)});
  });
  return quantities;
}

function lookOf(name) {
  const last = name.split(".").pop();
  if (last.endsWith("_ns")) return {text: format.time, time: true};
  if (last.endsWith("percent")) return {text: format.percent};
  if (last.endsWith("bandwidth")) return {text: (value) => format.si(value, "B/s")};
  if (last.endsWith("bytes")) return {text: format.bytes};
  if (last.endsWith("tflops")) return {text: (value) => format.si(value * 1e12, "FLOPS")};
  return {text: format.plain};
}

function axisFor(quantity, values) {
  const most = Math.max(...values.map(Math.abs), 1e-30);
  if (quantity.time) { const unit = timeUnitFor(most); return {scale: unit.scale, title: `${quantity.name.replace(/_ns$/, "")} (${unit.label})`}; }
  if (/percent$/.test(quantity.name)) return {scale: 1, title: `${quantity.name.replace(/_?percent$/, "")} (%)`};
  if (quantity.parameter) return {scale: 1, title: quantity.name, text: quantity.text};
  if (most < 1e5 && most >= 0.01) return {scale: 1, title: quantity.name};
  const unit = unitFor(most, /bandwidth$/.test(quantity.name) ? "B/s" : /bytes$/.test(quantity.name) ? "B" : "");
  return {scale: unit.scale, title: unit.label ? `${quantity.name} (${unit.label})` : quantity.name};
}

const pointLabel = (data, point) => [`point ${point.number}${new Set(data.points.map((p) => p.workload)).size > 1 ? `, ${point.workload}` : ""}`,
  ...data.axes.map((axis, n) => (axis.values.length > 1 ? `${shortPath(axis.path)} = ${axis.values[point.parameters[n]] ?? "–"}` : null)).filter(Boolean)];

// The points that no other equals or beats in all quantities. Values are equal if one is inside the band of the other.
function frontOf(points, quantities) {
  const holds = (quantity, a, b) => { const band = quantity.band?.(a); return band && band[0] <= quantity.of(b) && quantity.of(b) <= band[1]; };
  const lead = (quantity, a, b) => (holds(quantity, a, b) || holds(quantity, b, a) ? 0
    : (quantity.more ? 1 : -1) * (quantity.of(a) - quantity.of(b)));  // positive: a is better
  return points.filter((p) => !points.some((q) => {
    const leads = quantities.map((quantity) => lead(quantity, q, p));
    return leads.every((by) => by >= 0) && leads.some((by) => by > 0);
  })).sort((a, b) => quantities[0].of(a) - quantities[0].of(b));
}

// The axes of the chart at first: the first two objectives of the sweep; without objectives, the time over a metric
// of the sweep.
function firstAxes(data, quantities) {
  const time = quantities.find((quantity) => quantity.name === "simulated_time_ns") ?? quantities[0];
  if (data.objectives >= 2) return {x: quantities[0], y: quantities[1]};
  if (data.objectives === 1) return {x: quantities[0] === time ? quantities[1] : time, y: quantities[0]};
  const own = quantities.find((quantity) => quantity !== time && !quantity.parameter && !quantity.name.includes(".") && lookOf(quantity.name).text === format.plain);
  return {x: own ?? quantities.find((quantity) => quantity.parameter) ?? quantities[1] ?? time, y: time};
}

function paretoSection(data, quantities) {
  const holder = el("div"), note = el("p", {class: "note"}), list = el("div");
  const names = quantities.map((quantity) => [quantity.name, quantity.name]);
  const state = firstAxes(data, quantities), asked = quantities.slice(0, data.objectives);
  const draw = () => {
    const {x, y} = state, all = asked.includes(x) && asked.includes(y) ? [x, y, ...asked.filter((q) => q !== x && q !== y)] : [x, y];
    const points = data.points.filter((point) => point.status === "done" && all.every((quantity) => quantity.of(point) !== null));
    const front = frontOf(points, all), onFront = new Set(front);
    const ax = axisFor(x, points.map(x.of)), ay = axisFor(y, points.map(y.of));
    const xy = (point) => ({x: x.of(point) / ax.scale, y: y.of(point) / ay.scale, point});
    const sides = all.map((quantity) => `${quantity.more ? "higher" : "lower"} ${quantity.name}`).join(" and ");
    note.textContent = `${front.length} of ${points.length} points ${front.length === 1 ? "is" : "are"} Pareto-optimal (${sides} are better${points.some((point) => point.bands) ? "; values inside each other's band over start phases count as equal" : ""}). Select a point to open its page.`;
    holder.replaceChildren(chart(400, `Points over ${x.name} and ${y.name}`, () => ({type: "scatter",
      data: {datasets: [
        {label: "on the front", data: front.map(xy), backgroundColor: category(1), borderColor: category(1), showLine: all.length === 2, stepped: x.more ? "after" : "before", borderWidth: 1.5, pointRadius: 5, pointHoverRadius: 7},
        {label: "beaten", data: points.filter((point) => !onFront.has(point)).map(xy), backgroundColor: translucent(category(0), 0.55), borderColor: category(0), borderWidth: 0.5, pointRadius: 4, pointHoverRadius: 6}]},
      options: {onClick: (event, hits, own) => { if (hits.length) openPoint(own.data.datasets[hits[0].datasetIndex].data[hits[0].index].point); },
        scales: {x: linear(ax.title, ax.text ? {ticks: {maxTicksLimit: 8, maxRotation: 0, callback: (value) => ax.text(value)}} : {}),
                 y: linear(ay.title, ay.text ? {ticks: {callback: (value) => ay.text(value)}} : {})},
        plugins: {tooltip: {callbacks: {title: () => "", label: (item) => [...pointLabel(data, item.raw.point), ...[x, y].map((q) => { const band = q.band?.(item.raw.point); return `${q.name} ${q.text(q.of(item.raw.point))}${band ? ` (${q.text(band[0])} to ${q.text(band[1])})` : ""}`; })]}}}}})));
    list.replaceChildren(details(`The front as a table (${front.length})`, pointTable(data, front, all.filter((q) => !q.parameter))));
  };
  draw();
  return section("pareto", "Pareto front", null,
    el("div", {class: "controls"}, select("across", names, state.x.name, (name) => { state.x = quantities.find((q) => q.name === name); draw(); }),
       select("up", names, state.y.name, (name) => { state.y = quantities.find((q) => q.name === name); draw(); })), note, holder, list);
}

const openPoint = (point) => { if (point.link) window.location.href = point.link; };

const median = (values) => { const s = [...values].sort((a, b) => a - b), m = s.length >> 1; return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2; };

const shortPath = (path) => path.split(".").slice(-2).join(".");

// Axes that vary together count as one: "shard.m, shard.n".
function independentAxes(data) {
  const groups = new Map();
  data.axes.forEach((axis, n) => {
    const seen = new Map();
    const pattern = data.points.map((point) => { const v = point.parameters[n]; if (!seen.has(v)) seen.set(v, seen.size); return seen.get(v); }).join();
    groups.set(pattern, [...(groups.get(pattern) ?? []), n]);
  });
  return [...groups.values()].map((numbers) => {
    const axes = numbers.map((n) => data.axes[n]), first = axes[0];
    const with1 = first.values.map((_, v) => data.points.find((point) => point.parameters[numbers[0]] === v));
    return {at: numbers[0], path: axes.map((axis) => axis.path).join(", "), label: axes.map((axis) => shortPath(axis.path)).join(", "),
            numbers: axes.length === 1 ? first.numbers : first.values.map(() => null),
            values: with1.map((point) => numbers.map((n) => data.axes[n].values[point.parameters[n]]).join(", "))};
  });
}

// For each axis, the median of the metric at each of its values, over all values of the other axes.
function effectsOf(data, metric) {
  const points = data.points.filter((point) => point.status === "done" && metric.of(point) !== null);
  return independentAxes(data).map((axis) => ({axis, levels: axis.values.map((text, value) => {
    const own = points.filter((point) => point.parameters[axis.at] === value).map(metric.of);
    return own.length ? {text, number: axis.numbers[value], middle: median(own), least: Math.min(...own), most: Math.max(...own)} : null;
  }).filter(Boolean)})).filter((effect) => effect.levels.length > 1)
    .map((effect) => ({...effect, low: effect.levels.reduce((a, b) => (b.middle < a.middle ? b : a)), high: effect.levels.reduce((a, b) => (b.middle > a.middle ? b : a))}))
    .sort((a, b) => (b.high.middle - b.low.middle) - (a.high.middle - a.low.middle));
}

function sensitivitySection(data, quantities) {
  const metrics = quantities.filter((quantity) => !quantity.parameter), bars = el("div"), line = el("div");
  const state = {metric: metrics.find((quantity) => quantity.name === "simulated_time_ns") ?? metrics[0]};
  const draw = () => {
    const effects = effectsOf(data, state.metric), axis = axisFor(state.metric, effects.flatMap((e) => [e.low.middle, e.high.middle]));
    bars.replaceChildren(chart(80 + 38 * effects.length, `How much each parameter moves ${state.metric.name}`, () => ({type: "bar",
      data: {labels: effects.map((effect) => effect.axis.label),
             datasets: [{data: effects.map((effect) => [effect.low.middle / axis.scale, effect.high.middle / axis.scale]), backgroundColor: category(0), barPercentage: 0.7, minBarLength: 2}]},
      options: {indexAxis: "y", scales: {x: linear(axis.title, {beginAtZero: false}), y: {grid: {display: false}}},
        onClick: (event, hits) => { if (hits.length) drawLine(effects[hits[0].index]); },
        plugins: {legend: {display: false}, tooltip: {callbacks: {title: (items) => effects[items[0].dataIndex].axis.path, label: (item) => {
          const effect = effects[item.dataIndex];
          return [`${state.metric.text(effect.low.middle)} at ${effect.low.text}`, `${state.metric.text(effect.high.middle)} at ${effect.high.text}`];
        }}}}}})));
    if (effects.length) drawLine(effects[0]);
  };
  const drawLine = (effect) => {
    const metric = state.metric, axis = axisFor(metric, effect.levels.map((level) => level.most));
    const levels = effect.levels.every((level) => level.number !== null) ? [...effect.levels].sort((a, b) => a.number - b.number) : effect.levels;
    const set = (label, of, extra) => ({label, data: levels.map((level) => of(level) / axis.scale), borderColor: category(0), backgroundColor: category(0), ...extra});
    const edge = {borderColor: translucent(category(0), 0.4), borderWidth: 1, pointRadius: 0};
    line.replaceChildren(el("h3", {}, `${metric.name} over ${effect.axis.path}`), chart(260, `${metric.name} over ${effect.axis.path}`, () => ({type: "line",
      data: {labels: levels.map((level) => level.text), datasets: [set("median", (level) => level.middle, {borderWidth: 2, pointRadius: 4}),
        set("most", (level) => level.most, edge), set("least", (level) => level.least, {...edge, fill: "-1", backgroundColor: translucent(category(0), 0.13)})]},
      options: {interaction: alongTime, scales: {x: {title: {display: true, text: effect.axis.path}, grid: {display: false}}, y: linear(axis.title)},
        plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}  ${metric.text(item.raw * axis.scale)}`}}}}})));
  };
  draw();
  return section("sensitivity", "What matters", "Each bar spans the medians of the metric from the parameter’s best to its worst value, over all values of the other parameters. Select a bar for its curve.",
    el("div", {class: "controls"}, select("metric", metrics.map((metric) => [metric.name, metric.name]), state.metric.name, (name) => { state.metric = metrics.find((m) => m.name === name); draw(); })),
    data.effects.length ? el("ul", {class: "note effects"}, data.effects.map(({axis, text}) => el("li", {}, el("code", {}, axis), ` ${text}.`))) : null,
    bars, line);
}

function pointTable(data, points, quantities) {
  const several = new Set(data.points.map((point) => point.workload)).size > 1;
  const columns = [{head: "point", of: (point) => (point.link ? el("a", {href: point.link}, String(point.number)) : String(point.number))},
    ...(several ? [{head: "workload", of: (point) => point.workload}] : []),
    ...data.axes.map((axis, n) => ({head: shortPath(axis.path), title: axis.path, number: true, of: (point) => axis.values[point.parameters[n]] ?? "–"})),
    ...(points.some((point) => point.busiest) ? [{head: "busiest", of: (point) => point.busiest || "–"}] : []),
    ...quantities.map((quantity) => ({head: quantity.name.replace(/_ns$|_percent$/, ""), number: true, of: (point) => { const value = quantity.of(point); return value === null ? "–" : quantity.text(value); }})),
    ...(points.some((point) => point.status !== "done") ? [{head: "status", of: (point) => (point.status === "done" ? "" : `${point.status}: ${point.reason}`), class: "prose"}] : [])];
  return longTable(columns, points, 24, "points");
}

function pointSection(data, quantities) {
  const shown = quantities.filter((quantity) => !quantity.parameter).slice(0, Math.max(5, data.own)), holder = el("div");
  const orders = [["number", "number"], ...shown.map((quantity) => [quantity.name, quantity.name])];
  const draw = (name) => {
    const by = shown.find((quantity) => quantity.name === name), key = (point) => (by ? by.of(point) ?? Infinity : point.number);
    const sign = by && by.more ? -1 : 1;
    holder.replaceChildren(pointTable(data, [...data.points].sort((a, b) => sign * (key(a) - key(b)) || a.number - b.number), shown));
  };
  draw("number");
  return section("points", "All points", "The number links to the page of the point." + (data.left_out ? ` ${data.left_out} further metrics are in sweep.db; tahoma sweep --columns all puts them into points.csv.` : ""),
    el("div", {class: "controls"}, select("order by", orders, "number", draw)), holder);
}

function sweepPage(page, data) {
  const done = data.points.filter((point) => point.status === "done");
  const counts = new Map([["done", 0], ["failed", 0]]);  // points by status; a study also prunes and refuses some
  data.points.forEach((point) => counts.set(point.status, (counts.get(point.status) ?? 0) + 1));
  const quantities = quantitiesOf(data), time = quantities.find((quantity) => quantity.name === "simulated_time_ns");
  const best = time && done.length ? done.reduce((a, b) => (time.of(b) < time.of(a) ? b : a)) : null;
  const varying = independentAxes(data).filter((axis) => axis.values.length > 1);
  const header = el("header", {}, el("p", {class: "what"}, data.title || "Sweep"),
    el("h1", {id: "answer"}, best ? `Shortest of ${done.length} points: ${time.text(time.of(best))}` : `${done.length} of ${data.points.length} points are done`),
    best ? el("p", {class: "why"}, ...pointLabel(data, best).flatMap((text, n) => [n ? "; " : "", n === 0 && best.link ? el("a", {href: best.link}, text) : text]), ".") : null,
    el("p", {class: "note"}, `${data.points.length} points over ${varying.map((axis) => `${axis.path} (${axis.values.length})`).join(", ")}. ` +
      `${[...counts].map(([status, count]) => `${count} ${status}`).join(", ")}.`));
  const sections = !done.length || quantities.length < 2 ? [pointSection(data, quantities)]
    : [paretoSection(data, quantities), sensitivitySection(data, quantities), pointSection(data, quantities)];
  page.replaceChildren(header, contents(sections), ...sections, footer());
}
