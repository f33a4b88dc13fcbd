// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs.

const LETTERS = ["A", "B"];

// [name, of (summary) => number, text, whether less is better (undefined: neutral)]
const METRICS = [
  ["simulated time", (s) => s.simulated_time_ns, format.time, true],
  ["MFU", (s) => s.mfu_estimated_percent, format.percent, false],
  ["rate", (s) => s.flops.achieved_tflops * 1e12, (v) => format.si(v, "FLOPS"), false],
  ["peak rate", (s) => s.flops.peak_tflops * 1e12, (v) => format.si(v, "FLOPS")],
  ["MBU", (s) => s.mbu_estimated_percent, format.percent, false],
  ["HBM read", (s) => s.hbm_read_bytes, format.bytes],
  ["HBM written", (s) => s.hbm_write_bytes, format.bytes],
  ["tensor engines busy", (s) => s.engines.tensor?.time_percent.busy ?? null, format.percent, false],
  ["DMA engines busy", (s) => s.dma.busy_percent, format.percent],
  ["busiest stack", (s) => s.hbm.busiest_percent ?? s.hbm.busiest_stacks?.[0]?.busy_percent ?? null, format.percent],
  ["sent over links", (s) => s.links.bytes, format.bytes],
  ["busiest link", (s) => s.links.busiest_link?.busy_percent ?? null, format.percent],
  ["saturated links", (s) => s.links.saturated.count, format.count, true],
  ["instructions", (s) => s.instructions, format.count, true],
  ["energy of the chips in use", (s) => s.energy?.joules ?? null, joulesText, true],
  ["power of a chip", (s) => s.energy?.chip_watts ?? null, (v) => format.si(v, "W")],
];

const change = (a, b) => (a === null || b === null || a === 0 ? null : 100 * (b - a) / Math.abs(a));

function changeCell(a, b, less) {
  const percent = change(a, b);
  if (percent === null) return a === b ? "" : "–";
  const better = less === undefined || Math.abs(percent) < 0.05 ? "" : (percent < 0) === less ? "better" : "worse";
  return el("span", {class: better}, format.signed(percent));
}

function compareHeadline(runs) {
  const [a, b] = runs.map((run) => run.summary), faster = 100 * (b.simulated_time_ns - a.simulated_time_ns) / a.simulated_time_ns;
  const words = Math.abs(faster) < 0.05 ? "B takes the same time as A" : `B is ${Math.abs(faster).toFixed(1)} % ${faster < 0 ? "shorter" : "longer"} than A`;
  return el("header", {},
    el("h1", {id: "answer"}, `${words}: ${format.time(a.simulated_time_ns)}, then ${format.time(b.simulated_time_ns)}`),
    el("div", {class: "pair"}, runs.map((run, n) => el("div", {class: "tile"}, el("span", {}, `${LETTERS[n]}  ${run.name}`),
      el("strong", {}, answer(run.summary).map(([, text]) => text).join(", ")), el("small", {}, `${run.summary.workload} on ${run.summary.machine}`)))));
}

function metricSection(runs) {
  const [a, b] = runs.map((run) => run.summary);
  const rows = METRICS.map(([name, of, text, less]) => ({name, a: of(a), b: of(b), text, less})).filter((row) => row.a !== null || row.b !== null);
  const show = (row, value) => (value === null || value === undefined ? "–" : row.text(value));
  return section("metrics", "Metric by metric", "B relative to A. Changes for better or worse are coloured.",
    table([{head: "", of: (row) => row.name}, {head: "A", number: true, of: (row) => show(row, row.a)}, {head: "B", number: true, of: (row) => show(row, row.b)},
           {head: "change", number: true, of: (row) => changeCell(row.a ?? null, row.b ?? null, row.less)}], rows, {label: "metrics", class: "narrow"}));
}

function compareStalls(runs) {
  const cycles = runs[0].detail.engines.cycles.concat(runs[1].detail.engines.cycles)
    .filter((cycle, n, all) => all.findIndex((other) => other.name === cycle.name) === n);
  const rows = kindRows(runs[0].summary, " A").flatMap((row) => {
    const kind = row.label.slice(0, -2), other = runs[1].summary.engines[kind];
    return other ? [row, {label: `${kind} B`, shares: other.time_percent}] : [row];
  });
  return section("stalls", "Where the engines’ time went", "Percent of each run’s own time.", stallChart(rows, cycles, "Stall stacks of both runs"));
}

function compareRegions(runs) {
  const [a, b] = runs.map((run) => new Map(allRegions(run.summary).map((region) => [region.name, region])));
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const of = (map, name, key) => map.get(name)?.[key] ?? null;
  const columns = [{head: "region", of: (name) => name},
    ...["A", "B"].flatMap((letter, n) => [
      {head: `time ${letter}`, number: true, of: (name) => { const t = of(n ? b : a, name, "time_ns"); return t === null ? "–" : format.time(t); }},
      {head: `reached ${letter}`, number: true, of: (name) => format.percent(of(n ? b : a, name, "bound_percent"))}]),
    {head: "change of time", number: true, of: (name) => changeCell(of(a, name, "time_ns"), of(b, name, "time_ns"), true)}];
  const named = runs.map((run, n) => ({name: LETTERS[n], summary: run.summary}));
  return section("roofline", "Roofline and regions", "Filled: A. Hollow: B.", rooflineChart(named), table(columns, names, {label: "regions of both runs"}));
}

function compareMemory(runs) {
  const usable = runs.filter((run) => run.detail.hbm.stacks.some((stack) => stack.peak !== null));
  if (usable.length < 2) return null;
  const longest = Math.max(...runs.map((run) => run.summary.simulated_time_ns));
  const mean = ({detail}) => Array.from({length: detail.windows}, (_, n) =>
    detail.hbm.stacks.reduce((sum, stack) => sum + (bandwidthOf(stack, n) ?? 0), 0));
  const series = runs.map(mean), unit = unitFor(Math.max(...series.flat(), 1), "B/s");
  return section("hbm", "HBM bandwidth over time", "Sum of all stacks.", chart(260, "HBM bandwidth of both runs over time", () => {
    const time = timeAxis(longest);
    return {type: "line", data: {datasets: runs.map((run, n) => stepLine(LETTERS[n],
        steps(series[n], run.detail.window_ns, run.summary.simulated_time_ns, time.unit, unit.scale), category(n)))},
      options: {interaction: {mode: "nearest", axis: "x", intersect: false}, scales: {x: time.scale, y: linear(unit.label, {min: 0})},
                plugins: {tooltip: bandwidthTip(time.unit, unit.label)}}};
  }));
}

function compareParameters(runs) {
  const values = runs.map(({detail}) => ({...detail.machine.workload, ...detail.machine.parameters}));
  const paths = [...new Set(values.flatMap((all) => Object.keys(all)))].filter((path) => values[0][path] !== values[1][path]);
  if (!paths.length) return section("parameters", "Parameters", "Both runs have the same machine and workload.");
  return section("parameters", "Differing parameters", `${paths.length} parameter${paths.length === 1 ? "" : "s"} of machine and workload.`,
    longTable([{head: "parameter", of: (path) => code(path)}, {head: "A", number: true, of: (path) => values[0][path] ?? "–"},
               {head: "B", number: true, of: (path) => values[1][path] ?? "–"}], paths, 24, "parameters that differ"));
}

function comparePage(page, {runs}) {
  const sections = [metricSection, compareParameters, compareStalls, compareRegions, compareMemory].map((make) => make(runs)).filter(Boolean);
  page.replaceChildren(compareHeadline(runs), contents(sections), ...sections, footer());
}
