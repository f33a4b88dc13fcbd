// SPDX-License-Identifier: Apache-2.0
// The page of one run.

// Of a run that `tahoma explain` has repeated.
const bottleneckText = (bottleneck) => (!bottleneck ? "–" : !bottleneck.resource ? "no single resource"
  : `${bottleneck.resource} (${bottleneck.shorter_percent.toFixed(1)} % shorter if ideal)`);
const goldenOutcome = (golden) => ({not_checked: "not checked", passed: "passed", failed: "FAILED"})[golden.outcome];
const verdict = (golden) => `${golden.outcome === "failed" ? "GOLDEN" : "golden"} ${goldenOutcome(golden)}`;

// Folders of earlier versions have no headline.
const headlineOf = (summary) => summary.headline ?? {time: "known"};
const answer = (summary) => ["time", "rate", "efficiency", "limit"].filter((key) => headlineOf(summary)[key])
  .map((key) => [key, key === "time" ? format.time(summary.simulated_time_ns) : headlineOf(summary)[key]]);

function headline({summary}) {
  const golden = summary.golden;
  const arithmetic = summary.flops.useful > 0
    ? [["rate", format.si(summary.flops.achieved_tflops * 1e12, "FLOPS"), `of ${format.si(summary.flops.peak_tflops * 1e12, "FLOPS")}`],
       ["work", format.si(summary.flops.useful, "FLOP"), "useful"]] : [];
  const tiles = [...arithmetic,
                 ["HBM", format.bytes(summary.hbm_read_bytes + summary.hbm_write_bytes), `MBU ${format.percent(summary.mbu_estimated_percent)}`],
                 ["links", format.bytes(summary.links.bytes), summary.links.busiest_link ? `busiest ${format.percent(summary.links.busiest_link.busy_percent)}` : "nothing sent"],
                 ["golden", goldenOutcome(golden), golden.checked ? `${format.count(golden.elements)} elements` : summary.mode]];
  return el("header", {},
    el("h1", {id: "answer"}, answer(summary).flatMap(([key, text], n) => [n ? ", " : null, el("span", {"data-answer": key}, text)])),
    headlineOf(summary).explained ? el("p", {class: "why", "data-answer": "explained"}, `tahoma ${headlineOf(summary).explained}.`) : null,
    summary.interval ? el("p", {class: "what", "data-answer": "interval"},
      `95 % interval ${format.time(summary.interval.low_ns)} to ${format.time(summary.interval.high_ns)}, of ${summary.interval.of} parameters`) : null,
    el("p", {class: "what"}, summary.workload, " on ", summary.machine),
    el("p", {class: "why"}, `Busiest: ${summary.busiest.instance}, ${format.percent(summary.busiest.share_percent)} of the time.`),
    golden.outcome === "failed" ? el("p", {class: "bad"}, "The result differs from the golden reference: the times below are those of an incorrect program.") : null,
    el("div", {class: "tiles"}, tiles.map(([name, value, more]) =>
      el("div", {class: "tile"}, el("span", {}, name), el("strong", {"data-tile": name}, value), el("small", {}, more)))));
}

// Figures that the workload defines, with the workload's own descriptions.
function figureSection({summary}) {
  const figures = Object.entries(summary.figures);
  if (!figures.length) return null;
  const columns = [{head: "figure", of: ([key]) => key.replaceAll("_", " ")}, {head: "value", number: true, of: ([, figure]) => figure.text},
                   {head: "how it is counted", of: ([, figure]) => figure.meaning, class: "prose"}];
  return section("figures", "Figures of the workload", "", longTable(columns, figures, 24, "figures"));
}

const SECTIONS = [figureSection, programSection, pathSection, lineSection, stallSection, timelineSection, rooflineSection, hbmSection, linkSection, trafficSection, occupancySection, energySection, collectiveSection,
                  machineSection, ledgerSection, downloadSection, reproduceSection];

function contents(sections) {
  return el("nav", {"aria-label": "sections"}, sections.map((part) =>
    el("a", {href: `#${part.id}`}, part.querySelector("h2").textContent)));
}

const footer = () => el("footer", {}, "Made by Tahoma. Charts by Chart.js (MIT licence, © Chart.js contributors), embedded in this file, which loads nothing else.");

function runPage(page, {runs: [run]}) {
  const sections = SECTIONS.map((make) => make(run)).filter(Boolean);
  page.replaceChildren(headline(run), contents(sections), ...sections, footer());
}
