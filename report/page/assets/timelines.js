// SPDX-License-Identifier: Apache-2.0
// Bandwidth of memory stacks over time.

const bandwidthOf = (stack, n) => (stack.peak === null ? null : (stack.busy[n] ?? 0) / 100 * stack.peak);

function hbmSection({summary, detail}) {
  const {stacks, grouped, total} = detail.hbm, hbm = summary.hbm;
  if (!stacks.length) return null;
  const shares = facts([
    ["read", format.bytes(summary.hbm_read_bytes)], ["written", format.bytes(summary.hbm_write_bytes)],
    ["stacks used", `${hbm.stacks_used ?? stacks.length} of ${total}`],
    ["achieved", `${format.si(hbm.achieved_bandwidth, "B/s")}${hbm.peak_bandwidth ? ` of ${format.si(hbm.peak_bandwidth, "B/s")}` : ""}`],
    ["MBU", format.percent(summary.mbu_estimated_percent)],
    ...(hbm.rows ? [["rows", `hit ${format.percent(hbm.rows.hit_percent)}, miss ${format.percent(hbm.rows.miss_percent)}, conflict ${format.percent(hbm.rows.conflict_percent)}`]] : []),
    ...(hbm.pins ? [["pins", `data ${format.percent(hbm.pins.data_percent)}; lost to refresh ${format.percent(hbm.pins.refresh_percent)}, turnaround ${format.percent(hbm.pins.turnaround_percent)}, banks ${format.percent(hbm.pins.bank_percent)}`]] : []),
  ]);
  if (stacks.every((stack) => stack.peak === null))
    return section("hbm", "HBM bandwidth", "The stacks are ideal: they take no time, so there is no bandwidth to show.", shares);
  const chips = [...new Set(stacks.map((stack) => stack.chip))], few = stacks.length <= 8;
  const holder = el("div"), what = grouped ? "chips" : "stacks";
  const draw = (chosen) => holder.replaceChildren(chosen === "all" && !few ? bandChart(stacks, what, summary, detail)
    : laneCharts(few ? stacks : stacks.filter((stack) => stack.chip === Number(chosen)), summary, detail));
  draw("all");
  const picker = few || grouped ? null : select("show", [["all", `all ${stacks.length} stacks: mean, least, most`],
    ...chips.map((chip) => [String(chip), `each stack of ${detail.links.names[chip] ?? `chip ${chip}`}`])], "all", draw);
  return section("hbm", "HBM bandwidth over time",
    `Reads and writes${few ? " of each stack" : ""}, in windows of ${format.time(detail.window_ns)}; the dashed line is the peak.` +
    (grouped ? ` ${total} stacks are shown as ${stacks.length} chips.` : ""), picker, holder, shares);
}

function bandwidthScale(stacks) {
  const most = Math.max(...stacks.map((stack) => stack.peak ?? 0));
  return {most, unit: unitFor(most, "B/s")};
}

const bandwidthTip = (unit, label) => ({callbacks: {
  title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${unit.label}`,
  label: (item) => `${item.dataset.label}  ${item.parsed.y.toPrecision(4)} ${label}`}});

// A lane for each stack, all with the same axes: stacks with equal loads would hide each other in one chart.
function laneCharts(stacks, summary, detail) {
  const elapsed = summary.simulated_time_ns, {most, unit} = bandwidthScale(stacks);
  return el("div", {class: "lanes"}, stacks.map((stack, n) => el("div", {class: "lane"}, el("h3", {}, stack.name),
    chart(130, `HBM bandwidth of ${stack.name} over time`, () => {
      const time = timeAxis(elapsed), points = steps(stack.busy.map((_, w) => bandwidthOf(stack, w)), detail.window_ns, elapsed, time.unit, unit.scale);
      return {type: "line", data: {datasets: [stepLine(stack.name, points, category(n), {fill: "origin", backgroundColor: translucent(category(n), 0.2)}),
                                              peakLine(most / unit.scale, elapsed / time.unit.scale)]},
              options: {interaction: alongTime, scales: {x: time.scale, y: linear(unit.label, {min: 0, ticks: {maxTicksLimit: 4}})},
                        plugins: {legend: {display: false}, tooltip: bandwidthTip(time.unit, unit.label)}}};
    }))));
}

const peakLine = (value, end) => ({label: "peak", data: [{x: 0, y: value}, {x: end, y: value}], borderColor: cssColour("--muted"),
  backgroundColor: "transparent", borderWidth: 1.5, borderDash: [5, 4], pointRadius: 0, pointHitRadius: 0, pointStyle: "line"});

function bandChart(stacks, what, summary, detail) {
  const elapsed = summary.simulated_time_ns, {most, unit} = bandwidthScale(stacks);
  const windows = Array.from({length: detail.windows}, (_, n) => stacks.map((stack) => bandwidthOf(stack, n) ?? 0));
  const least = windows.map((values) => Math.min(...values)), largest = windows.map((values) => Math.max(...values));
  const mean = windows.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  return chart(260, "HBM bandwidth over time: mean, least and most of all stacks", () => {
    const time = timeAxis(elapsed), colour = category(0);
    const line = (label, values, more) => stepLine(label, steps(values, detail.window_ns, elapsed, time.unit, unit.scale), colour, more);
    const edge = {borderColor: translucent(colour, 0.45), borderWidth: 1};
    return {type: "line",
      data: {datasets: [line(`mean of ${stacks.length} ${what}`, mean, {borderWidth: 2}), line("most", largest, edge),
                        line("least", least, {...edge, fill: "-1", backgroundColor: translucent(colour, 0.14)}),
                        peakLine(most / unit.scale, elapsed / time.unit.scale)]},
      options: {interaction: alongTime, scales: {x: time.scale, y: linear(`${unit.label} of a ${what.slice(0, -1)}`, {min: 0})},
                plugins: {tooltip: bandwidthTip(time.unit, unit.label)}}};
  });
}
