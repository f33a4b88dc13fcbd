// SPDX-License-Identifier: Apache-2.0
// Operations per byte of HBM traffic: the limits of the machine, and what each region reached
// and could have reached.

const operationsPerSecond = (operations, ns) => (ns > 0 ? (operations * 1e9) / ns : 0);
const onRoofline = (region) => region.intensity > 0 && region.time_ns > 0 && region.operations > 0;

function roofOf(summary) {
  const compute = summary.flops.peak_tflops * 1e12, memory = summary.hbm.peak_bandwidth;
  return {compute, memory, ridge: memory && compute ? compute / memory : null};
}

// runs: [{name, summary, hollow}]; one roof per run if the roofs differ.
function rooflineChart(runs, height = 380) {
  const all = runs.flatMap(({summary}) => [...summary.regions, summary.whole].filter(onRoofline));
  if (!all.length) return null;
  const roofs = runs.map(({summary}) => roofOf(summary));
  const same = roofs.length === 2 && roofs[0].compute === roofs[1].compute && roofs[0].memory === roofs[1].memory;
  const drawnRoofs = same ? [roofs[0]] : roofs;
  const xs = [...all.map((region) => region.intensity), ...roofs.map((roof) => roof.ridge).filter(Boolean)];
  const ys = [...all.flatMap((region) => [operationsPerSecond(region.operations, region.time_ns), operationsPerSecond(region.operations, region.bound_ns)]),
              ...roofs.map((roof) => roof.compute)].filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...xs)) - 0.2), high = 10 ** Math.ceil(Math.log10(Math.max(...xs)) + 0.2);
  const bottom = 10 ** Math.floor(Math.log10(Math.min(...ys)) - 0.1), top = 10 ** Math.ceil(Math.log10(Math.max(...ys)) + 0.05);
  const configuration = () => ({
    type: "scatter", plugins: [pointNames],
    data: {datasets: [...drawnRoofs.flatMap((roof, n) => roofLines(roof, low, high, same ? "" : runs[n].name, n)),
                      ...runs.flatMap((run, n) => regionPoints(run, n))]},
    options: {
      scales: {x: logarithmic("operations per byte of HBM", {min: low, max: high}),
               y: logarithmic("operations per second", {min: bottom, max: top, ticks: {padding: 6,
                  callback: (value) => (Math.abs(Math.log10(value) % 1) < 1e-9 ? `${powerText(value).replace(/(?=[A-Za-z]|$)/, " ")}OP/s` : "")}})},
      plugins: {
        legend: {labels: {filter: (item) => !item.text.startsWith("·"), usePointStyle: true}},
        tooltip: {filter: (item) => item.dataset.regions !== undefined,
          callbacks: {title: () => "", label: (item) => regionTip(item.dataset.regions[item.dataIndex], item.dataset.bound)}}}}});
  return chart(height, "Roofline: operations per second over operations per byte of HBM traffic", configuration);
}

function roofLines(roof, low, high, name, n) {
  const style = {showLine: true, pointRadius: 0, borderColor: cssColour("--muted"), borderWidth: 1.5, borderDash: n ? [5, 4] : [],
                 pointStyle: "line", fill: false, pointHitRadius: 0};
  const tag = name ? ` of ${name}` : "", lines = [];
  if (roof.memory) {
    const end = roof.ridge ?? high, points = [{x: low, y: roof.memory * low}, {x: end, y: roof.memory * end}];
    lines.push({...style, label: `HBM peak${tag}: ${format.si(roof.memory, "B/s")}`, data: points});
  }
  if (roof.compute)
    lines.push({...style, borderWidth: 2.5, label: `tensor peak${tag}: ${format.si(roof.compute, "FLOPS")}`,
                data: [{x: Math.max(low, roof.ridge ?? low), y: roof.compute}, {x: high, y: roof.compute}]});
  return lines;
}

const allRegions = (summary) => (summary.regions.length > 1 ? [...summary.regions, {...summary.whole, bottleneck: summary.bottleneck}] : summary.regions);

