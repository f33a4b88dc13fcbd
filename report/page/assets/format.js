// SPDX-License-Identifier: Apache-2.0
// Numbers as text: four significant digits and SI prefixes, as in summary.txt.

const SI = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const IEC = [[2 ** 40, "Ti"], [2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"], [1, ""]];

function fourDigits(value) {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e4) return String(value);
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

const prefixOf = (value, table) => table.find(([scale]) => Math.abs(value) >= scale) ?? table[table.length - 1];

function scaled(value, unit, table) {
  const [scale, letter] = prefixOf(value, table);
  return `${fourDigits(value / scale)} ${letter}${unit}`;
}

const format = {
  si: (value, unit) => scaled(value, unit, SI),
  bytes: (value) => scaled(value, "B", SI),
  sizes: (value) => scaled(value, "B", IEC),
  percent: (value) => (value === null || value === undefined ? "–" : value > 0 && value < 0.05 ? "< 0.1 %" : `${value.toFixed(1)} %`),
  count: (value) => Number(value).toLocaleString("en-US"),
  time(ns) {
    if (ns >= 1e9) return `${fourDigits(ns * 1e-9)} s`;
    if (ns >= 1e6) return `${fourDigits(ns * 1e-6)} ms`;
    if (ns >= 1e3) return `${fourDigits(ns * 1e-3)} µs`;
    return `${fourDigits(ns)} ns`;
  },
  signed: (percent) => `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(1)} %`,
  // A number without a known unit, short.
  plain(value) {
    if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)) return String(+value.toPrecision(5));
    return value.toExponential(3);
  },
  words: (name) => name.replaceAll("_", " "),
};

// The common unit of all values of a chart: {scale, label}.
function unitFor(most, unit, table = SI) {
  const [scale, letter] = prefixOf(most, table);
  return {scale, label: letter + unit};
}
function timeUnitFor(ns) {
  return ns >= 1e9 ? {scale: 1e9, label: "s"} : ns >= 1e6 ? {scale: 1e6, label: "ms"}
       : ns >= 1e3 ? {scale: 1e3, label: "µs"} : {scale: 1, label: "ns"};
}
