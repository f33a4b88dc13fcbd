// SPDX-License-Identifier: Apache-2.0
// Charts of the library in the colours of the page. They are drawn when they scroll into view, redrawn when
// the colours change, and all drawn before printing.

const drawn = new Set();
let waiting = false;

// Draws the charts that are not yet in view once the browser is idle.
function drawTheRest() {
  waiting = false;
  const next = [...drawn].find((own) => !own.shown);
  if (!next) return;
  next.redraw();
  drawSoon();
}
function drawSoon() {
  if (waiting) return;
  waiting = true;
  (window.requestIdleCallback ?? ((body) => setTimeout(body, 50)))(drawTheRest);
}

function chartDefaults() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.color = cssColour("--muted");
  Chart.defaults.borderColor = cssColour("--rule");
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.devicePixelRatio = Math.max(2, window.devicePixelRatio || 1);
  Object.assign(Chart.defaults.plugins.legend.labels, {boxWidth: 10, boxHeight: 10, padding: 12});
  Object.assign(Chart.defaults.plugins.legend.labels, {usePointStyle: true, pointStyleWidth: 16});
  Chart.defaults.plugins.legend.position = "bottom";
  Chart.defaults.plugins.legend.align = "start";
  Object.assign(Chart.defaults.plugins.tooltip, {
    backgroundColor: cssColour("--tip"), titleColor: cssColour("--tip-text"), bodyColor: cssColour("--tip-text"),
    padding: 10, boxPadding: 4, cornerRadius: 4, displayColors: true});
}

// A chart in a box of `height` pixels; `configuration` is called each time that it is drawn. `label` is its
// description for screen readers.
function chart(height, label, configuration) {
  const canvas = el("canvas", {role: "img", "aria-label": label});
  const box = el("div", {class: "chart", style: `height:${height}px`}, canvas);
  const own = {chart: null, shown: false, redraw() {
    own.chart?.destroy();
    own.chart = null;
    if (!box.isConnected) { drawn.delete(own); return; }
    own.shown = true;
    own.chart = new Chart(canvas, configuration());
  }};
  drawn.add(own);
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    if (!own.shown) own.redraw();
  }, {rootMargin: "400px"}).observe(box);
  drawSoon();
  return box;
}

function redrawAll(unseenToo) {
  chartDefaults();
  for (const own of [...drawn]) if (own.shown || unseenToo) own.redraw();
  document.dispatchEvent(new Event("recolour"));
}
darkScreen.addEventListener("change", () => redrawAll(false));
window.addEventListener("beforeprint", () => { printing = true; document.documentElement.classList.add("print"); redrawAll(true); });
window.addEventListener("afterprint", () => { printing = false; document.documentElement.classList.remove("print"); redrawAll(false); });

// Scales.
const linear = (title, more = {}) => ({type: "linear", title: {display: true, text: title}, grid: {drawTicks: false},
                                      ticks: {padding: 6, maxTicksLimit: 8}, border: {display: false}, ...more});
const POWERS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
function powerText(value) {
  const [scale, letter] = POWERS.find(([size]) => value >= size) ?? [1, ""];
  return `${+(value / scale).toPrecision(3)}${letter}`;
}
const logarithmic = (title, more = {}) => ({
  type: "logarithmic", title: {display: true, text: title}, grid: {drawTicks: false},
  ticks: {padding: 6, maxRotation: 0, autoSkip: true,
          callback: (value) => (Math.abs(Math.log10(value) % 1) < 1e-9 ? powerText(value) : "")}, ...more});

// Time axis from left to right, windows as steps.
function timeAxis(elapsed) {
  const unit = timeUnitFor(elapsed);
  return {unit, scale: linear(`simulated time (${unit.label})`, {min: 0, max: elapsed / unit.scale, grid: {display: false},
    ticks: {maxTicksLimit: 9, maxRotation: 0, callback: (value) => +value.toPrecision(4)}})};
}
function steps(values, window, elapsed, unit, scale = 1) {
  const points = values.map((value, n) => ({x: n * window / unit.scale, y: value / scale}));
  if (points.length) points.push({x: elapsed / unit.scale, y: points[points.length - 1].y});
  return points;
}
const stepLine = (label, points, colour, more = {}) => ({
  label, data: points, borderColor: colour, backgroundColor: colour, borderWidth: 1.5, pointRadius: 0, pointHitRadius: 6,
  stepped: "before", pointStyle: more.fill ? "rect" : "line", ...more});
const alongTime = {mode: "index", intersect: false};

// Names next to points, if there are few.
const pointNames = {
  id: "pointNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, taken = [];
    context.save();
    context.font = `11px ${Chart.defaults.font.family}`;
    context.fillStyle = cssColour("--text");
    chart.data.datasets.forEach((set, n) => {
      if (!set.names || !chart.isDatasetVisible(n)) return;
      chart.getDatasetMeta(n).data.forEach((point, i) => {
        const name = set.names[i], width = context.measureText(name).width, area = chart.chartArea;
        const x = point.x + 9 + width > area.right ? point.x - 9 - width : point.x + 9;
        const fits = (y) => taken.every((box) => x > box.x + box.width || box.x > x + width || Math.abs(box.y - y) > 12);
        const y = [point.y + 4, point.y - 10, point.y + 18].find(fits);
        if (y === undefined || x < area.left) return;
        taken.push({x, y, width});
        context.fillText(name, x, y);
      });
    });
    context.restore();
  },
};
