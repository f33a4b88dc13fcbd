// SPDX-License-Identifier: Apache-2.0
// The page of a simulated server: times of requests, and the groups of servers over time.

// [key of a group's series, title, axis, format of a value]
const SERVING_SERIES = [
  ["running", "Running requests", "requests", (value) => format.plain(value)],
  ["waiting", "Waiting requests", "requests", (value) => format.plain(value)],
  ["kv_blocks_percent", "Blocks of the KV cache in use", "% of all blocks", format.percent],
  ["busy_percent", "Utilisation: share of time in a step", "% of the servers' time", format.percent],
  ["output_tokens_per_s", "Generated tokens", "tokens/s", (value) => format.plain(value)],
  ["prompt_tokens_per_s", "Prefilled tokens", "tokens/s", (value) => format.plain(value)],
  ["entered_per_s", "Requests that enter the group", "requests/s", (value) => format.plain(value)],
];

const secondsText = (seconds) => format.time(seconds * 1e9);

function servingTimes({summary}) {
  const rows = [["wait", summary.wait_s], ["TTFT", summary.ttft_s], ["TPOT", summary.tpot_s], ["end to end", summary.end_to_end_s]]
    .map(([name, times]) => ({name, times}));
  const column = (head, key) => ({head, number: true, of: (row) => (row.times.count ? secondsText(row.times[key]) : "–")});
  return section("times", "Times of requests", "Percentiles by nearest rank. TPOT is the mean time per token after the first.",
    table([{head: "", of: (row) => row.name}, column("mean", "mean"), column("p50", "p50"), column("p90", "p90"), column("p99", "p99"), column("max", "max")],
          rows, {label: "times of requests", class: "narrow"}),
    facts([["requests", format.count(summary.requests)], ["elapsed", secondsText(summary.elapsed_s)],
           ["output tokens", `${format.count(summary.output_tokens)}, ${format.plain(summary.output_tokens_per_s)} tokens/s`],
           ["preempted", `${format.count(summary.preempted_requests)} requests, ${format.count(summary.dropped_tokens)} cached tokens dropped`],
           ...(summary.held_back ? [["interpolation", `worst error ${format.signed(summary.held_back.worst_error_percent)} at ${summary.held_back.steps.length} held-back steps`]] : [])]));
}

function servingChart(data, [key, title, axis, text]) {
  return el("div", {class: "part"}, el("h3", {}, title), chart(200, `${title} over time`, () => {
    const time = timeAxis(data.elapsed_ns);
    return {type: "line",
      data: {datasets: data.groups.map((group, n) => stepLine(group.name, steps(group[key], data.window_ns, data.elapsed_ns, time.unit), category(n)))},
      options: {interaction: alongTime, scales: {x: time.scale, y: linear(axis, {min: 0})},
        plugins: {legend: {display: data.groups.length > 1}, tooltip: {callbacks: {
          title: (items) => `at ${items[0].parsed.x.toPrecision(4)} ${time.unit.label}`,
          label: (item) => `${item.dataset.label}  ${text(item.parsed.y)}`}}}}};
  }));
}

function servingPage(page, data) {
  const header = el("header", {}, el("p", {class: "what"}, data.summary.title ?? "Inference server"), el("h1", {id: "answer"}, data.answer));
  const sections = [servingTimes(data),
    section("series", "The servers over time", `Means of windows of ${format.time(data.window_ns)}.`, SERVING_SERIES.map((series) => servingChart(data, series)))];
  page.replaceChildren(header, contents(sections), ...sections, footer());
}
