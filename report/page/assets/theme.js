// SPDX-License-Identifier: Apache-2.0
// Colours. Categories are distinguishable for colour-blind readers (after Okabe and Ito); the
// page background is white.

const darkScreen = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const isDark = () => darkScreen.matches && !printing;

const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Light and dark variant of each.
const CATEGORIES = [["#0063b1", "#5aa9e6"], ["#d9720a", "#f0a04b"], ["#00846a", "#3fc1a3"], ["#a3468d", "#d98cc4"],
                    ["#7d7a14", "#c9c34f"], ["#4b5563", "#9aa5b1"], ["#b0302b", "#ef7d76"], ["#5b4bb5", "#a79bf0"],
                    ["#2c7a9e", "#7cc7e0"], ["#8a5a2b", "#cfa67a"]];
const category = (n) => CATEGORIES[n % CATEGORIES.length][isDark() ? 1 : 0];

const ENGINES = {tensor: 0, vector: 1, scalar: 2, gpsimd: 3, sync: 5, collective: 6};
const engineColour = (kind) => category(ENGINES[kind] ?? 4);
// Of rooflines, and of the critical path.
const RESOURCES = {tensor: 0, vector: 1, scalar: 2, gpsimd: 3, dma: 4, hbm: 7, link: 6,
                   "tensor engine": 0, "vector engine": 1, "scalar engine": 2, "gpsimd engine": 3, DMA: 4, HBM: 7, NeuronLink: 6,
                   "hand-over": 8, "descriptor generator": 9};
const resourceColour = (name) => category(RESOURCES[name] ?? 5);

// Work is blue, waiting is warm, other overheads of an engine are green and violet, idle
// time is almost invisible.
const CYCLES = {
  busy: ["#0063b1", "#4d9de0"],
  wait_tensor: ["#f2b134", "#e0a030"], wait_vector: ["#e8912d", "#d9822b"], wait_scalar: ["#f6cf71", "#c9a24a"],
  wait_gpsimd: ["#c98a4b", "#b57a40"], wait_sync: ["#eadcb0", "#8f8460"],
  wait_dma: ["#c0392b", "#d9564a"], wait_link: ["#7b1e3a", "#a8385c"],
  wait_collective: ["#d98cb3", "#b56a92"], wait_core: ["#efc3d6", "#8f5f77"],
  handover: ["#2aa198", "#3cb8ae"], weight_load: ["#1b7a43", "#3da066"], throttle: ["#7a5ca8", "#9b80c9"],
  table_load: ["#85c17e", "#6aa564"], bank_conflict: ["#b7a4d6", "#8874ad"], port_conflict: ["#d7cbe8", "#6d5f88"],
  dispatch: ["#79b8d1", "#5f9db8"], queue_full: ["#5d4037", "#a1887f"], drain: ["#b6d4ea", "#40607a"],
  idle: ["#e6e9ee", "#2a313b"],
};
const cycleColour = (name) => (CYCLES[name] ?? ["#888888", "#888888"])[isDark() ? 1 : 0];

// Heat scale from lowest to highest: light to dark in the light theme, dark to light in the dark theme.
const HEAT = [["#eef2f7", "#232a33"], ["#bcd3e8", "#2c4a68"], ["#7fb0d8", "#3b78a8"], ["#3f83bd", "#78b2dd"],
              ["#1f5a96", "#b5d8f0"], ["#0b2f5e", "#f0f8ff"]];
function heatColour(share) {
  const at = Math.max(0, Math.min(1, share)) * (HEAT.length - 1), low = Math.min(HEAT.length - 2, Math.floor(at));
  const part = at - low, mode = isDark() ? 1 : 0;
  const channel = (text, n) => parseInt(text.slice(1 + 2 * n, 3 + 2 * n), 16);
  const mixed = [0, 1, 2].map((n) => Math.round(channel(HEAT[low][mode], n) * (1 - part) +
                                                channel(HEAT[low + 1][mode], n) * part));
  return `rgb(${mixed.join(",")})`;
}

const translucent = (colour, alpha) => colour + Math.round(alpha * 255).toString(16).padStart(2, "0");