function regionPoints({name, summary}, n) {
  const regions = allRegions(summary).filter(onRoofline), tag = name ? ` ${name}` : "", sets = [];
  for (const resource of [...new Set(regions.map((region) => region.bound_by))]) {
    const own = regions.filter((region) => region.bound_by === resource), colour = resourceColour(resource);
    const point = (region, ns) => ({x: region.intensity, y: operationsPerSecond(region.operations, ns)});
    sets.push({label: `reached, roofline of ${resource}${tag}`, regions: own, data: own.map((region) => point(region, region.time_ns)),
               names: regions.length <= 14 ? own.map((region) => region.name + (name ? ` (${name})` : "")) : null,
               backgroundColor: n ? cssColour("--page") : colour, borderColor: colour, borderWidth: 2, pointRadius: 5, pointHoverRadius: 7});
    sets.push({label: `·bound ${resource}${tag}`, regions: own, bound: true, data: own.map((region) => point(region, region.bound_ns)),
               backgroundColor: "transparent", borderColor: colour, borderWidth: 1, pointRadius: 4, pointStyle: "triangle"});
    for (const region of own)
      sets.push({label: "·gap", data: [point(region, region.time_ns), point(region, region.bound_ns)], showLine: true, pointRadius: 0,
                 pointHitRadius: 0, borderColor: translucent(colour, 0.5), borderWidth: 1, borderDash: [2, 3]});
  }
  return sets;
}

function regionTip(region, bound) {
  const rate = (ns) => format.si(operationsPerSecond(region.operations, ns), "OP/s");
  return [bound ? `${region.name}: bound of its instructions` : region.name,
          `${rate(region.time_ns)} in ${format.time(region.time_ns)} on ${region.cores} cores`,
          `roofline, ${region.bound_by}: ${format.time(region.bound_ns)}, ${rate(region.bound_ns)}`,
          `reached ${region.bound_percent.toFixed(1)} % of it`, `${region.intensity.toPrecision(4)} operations per byte of HBM`];
}

const regionColumns = [
  {head: "region", of: (region) => region.name},
  {head: "cores", number: true, of: (region) => format.count(region.cores)},
  {head: "start", number: true, of: (region) => format.time(region.start_ns)},
  {head: "time", number: true, of: (region) => format.time(region.time_ns)},
  {head: "roofline of", of: (region) => el("span", {}, swatch(resourceColour(region.bound_by)), region.bound_by)},
  {head: "roofline", number: true, of: (region) => format.time(region.bound_ns), title: "least time of its instructions on that resource, from the machine's timing laws"},
  {head: "reached", number: true, of: (region) => format.percent(region.bound_percent), title: "roofline / time"},
  {head: "bottleneck", of: (region) => bottleneckText(region.bottleneck)},
  {head: "operations", number: true, of: (region) => format.si(region.operations, "OP")},
  {head: "HBM", number: true, of: (region) => format.bytes(region.hbm_bytes)},
  {head: "sent", number: true, of: (region) => format.bytes(region.sent_bytes), title: "bytes to other chips"},
  {head: "OP/B", number: true, of: (region) => (region.intensity > 0 ? region.intensity.toPrecision(4) : "–")},
];

// The largest stall of each kind of engine; its title lists all stalls.
function stallCell(engine) {
  if (!engine) return "";
  const shares = Object.entries(engine.time_percent).sort((a, b) => b[1] - a[1]);
  const title = shares.map(([name, percent]) => `${format.words(name)} ${percent.toFixed(1)} %`).join("\n");
  const stall = engine.largest_stall;
  return el("span", {title}, swatch(cycleColour(stall === "none" ? "busy" : stall)),
            stall === "none" ? "none" : `${format.words(stall)} ${Math.round(engine.time_percent[stall])} %`);
}

function regionStalls(regions) {
  const kinds = [...new Set(regions.flatMap((region) => Object.keys(region.engines ?? {})))];
  if (!kinds.length) return [];
  const columns = [regionColumns[0], ...kinds.map((kind) => ({head: kind, of: (region) => stallCell(region.engines[kind])}))];
  return [el("p", {class: "note"}, "The largest stall of each region’s engines, in percent of their time in the region. That time runs from the end of the previous instruction and includes waiting. Hover over a cell for all reasons."),
          longTable(columns, regions, 14, "stalls of regions")];
}

function rooflineSection({summary}) {
  const regions = allRegions(summary), off = regions.filter((region) => !onRoofline(region));
  const picture = rooflineChart([{name: "", summary}]);
  const note = off.length && picture ? `Not plotted (no FLOPs or no HBM traffic): ${off.map((region) => region.name).join(", ")}.` : null;
  return section("roofline", "Roofline and regions",
    picture ? "Filled: the rate that a region of the program reached. Triangle above it: the rate that the resource bounding the same instructions allows. The gap is scheduling."
            : "No region has both FLOPs and HBM traffic, so there is no roofline. The table compares the time of each region with the bound of its instructions.",
    picture, note ? el("p", {class: "note"}, note) : null,
    regions.length ? longTable(regionColumns, regions, 14, "regions") : null,
    ...regionStalls(regions));
}
