// SPDX-License-Identifier: Apache-2.0
// Elements, sections and tables of the page.

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A section of the page; `lead` is a sentence that says what it shows.
function section(id, title, lead, ...children) {
  return el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title),
            lead ? el("p", {class: "lead"}, lead) : null, ...children);
}

// columns: [{head, of (row) => text or element, number: true for numbers, title}]
function table(columns, rows, options = {}) {
  const cell = (column, row) => el("td", {class: column.number ? "number" : column.class}, column.of(row));
  const body = rows.map((row) => el("tr", options.row ? options.row(row) : {},
                                    columns.map((column) => cell(column, row))));
  return el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": options.label ?? "table"},
            el("table", {class: options.class},
               el("thead", {}, el("tr", {}, columns.map((column) =>
                 el("th", {class: column.number ? "number" : column.class, scope: "col", title: column.title},
                    column.head)))),
               el("tbody", {}, body)));
}

// Long tables show only their first rows.
function longTable(columns, rows, most, label) {
  if (rows.length <= most) return table(columns, rows, {label});
  const holder = el("div");
  const show = (all) => holder.replaceChildren(
    table(columns, all ? rows : rows.slice(0, most), {label}),
    el("button", {class: "more", onclick: () => show(!all)}, all ? "Show fewer" : `Show all ${rows.length}`));
  show(false);
  return holder;
}

const details = (summary, ...children) => el("details", {}, el("summary", {}, summary), ...children);

// A choice between several views; `draw` is called with the chosen name.
function choice(label, names, draw, first = 0, title = (name) => name) {
  const buttons = names.map((name) => el("button", {type: "button", "aria-pressed": "false"}, title(name)));
  const choose = (n) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === n)));
    draw(names[n]);
  };
  buttons.forEach((button, n) => button.addEventListener("click", () => choose(n)));
  queueMicrotask(() => choose(first));
  return el("div", {class: "choice", role: "group", "aria-label": label}, buttons);
}

function select(label, options, chosen, changed) {
  const list = el("select", {onchange: (event) => changed(event.target.value)},
                  options.map(([value, text]) => el("option", {value, selected: value === chosen}, text)));
  return el("label", {class: "select"}, `${label} `, list);
}

const facts = (rows) => el("dl", {class: "facts"}, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
