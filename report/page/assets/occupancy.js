// SPDX-License-Identifier: Apache-2.0
// Occupancy of SBUF, PSUM and HBM over time.

const SPACES = {sbuf: ["SBUF", "core"], psum: ["PSUM", "core"], hbm: ["HBM", "stack"]};

function occupancySection({summary, detail}) {
  if (!detail.occupancy.length) return null;
  return section("occupancy", "What fills the memories",
    "An on-chip buffer is live from its first write to its last read before it is overwritten; a tensor in HBM from first to last use. Live bytes are means over windows and over all cores or stacks that hold live data.",
    detail.occupancy.map((space) => occupancyPart(space, summary, detail)));
}

function occupancyPart(space, summary, detail) {
  const [name, one] = SPACES[space.space], elapsed = summary.simulated_time_ns;
  const percent = (bytes) => format.percent(100 * bytes / space.capacity);
  const filled = space.fillings.filter((filling) => filling.mean_bytes.some((bytes) => bytes > 0));
  const totals = filled.length ? filled[0].mean_bytes.map((_, n) => filled.reduce((sum, filling) => sum + filling.mean_bytes[n], 0)) : [];
  const most = Math.max(...totals, 1), unit = unitFor(most, "B", IEC);
  const picture = !filled.length ? null : chart(230, `${name} live bytes over time`, () => {
    const time = timeAxis(elapsed);
    return {type: "line",
      data: {datasets: filled.map((filling, n) => stepLine(filling.what,
        steps(filling.mean_bytes, detail.window_ns, elapsed, time.unit, unit.scale), category(n),
        {fill: n === 0 ? "origin" : "-1", backgroundColor: translucent(category(n), 0.45), borderWidth: 1}))},
      options: {interaction: alongTime, scales: {x: time.scale, y: linear(`live, ${unit.label} of a ${one}`, {min: 0, stacked: true})},
        plugins: {tooltip: {callbacks: {
          title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${time.unit.label}`,
          label: (item) => `${item.dataset.label}  ${format.sizes(item.raw.y * unit.scale)}`}}}}};
  });
  const columns = [{head: "filled by", of: (row) => row.what},
                   {head: `in the fullest ${one}`, number: true, of: (row) => (row.bytes ? format.sizes(row.bytes) : "–")},
                   {head: "share", number: true, of: (row) => (row.bytes ? percent(row.bytes) : "–")},
                   {head: "live, mean", number: true, of: (row) => format.sizes(row.mean_bytes.reduce((a, b) => a + b, 0) / Math.max(1, row.mean_bytes.length))}];
  return el("div", {class: "part"}, el("h3", {}, name),
    el("p", {class: "note"}, `High-water mark ${format.sizes(space.footprint)} of ${format.sizes(space.capacity)} (${percent(space.footprint)}), in ${space.fullest}; ` +
      `at most ${format.sizes(space.most_live)} live in one window, in ${space.most_live_in} at ${format.time(space.most_live_at_ns)}. ` +
      `${format.count(space.instances)} ${one}${space.instances === 1 ? " holds" : "s hold"} live data.`),
    picture, table(columns, space.fillings, {label: `${name}: what fills it`}));
}
