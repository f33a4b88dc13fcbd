// SPDX-License-Identifier: Apache-2.0
// Programs that share the machine, collectives, the machine, assumed parameters, and how to reproduce the run.

// The largest growth of an engine's times beyond those of the program alone.
const grownMost = (program) => Object.entries(program.more_ns ?? {}).filter(([, ns]) => ns > program.alone_ns / 100)
  .sort(([, a], [, b]) => b - a).slice(0, 3).map(([reason, ns]) => `${reason} +${format.time(ns)}`).join(", ");

const programColumns = [
  {head: "program", of: (p) => p.name},
  {head: "cores", number: true, of: (p) => format.count(p.cores)},
  {head: "from", number: true, of: (p) => format.time(p.begin_ns)},
  {head: "time", number: true, of: (p) => format.time(p.time_ns)},
  {head: "alone", number: true, of: (p) => (p.alone_ns === null ? "–" : format.time(p.alone_ns)), title: "with --isolated: on the same cores, the others idle"},
  {head: "slowdown", number: true, of: (p) => (p.slowdown === null ? "–" : p.slowdown.toFixed(3))},
  {head: "the mean engine's time beyond that alone", of: (p) => (p.slowdown === null ? "" : grownMost(p)), class: "prose"},
];

// When each program ran. Folders of runs of one program have no list.
function programSection({summary}) {
  const all = summary.programs ?? [];
  if (!all.length) return null;
  const unit = timeUnitFor(summary.simulated_time_ns), fair = summary.sharing;
  const bars = () => chart(70 + 34 * all.length + 40, "When each program ran", () => ({
    type: "bar",
    data: {labels: all.map((p) => p.name),
           datasets: [{label: "runs", data: all.map((p) => [p.begin_ns / unit.scale, (p.begin_ns + p.time_ns) / unit.scale]), backgroundColor: category(0)}]},
    options: {indexAxis: "y", scales: {x: linear(`time (${unit.label})`, {min: 0}), y: nameAxis()},
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => `${format.time(all[item.dataIndex].begin_ns)} to ${format.time(all[item.dataIndex].begin_ns + all[item.dataIndex].time_ns)}`}}}}}));
  return section("programs", "Programs", fair
      ? `Weighted speedup ${fair.weighted_speedup.toFixed(2)} of ${all.length}; unfairness ${fair.unfairness.toFixed(2)}, the largest slowdown over the smallest.`
      : "Each on cores of its own. tahoma run --isolated also runs each alone.", bars(), longTable(programColumns, all, 24, "programs"));
}

const collectiveColumns = [
  {head: "collective", of: (c) => c.name},
  {head: "size", number: true, of: (c) => format.sizes(c.bytes)},
  {head: "type", of: (c) => c.dtype},
  {head: "algorithm", of: (c) => el("span", {title: c.why}, c.algorithm)},
  {head: "ranks", number: true, of: (c) => format.count(c.ranks)},
  {head: "time", number: true, of: (c) => format.time(c.time_ns)},
  {head: "algbw", number: true, of: (c) => format.si(c.algorithm_bandwidth, "B/s"), title: "bytes / time"},
  {head: "busbw", number: true, of: (c) => format.si(c.bus_bandwidth, "B/s"), title: "bytes on the wire / time"},
  {head: "estimate", number: true, of: (c) => format.time(c.estimate_ns)},
  {head: "values", of: (c) => (c.correct === null ? "not checked" : c.correct ? "correct" : el("strong", {class: "bad"}, "WRONG"))},
];

