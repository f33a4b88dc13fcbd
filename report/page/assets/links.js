// SPDX-License-Identifier: Apache-2.0
// Links of the fabric and the traffic between chips.

const MEASURES = {
  "busy": (link) => link.busy_percent / 100,
  "busiest window": (link) => Math.max(0, ...link.windows) / 100,
  "blocked": (link) => link.blocked_percent / 100,
};

function linkSection({summary, detail}) {
  const links = detail.links;
  if (!links.list.length) return null;
  if (!links.list.some((link) => link.bytes > 0))
    return section("links", "Links", `No data were sent over any of the ${format.count(links.total)} link directions.`);
  const about = el("div", {class: "about-link", "aria-live": "polite"});
  const state = {view: null, measure: "busy", link: null};
  const map = el("div", {class: "planes"});
  const choose = (link) => { state.link = link; about.replaceChildren(linkAbout(link, summary, detail)); draw(); };
  const draw = () => {
    if (!state.view) return;
    map.className = `planes${isFlat(state.view) ? " rings" : ""}`;
    map.replaceChildren(...state.view.pictures.map((picture) =>
      fabricPicture(picture, links, MEASURES[state.measure], choose, state.link?.name)));
  };
  const views = links.views ?? [];
  document.addEventListener("recolour", draw);
  const controls = !views.length ? null : el("div", {class: "controls"},
    choice("view", views.map((view) => view.name), (name) => { state.view = views.find((view) => view.name === name); draw(); }),
    select("colour by", Object.keys(MEASURES).map((name) => [name, name]), "busy", (name) => { state.measure = name; draw(); }));
  const part = links.list.length < links.total ? ` The ${links.list.length} busiest of ${links.total} directions are in this page; links.csv (tahoma export) has all.` : "";
  const saturated = summary.links.saturated.count, definition = summary.links.saturated.definition.replace(" us", " µs");
  const busiest = [...links.list].filter((link) => link.bytes > 0).sort((a, b) => b.saturated - a.saturated || b.busy_percent - a.busy_percent).slice(0, 10);
  const columns = [
    {head: saturated ? "most saturated links" : "busiest links", of: (link) => el("button", {class: "plain", onclick: () => choose(link)}, link.name)},
    {head: "busy", number: true, of: (link) => format.percent(link.busy_percent)},
    {head: "carried", number: true, of: (link) => format.bytes(link.bytes)},
    {head: "blocked", number: true, of: (link) => format.percent(link.blocked_percent), title: "a packet was ready, but the next buffer had no credit"},
    {head: "most queued", number: true, of: (link) => format.count(link.queue)},
    {head: "saturated windows", number: true, title: definition, of: (link) => format.count(link.saturated)}];
  const axes = [{head: "axis", of: ([axis]) => axis}, {head: "links", number: true, of: ([, a]) => format.count(a.links)},
                {head: "carried", number: true, of: ([, a]) => format.bytes(a.bytes)},
                {head: "mean busy", number: true, of: ([, a]) => format.percent(a.mean_busy_percent)},
                {head: "mean blocked", number: true, of: ([, a]) => format.percent(a.mean_blocked_percent)}];
  return section("links", "Links",
    `${views.length ? "Each line is one direction of a link. " : ""}${saturated ? `${saturated} of ${links.total} are saturated${views.length ? " (outlined)" : ""}: ${definition}.` : `None is saturated (${definition}).`} ${views.length ? `Lines keep to the right of their direction${hasStubs(views) ? "; stubs close the rings" : ""}. ` : ""}Choose a link for its flows.${part}`,
    controls, views.length ? heatLegend() : null, map, about, table(columns, busiest, {label: "busiest links"}),
    table(axes, Object.entries(summary.links.axes), {label: "links by axis", class: "narrow"}));
}

function heatLegend() {
  const bar = el("span", {class: "heat"});
  const paint = () => { bar.style.background = `linear-gradient(90deg, ${[0, 0.2, 0.4, 0.6, 0.8, 1].map(heatColour).join(", ")})`; };
  paint();
  document.addEventListener("recolour", paint);
  return el("p", {class: "heat-legend"}, "0 %", bar, "100 %", el("span", {class: "outline-sample"}), "saturated");
}

