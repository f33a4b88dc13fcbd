// SPDX-License-Identifier: Apache-2.0
// Energy by component, and power over time.

const POWER_PARTS = [["standing", "standing", 5], ["compute", "engines, SBUF, PSUM, clocks", 0], ["memory", "HBM, DMA, on-chip networks", 7],
                     ["links", "NeuronLink", 6]];
const FINE = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const joulesText = (value) => (value >= 1 || value === 0 ? format.si(value, "J") : scaled(value, "J", FINE));

// Reports of earlier versions do not tell the chips in use from the others.
const chipsText = (energy) => (energy.chips === undefined ? "all chips" :
  `${format.count(energy.chips)} ${energy.chips === 1 ? "chip" : "chips"} in use` +
  (energy.idle_chips > 0 ? `, beside ${format.count(energy.idle_chips)} idle of the machine with ${joulesText(energy.idle_joules)}` : ""));

// Reports of earlier versions have no energy.
function energySection({summary, detail}) {
  const energy = summary.energy;
  if (!energy) return null;
  const rows = Object.entries(energy.components).filter(([, component]) => component.joules > 0)
    .sort(([, a], [, b]) => b.joules - a.joules);
  const columns = [{head: "component", of: ([name]) => name},
                   {head: "energy", number: true, of: ([, component]) => joulesText(component.joules)},
                   {head: "share", number: true, of: ([, component]) => format.percent(component.percent)},
                   {head: "power", number: true, of: ([, component]) => format.si(component.watts, "W")},
                   {head: "standing", number: true, of: ([, component]) => format.percent(100 * component.standing_joules / component.joules),
                    title: "flows with time, whatever the program does"},
                   {head: "assumed", number: true, of: ([, component]) => format.percent(100 * component.assumed_joules / component.joules),
                    title: "rests on parameters without a published source"}];
  return section("energy", "Energy",
    `${joulesText(energy.joules)} in ${chipsText(energy)}: ${format.si(energy.chip_watts, "W")} a chip on average, ${format.si(energy.wall_watts, "W")} at the wall. ` +
      `${format.percent(energy.provenance_percent.assumed)} of it rests on assumed parameters. The course over time is an estimate from busy times.`,
    powerChart(summary, detail), table(columns, rows, {label: "energy by component"}));
}

function powerChart(summary, detail) {
  const power = detail.power;
  if (!power || !power.standing.length) return null;
  const totals = power.standing.map((_, n) => POWER_PARTS.reduce((sum, [key]) => sum + power[key][n], 0));
  const unit = unitFor(Math.max(...totals), "W", SI);
  return chart(230, "power of the chips in use over time", () => {
    const time = timeAxis(summary.simulated_time_ns);
    return {type: "line",
      data: {datasets: POWER_PARTS.map(([key, name, colour], n) => stepLine(name,
        steps(power[key], detail.window_ns, summary.simulated_time_ns, time.unit, unit.scale), category(colour),
        {fill: n === 0 ? "origin" : "-1", backgroundColor: translucent(category(colour), 0.45), borderWidth: 1}))},
      options: {interaction: alongTime, scales: {x: time.scale, y: linear(`power, ${unit.label}`, {min: 0, stacked: true})},
        plugins: {tooltip: {callbacks: {
          title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${time.unit.label}`,
          label: (item) => `${item.dataset.label}  ${format.si(item.raw.y * unit.scale, "W")}`}}}}};
  });
}
