// SPDX-License-Identifier: Apache-2.0
// Engine time by stall reason: by kind of engine, by core, and over time.

const shareAxis = (title) => linear(title, {min: 0, max: 100, stacked: true, ticks: {maxTicksLimit: 6, callback: (v) => `${v}`}});
const nameAxis = (more = {}) => ({type: "category", stacked: true, grid: {display: false}, ...more});

// rows: [{label, shares: {cycle: percent}}] as stacked bars; every row adds up to 100.
function stallChart(rows, cycles, label, options = {}) {
  const upright = options.upright === true;
  const configuration = () => ({
    type: "bar",
    data: {labels: rows.map((row) => row.label),
           datasets: cycles.map((cycle) => ({label: format.words(cycle.name), data: rows.map((row) => row.shares[cycle.name] ?? 0),
             backgroundColor: cycleColour(cycle.name), pointStyle: "rect", barPercentage: options.bar ?? 0.82, categoryPercentage: 1}))},
    options: {
      indexAxis: upright ? "x" : "y",
      scales: upright ? {x: nameAxis({title: {display: Boolean(options.along), text: options.along}, ticks: {maxRotation: 0, autoSkipPadding: 14}}), y: shareAxis("% of the time")}
                      : {x: shareAxis("% of the time"), y: nameAxis()},
      onClick: (event, hits) => { if (hits.length && options.chosen) options.chosen(rows[hits[0].index]); },
      plugins: {
        legend: {display: options.legend !== false},
        tooltip: {mode: upright ? "index" : "nearest", axis: upright ? "x" : "xy", intersect: !upright,
          filter: (item) => item.raw >= 0.05,
          callbacks: {
            title: (items) => (items.length ? rows[items[0].dataIndex].title ?? rows[items[0].dataIndex].label : ""),
            label: (item) => `${item.dataset.label}  ${item.raw.toFixed(1)} %`,
            afterLabel: (item) => (upright ? "" : wrapped(cycles[item.datasetIndex].doc ?? "", 46))}},
      },
    },
  });
  const height = options.height ?? 60 + 34 * rows.length + 22 * Math.ceil(cycles.length / (window.innerWidth < 600 ? 3 : 8));
  return chart(height, label, configuration);
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines[lines.length - 1].length + word.length > width) lines.push("");
    lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
  }
  return lines;
}

const kindRows = (summary, tag = "") => Object.entries(summary.engines).map(([kind, engine]) =>
  ({label: kind + tag, shares: engine.time_percent}));

const cyclesInUse = (summary, cycles) => cycles.filter((cycle) =>
  Object.values(summary.engines).some((engine) => engine.time_percent[cycle.name] > 0));

const reasonColumns = [
  {head: "", of: (cycle) => el("span", {}, swatch(cycleColour(cycle.name)), format.words(cycle.name))},
  {head: "meaning", of: (cycle) => cycle.doc, class: "prose"},
  {head: "Neuron Explorer", of: (cycle) => (cycle.neuron_explorer ? code(cycle.neuron_explorer) : "no name")},
  {head: "what shortens it", of: (cycle) => cycle.advice, class: "prose"},
];

function stallSection({summary, detail}) {
  const cycles = cyclesInUse(summary, detail.engines.cycles), kinds = Object.entries(summary.engines);
  const columns = [{head: "", of: (row) => (row.cycle ? el("span", {title: row.doc}, swatch(cycleColour(row.cycle)), format.words(row.cycle)) : row.name)},
                   ...kinds.map(([kind, engine]) => ({head: kind, number: true, of: (row) => row.of(engine)}))];
  const rows = [...cycles.map((cycle) => ({cycle: cycle.name, doc: cycle.doc, of: (engine) => cell(engine.time_percent[cycle.name])})),
                {name: "active (first issue to last result)", of: (engine) => cell(engine.active_percent)},
                {name: "instructions", of: (engine) => format.count(engine.instructions)}];
  const cell = (percent) => (percent === 0 ? "" : percent.toFixed(1));
  return section("stalls", "Where the engines’ time went",
    `Percent of the run, ${summary.cores.active === 1 ? "of the one active core" : `average over the ${format.count(summary.cores.active)} active cores`}. All engine time is attributed exactly once.`,
    stallChart(kindRows(summary), cycles, "Stall stack of each kind of engine"),
    details("As a table", table(columns, rows, {label: "stall stack as a table"})),
    details("What each means, its name in Neuron Explorer, and what shortens it", table(reasonColumns, cycles, {label: "stall reasons"})),
    coreStalls(summary, detail), engineTimeline(summary, detail));
}

// "core5", or "3.5" with several chips.
const shortName = (name, withChip) => (withChip ? name.split(".").slice(-2).map((part) => part.replace(/[a-z]+0*(?=\d)/, "")).join(".") : name.split(".").pop());

const swatch = (colour) => el("i", {class: "swatch", style: `background:${colour}`});