function linkAbout(link, summary, detail) {
  const names = detail.links.names, elapsed = summary.simulated_time_ns;
  const columns = [{head: "from", of: ([from]) => names[from]}, {head: "to", of: ([, to]) => names[to]},
                   {head: "bytes", number: true, of: ([, , bytes]) => format.bytes(bytes)},
                   {head: "share", number: true, of: ([, , bytes]) => format.percent(100 * bytes / Math.max(1, link.bytes))}];
  const busy = chart(170, `${link.name}: busy over time`, () => {
    const time = timeAxis(elapsed);
    return {type: "line", data: {datasets: [stepLine("busy", steps(link.windows, detail.window_ns, elapsed, time.unit), category(0), {fill: "origin", backgroundColor: translucent(category(0), 0.2)})]},
            options: {interaction: alongTime, scales: {x: time.scale, y: linear("busy (%)", {min: 0, max: 100})}, plugins: {legend: {display: false},
              tooltip: {callbacks: {title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${time.unit.label}`, label: (item) => `busy ${item.parsed.y} %`}}}}};
  });
  return el("div", {}, el("h3", {id: "chosen-link"}, link.name), el("p", {class: "note"}, linkTip(link).split(": ")[1], `; peak ${link.peak ? format.si(link.peak, "B/s") : "ideal"}`),
    link.windows.length ? busy : null,
    link.flows.length ? table(columns, link.flows, {label: `flows over ${link.name}`}) : el("p", {}, "No data were sent over this link."),
    link.more_flows ? el("p", {class: "note"}, `and ${link.more_flows} smaller flows`) : null);
}

function trafficSection({summary, detail}) {
  if (!detail.traffic || !summary.links.traffic) return null;
  const {matrix, names, chips_a_block: block} = detail.traffic, traffic = summary.links.traffic, count = names.length;
  const cells = [];
  let most = 0, least = Infinity;
  matrix.forEach((row, from) => row.forEach((bytes, to) => {
    if (bytes === 0) return;
    cells.push({x: to, y: from, bytes});
    most = Math.max(most, bytes);
    least = Math.min(least, bytes);
  }));
  const share = (bytes) => (most === least ? 1 : 0.25 + 0.75 * (Math.log(bytes) - Math.log(least)) / (Math.log(most) - Math.log(least)));
  const square = Math.max(300, Math.min(520, document.documentElement.clientWidth - 60)) + 30;
  const index = (title, more) => linear(title, {min: -0.5, max: count - 0.5, afterBuildTicks: (axis) => {
    const step = count > 32 ? 8 : count > 8 ? 4 : 1;
    axis.ticks = Array.from({length: Math.ceil(count / step)}, (_, n) => ({value: n * step}));
  }, ticks: {maxTicksLimit: 100, maxRotation: 0, callback: (value) => value * block}, ...more});
  const picture = chart(square, "Traffic matrix: bytes from chip to chip", () => ({type: "scatter",
    data: {datasets: [{data: cells, pointStyle: "rect", backgroundColor: cells.map((cell) => heatColour(share(cell.bytes))), borderWidth: 0,
      pointRadius: (context) => (context.chart.chartArea ? Math.min(context.chart.chartArea.width, context.chart.chartArea.height) / count / Math.SQRT2 : 2), pointHoverRadius: undefined, hoverBorderWidth: 1}]},
    options: {scales: {x: index("to chip", {position: "top"}), y: index("from chip", {reverse: true})},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => "", label: (item) =>
        [`${names[item.raw.y]} to ${names[item.raw.x]}`, format.bytes(item.raw.bytes)]}}}}}));
  const picked = [...cells].sort((a, b) => b.bytes - a.bytes).slice(0, 8);
  const columns = [{head: "from", of: (cell) => names[cell.y]}, {head: "to", of: (cell) => names[cell.x]},
                   {head: "bytes", number: true, of: (cell) => format.bytes(cell.bytes)}];
  const note = block > 1 ? ` Each cell adds up blocks of ${block} chips.` : "";
  return section("traffic", "Traffic between chips",
    `${format.bytes(traffic.bytes)} between ${format.count(traffic.pairs)} pairs of chips, ${format.bytes(traffic.mean_bytes)} a pair on average.${note} A stronger colour is more, by the logarithm, from ${format.bytes(least)} to ${format.bytes(most)}.`,
    el("div", {class: "matrix"}, el("div", {class: "square", style: `max-width:${square - 30}px`}, picture), table(columns, picked, {label: "largest flows"})));
}
