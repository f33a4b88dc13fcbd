// SPDX-License-Identifier: Apache-2.0
// The page of a training job on a cluster: the timeline of a step over the stages, and the goodput as curves.

const CLUSTER_SPANS = ["forward", "backward", "weights", "reduce", "optimizer", "gather"];

// [key of the curve, the axis, its title, note]
const GOODPUT_CURVES = [
  ["interval", "interval_minutes", "Checkpoint interval", "minutes between checkpoints"],
  ["chips", "chips", "Size of the fleet", "chips, each with the interval that is best for it"],
  ["spares", "spares", "Spare chips", "chips that wait to replace a failed one"],
];

const clusterSeconds = (seconds) => format.time(seconds * 1e9);

// One bar of a stage; reductions have a thin bar of their own below the passes.
function clusterSpan(stage, rowHeight, scale, [, what, microbatch, chunk, start, end]) {
  const onNetwork = what === "reduce" || what === "gather";
  const y = stage * rowHeight + (onNetwork ? rowHeight * 0.68 : rowHeight * 0.08);
  const bar = svg("rect", {x: start * scale, y, width: Math.max(0.2, (end - start) * scale), height: rowHeight * (onNetwork ? 0.2 : 0.54),
    fill: category(CLUSTER_SPANS.indexOf(what))});
  const pass = onNetwork || what === "optimizer" ? "" : ` of micro-batch ${microbatch}, chunk ${chunk}`;
  bar.append(svg("title", {}, `stage ${stage}: ${what}${pass}, ${clusterSeconds(start)} to ${clusterSeconds(end)}`));
  return bar;
}

function clusterTimeline(data) {
  const width = 1000, rowHeight = Math.max(10, Math.min(28, 480 / data.stages)), height = rowHeight * data.stages;
  const scale = width / data.summary.step.seconds;
  const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "cluster-timeline", role: "img",
    "aria-label": "timeline of a step: one row for each stage"});
  for (const span of data.spans) drawing.append(clusterSpan(span[0], rowHeight, scale, span));
  const used = CLUSTER_SPANS.filter((what) => data.spans.some((span) => span[1] === what));
  const legend = el("p", {class: "note"}, used.map((what) => el("span", {class: "key"},
    el("i", {style: `display:inline-block;width:10px;height:10px;background:${category(CLUSTER_SPANS.indexOf(what))}`}), ` ${what}  `)));
  const leftOut = data.spans_left_out ? `; ${format.count(data.spans_left_out)} later spans are only in spans.csv` : "";
  return section("timeline", "A step over the stages",
    `One row for each stage, ${clusterSeconds(data.summary.step.seconds)} from left to right; thin bars are collectives between replicas${leftOut}.`,
    drawing, legend);
}

function clusterShares({summary}) {
  const step = summary.step;
  const rows = [["passes", step.passes_s], ["bubble", step.bubble_s], ["gradients, exposed", step.exposed_gradients_s],
    ["optimizer", step.optimizer_s], ["weights, exposed", step.exposed_weights_s]].map(([name, seconds]) => ({name, seconds}));
  return section("step", "Where the time of a step goes", "Mean over the stages.",
    table([{head: "", of: (row) => row.name}, {head: "time", number: true, of: (row) => clusterSeconds(row.seconds)},
           {head: "share", number: true, of: (row) => format.percent(100 * row.seconds / step.seconds)}], rows, {label: "parts of a step", class: "narrow"}),
    facts([["times of a layer", summary.times.source], ["tokens", `${format.plain(step.tokens_per_second)} tokens/s`],
           ["useful FLOPS of a chip", `${format.plain(step.tflops_of_chip)} TFLOPS, MFU ${format.percent(step.mfu_percent)}`]]));
}

// [key in the summary, what the time is spent on]
const TIME_SHARES = [
  ["goodput_percent", "steps that are not done again"],
  ["lost_percent", "steps that an interruption undoes"],
  ["restarting_percent", "restarts"],
  ["waiting_percent", "waiting for chips"],
  ["checkpointing_percent", "checkpoints that stop training"],
  ["planned_percent", "planned interruptions"],
  ["slowed_percent", "steps that a slow part lengthens"],
  ["maintenance_percent", "rolling maintenance"],
];

function clusterTimes({summary}) {
  const rows = TIME_SHARES.map(([key, name]) => ({name, percent: summary.goodput[key]})).filter(({percent}) => percent > 0);
  return table([{head: "time spent on", of: (row) => row.name}, {head: "share", number: true, of: (row) => format.percent(row.percent)}],
    rows, {label: "shares of the time of training", class: "narrow"});
}

function clusterCurve(data, [key, axis, title, note]) {
  const points = data.curves[key];
  return el("div", {class: "part"}, el("h3", {}, title), chart(220, `goodput over ${note}`, () => ({type: "line",
    data: {datasets: [{label: "goodput", data: points.map((point) => ({x: point[axis], y: point.goodput_percent})), borderColor: category(0),
      backgroundColor: category(0), pointRadius: 4}]},
    options: {scales: {x: {type: key === "spares" ? "linear" : "logarithmic", title: {display: true, text: note}}, y: linear("goodput, %")},
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => `${format.percent(item.parsed.y)} at ${format.plain(item.parsed.x)}`}}}}})));
}

function clusterPage(page, data) {
  const header = el("header", {}, el("p", {class: "what"}, data.summary.title || "Training on a cluster"), el("h1", {id: "answer"}, data.answer));
  const sections = [clusterShares(data), clusterTimeline(data),
    section("goodput", "Goodput", "Share of the time in which steps are done that are not done again; Monte Carlo over random faults.",
      clusterTimes(data), GOODPUT_CURVES.map((curve) => clusterCurve(data, curve)))];
  page.replaceChildren(header, contents(sections), ...sections, footer());
}