// The tensor engine, or, if it does almost nothing, the engine with the least idle time.
function firstKind(kinds, summary) {
  const idle = kinds.map((kind) => summary.engines[kind]?.time_percent.idle ?? 100);
  return idle[0] < 95 ? 0 : idle.indexOf(Math.min(...idle));
}

// One row per core; with many cores one row per chip, and the cores of a selected chip.
function coreStalls(summary, detail) {
  const {cores, kinds, cycles, percent, grouped} = detail.engines;
  if (cores.length < 2) return null;
  const byChip = !grouped && cores.length > 64;
  const shares = (values) => Object.fromEntries(cycles.map((cycle, n) => [cycle.name, values[n]]));
  const coreRow = (n, kind) => ({label: shortName(cores[n].name, cores.length > 8 && !byChip), title: cores[n].name, shares: shares(percent[n][kind])});
  const chips = [...new Set(cores.map((core) => core.chip))];
  const mean = (numbers, kind) => cycles.map((_, c) => numbers.reduce((sum, n) => sum + percent[n][kind][c], 0) / numbers.length);
  const chipRow = (chip, kind) => {
    const numbers = cores.map((core, n) => (core.chip === chip ? n : -1)).filter((n) => n >= 0);
    const name = cores[numbers[0]].name.split(".").slice(0, -1).join(".");
    return {label: String(chip), title: `${name}: mean of ${numbers.length} cores`, chip, shares: shares(mean(numbers, kind))};
  };
  const holder = el("div"), below = el("div");
  const draw = (kindName) => {
    const kind = kinds.indexOf(kindName);
    below.replaceChildren();
    const used = cycles.filter((cycle, c) => percent.some((core) => core[kind][c] > 0));
    const cores1 = (chip) => cores.map((core, n) => (core.chip === chip ? coreRow(n, kind) : null)).filter(Boolean);
    const rows = byChip ? chips.map((chip) => chipRow(chip, kind)) : cores.map((_, n) => coreRow(n, kind));
    const chosen = !byChip ? null : (row) => below.replaceChildren(
      el("h4", {}, `Cores of chip ${row.chip}: ${row.title.split(":")[0]}`),
      stallChart(cores1(row.chip), used, `Stall stack of the ${kindName} engines of one chip`, {upright: true, height: 190, legend: false, along: "core"}));
    holder.replaceChildren(stallChart(rows, used, `Stall stack of the ${kindName} engine of every ${byChip ? "chip" : "core"}`,
      {upright: true, height: 270, bar: rows.length > 32 ? 1 : 0.9, chosen, along: byChip ? "chip" : grouped ? "chip" : "core"}));
  };
  const note = grouped ? `Each bar is a chip: the mean of its active cores, ${format.count(summary.cores.active)} in total.`
             : byChip ? `Each bar is one of ${chips.length} chips: the mean of its cores. Select a bar to see its cores.`
             : `Each bar is one of ${cores.length} cores.`;
  return el("div", {class: "part"}, el("h3", {}, byChip || grouped ? "By chip and core" : "By core"), el("p", {class: "note"}, note),
            choice("engine", kinds, draw, firstKind(kinds, summary)), holder, below);
}

// A lane for each kind, all with the same axes: kinds with equal shares would hide each other in one chart.
function engineTimeline(summary, detail) {
  const {kinds, series} = detail.engines, elapsed = summary.simulated_time_ns;
  const shown = kinds.filter((kind) => series[kind].mean.some((value) => value > 0));
  if (!shown.length) return null;
  const lane = (kind) => chart(120, `Busy share of the ${kind} engines over time`, () => {
    const {unit, scale} = timeAxis(elapsed), one = series[kind];
    return {type: "line",
      data: {datasets: [stepLine(kind, steps(one.mean, detail.window_ns, elapsed, unit), engineColour(kind), {fill: "origin", backgroundColor: translucent(engineColour(kind), 0.2)})]},
      options: {interaction: alongTime, scales: {x: scale, y: linear("busy (%)", {min: 0, max: 100, ticks: {maxTicksLimit: 3}})},
        plugins: {legend: {display: false}, tooltip: {callbacks: {
          title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${unit.label}`,
          label: (item) => {
            const n = Math.min(item.dataIndex, one.mean.length - 1);
            return `${kind}  ${one.mean[n].toFixed(1)} %  (${one.least[n].toFixed(1)} to ${one.most[n].toFixed(1)})`;
          }}}}}};
  });
  return el("div", {class: "part"}, el("h3", {}, "Over time"),
    el("p", {class: "note"}, `Issue busy, ${summary.cores.active === 1 ? "" : "mean of all active cores, "}in windows of ${format.time(detail.window_ns)}${summary.cores.active === 1 ? "" : "; the tooltip shows the least and the most busy core"}.`),
    el("div", {class: "lanes"}, shown.map((kind) => el("div", {class: "lane"}, el("h3", {}, kind), lane(kind)))));
}