function splitChart(collectives) {
  const parts = Object.keys(collectives[0].time_split_ns), unit = timeUnitFor(Math.max(...collectives.map((c) => c.time_ns)));
  const colours = [3, 0, 6, 2, 5];
  return chart(70 + 40 * collectives.length + 40, "Where the time of each collective went", () => ({
    type: "bar",
    data: {labels: collectives.map((c) => `${c.operation} ${format.sizes(c.bytes)}`),
           datasets: parts.map((part, n) => ({label: part, data: collectives.map((c) => c.time_split_ns[part] / unit.scale), backgroundColor: category(colours[n % 5])}))},
    options: {indexAxis: "y", scales: {x: linear(`time (${unit.label})`, {stacked: true, min: 0}), y: nameAxis()},
      plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}  ${item.raw.toPrecision(4)} ${unit.label}, ${(100 * item.raw * unit.scale / collectives[item.dataIndex].time_ns).toFixed(1)} %`}}}}}));
}

// Groups that ran the same collective at once share one bar and row: the slowest of them.
function collectiveSection({summary}) {
  const all = summary.collectives;
  if (!all.length) return null;
  const kinds = new Map();
  for (const c of all) {
    const key = [c.operation, c.dtype, c.bytes, c.algorithm, c.ranks].join();
    kinds.set(key, [...(kinds.get(key) ?? []), c]);
  }
  const slowest = [...kinds.values()].map((same) => ({...same.reduce((a, b) => (b.time_ns > a.time_ns ? b : a)), same: same.length}));
  const columns = [collectiveColumns[0], {head: "groups", number: true, of: (c) => format.count(c.same), title: "groups that ran the same collective at the same time"}, ...collectiveColumns.slice(1)];
  return section("collectives", "Collectives", all.length === slowest.length ? "How the time of each is spent, on its slowest rank."
      : `${all.length} collectives of ${slowest.length} kinds; the slowest group of each kind is shown, collectives.csv (tahoma export) has all.`,
    splitChart(slowest.slice(0, 24)), slowest.length > 24 ? el("p", {class: "note"}, `The first 24 of ${slowest.length}.`) : null,
    longTable(columns, slowest, 24, "collectives"));
}

const code = (text) => el("code", {}, text);

function machineSection({summary, detail}) {
  const {preset, differs, parameters, workload} = detail.machine;
  const columns = [{head: "parameter", of: (p) => code(p.path)}, {head: "here", number: true, of: (p) => p.value},
                   {head: preset ? "preset" : "default", number: true, of: (p) => p.preset || "–"}, {head: "meaning", of: (p) => p.doc, class: "prose"}];
  const faults = [...summary.chip_faults.map((f) => `${f.chip} is ${f.dead ? "dead" : `${f.slow} times slower`}`),
                  ...summary.links.faults.map((f) => `${f.link} ${f.dead ? "is dead" : `has ${f.rate} of its rate`}`),
                  ...(summary.hbm.faults ?? []).map((f) => `${f.stack} has faults`)];
  const own = differs.filter((p) => p.path !== "machine.name");
  const list = (values) => table([{head: "parameter", of: ([path]) => code(path)}, {head: "value", number: true, of: ([, value]) => value}], Object.entries(values));
  return section("machine", "The machine",
    `${summary.machine}: ${format.count(summary.cores.machine)} cores, of which the workload used ${format.count(summary.cores.used)}. ` +
    (own.length ? `${own.length} parameter${own.length === 1 ? " differs" : "s differ"} from ${preset ? `the preset ${preset}` : "the declared defaults, because no preset has this name"}.`
                : preset ? `Every parameter is as in the preset ${preset}.` : "Every parameter has its declared default."),
    own.length ? longTable(columns, own, 24, "parameters that differ from the preset") : null,
    faults.length ? el("p", {}, `Faults as configured: ${faults.slice(0, 12).join("; ")}${faults.length > 12 ? ` and ${faults.length - 12} more` : ""}.`) : null,
    details(`Parameters of the workload (${Object.keys(workload).length})`, list(workload)),
    details(`All parameters of the machine (${Object.keys(parameters).length})`, list(parameters)));
}

function ledgerSection({detail}) {
  const {assumed, untouched} = detail.ledger;
  const columns = [{head: "parameter", of: (p) => code(p.path)}, {head: "assumed", number: true, of: (p) => p.value},
                   {head: "meaning", of: (p) => p.doc, class: "prose"}, {head: "why this value", of: (p) => p.note, class: "prose"}];
  return section("ledger", "What was assumed",
    `${assumed.length} parameters of components that this run used are reasoned assumptions, neither documented nor measured.  ` +
    (untouched ? `${untouched} more belong to components that did nothing. ` : "") + "Change one with --set to see its effect.",
    assumed.length ? longTable(columns, assumed, 12, "assumed values") : null);
}

function reproduceSection({summary, detail}) {
  const golden = summary.golden;
  return section("reproduce", "Run it again",
    "The folder of the run contains its complete configuration. Running it again gives identical files.",
    el("pre", {}, detail.reproduce.command),
    facts([["tahoma", detail.version], ["mode and seed", `${summary.mode}, ${summary.seed}`],
           ["configuration", code(`sha256 ${detail.reproduce.config_sha256.slice(0, 16)}…`)],
           ["golden reference", !golden.checked ? golden.rule || "not checked" : `${goldenOutcome(golden)}: ${format.count(golden.elements)} elements, ` +
             `largest relative error ${format.plain(Number(golden.max_rel_error))}, tolerance ${format.plain(Number(golden.tolerance))}`],
           ["host, commit, command line", "manifest.json"], ["numbers", "summary.json and stats.db; `tahoma stats` prints and explains statistics, `tahoma export` writes tables"]]));
}
