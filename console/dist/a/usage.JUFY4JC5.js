import {
  save
} from "./chunk.52WONUWP.js";
import {
  Table
} from "./chunk.4U3THEMF.js";
import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  compact,
  count,
  money,
  number,
  time
} from "./chunk.5KMNDZQV.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  admin,
  open
} from "./chunk.SNUI3KLE.js";
import {
  $,
  Empty,
  F,
  Icon,
  State,
  T,
  a,
  d,
  fill,
  get,
  query,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/usage_budget.tsx
function BudgetBars({ of }) {
  return /* @__PURE__ */ a("section", { class: "card budget", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h2", { children: words.usage.budget }),
      of.renewed_at !== null && /* @__PURE__ */ a("p", { class: "fine", children: fill(words.usage.renewed, { when: time(of.renewed_at) }) })
    ] }),
    of.cost && /* @__PURE__ */ a(Bar, { title: words.usage.measures.cost, of: of.cost, format: (value) => money(String(value)) }),
    of.tokens && /* @__PURE__ */ a(Bar, { title: words.usage.measures.tokens, of: of.tokens, format: (value) => number(Number(value)) })
  ] });
}
function Bar({ title, of, format }) {
  const limit = Number(of.limit) || 1;
  const share = (value) => 100 * Math.min(1, Math.max(0, Number(value) / limit));
  const spent = share(of.spent);
  const reserved = Math.min(100 - spent, share(of.reserved));
  return /* @__PURE__ */ a("div", { class: "stack", children: [
    /* @__PURE__ */ a("h3", { children: title }),
    /* @__PURE__ */ a("svg", { class: "budget-bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true", children: [
      /* @__PURE__ */ a("rect", { class: "budget-left", width: "100", height: "4" }),
      /* @__PURE__ */ a("rect", { class: "budget-spent", width: spent, height: "4" }),
      /* @__PURE__ */ a("rect", { class: "budget-reserved", x: spent, width: reserved, height: "4" })
    ] }),
    /* @__PURE__ */ a("dl", { class: "budget-figures", children: [
      /* @__PURE__ */ a(Figure, { name: "spent", value: format(of.spent) }),
      /* @__PURE__ */ a(Figure, { name: "reserved", value: format(of.reserved) }),
      /* @__PURE__ */ a(Figure, { name: "left", value: format(of.left) }),
      /* @__PURE__ */ a(Figure, { name: "limit", value: format(of.limit) })
    ] })
  ] });
}
function Figure({ name, value }) {
  return /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("dt", { children: [
      name !== "limit" && /* @__PURE__ */ a("span", { class: `swatch budget-${name}` }),
      words.usage[name]
    ] }),
    /* @__PURE__ */ a("dd", { children: value })
  ] });
}

// src/decimal.ts
function parts(text) {
  const [whole, rest = ""] = text.split(".");
  return [BigInt(whole + rest), rest.length];
}
function add(a2, b) {
  let [x, places] = parts(a2);
  let [y, other] = parts(b);
  for (; places < other; places++) x *= 10n;
  for (; other < places; other++) y *= 10n;
  const sum2 = x + y, minus = sum2 < 0n;
  const digits = (minus ? -sum2 : sum2).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places), rest = digits.slice(digits.length - places).replace(/0+$/, "");
  return `${minus ? "-" : ""}${whole}${rest && "."}${rest}`;
}
function subtract(a2, b) {
  return add(a2, b.startsWith("-") ? b.slice(1) : `-${b}`);
}

// src/pages/usage_sums.ts
var DAYS_MAX = 366;
var PARTS = 6;
function emptyRow() {
  return {
    calls: 0,
    calls_estimated: 0,
    calls_unpriced: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost: "0"
  };
}
function sum(a2, b) {
  return {
    ...a2,
    calls: a2.calls + b.calls,
    calls_estimated: a2.calls_estimated + b.calls_estimated,
    calls_unpriced: a2.calls_unpriced + b.calls_unpriced,
    input_tokens: a2.input_tokens + b.input_tokens,
    output_tokens: a2.output_tokens + b.output_tokens,
    cached_tokens: a2.cached_tokens + b.cached_tokens,
    reasoning_tokens: a2.reasoning_tokens + b.reasoning_tokens,
    cost: add(a2.cost, b.cost)
  };
}
function measured(row, measure) {
  switch (measure) {
    case "tokens":
      return row.input_tokens + row.output_tokens;
    case "cost":
      return Number(row.cost);
    case "calls":
      return row.calls;
  }
}
function daysBetween(from, to) {
  const days = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < DAYS_MAX; at += 864e5) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}
function dayBefore(day, days) {
  return new Date(Date.parse(day) - days * 864e5).toISOString().slice(0, 10);
}
function nameOf(row, stack) {
  return (stack === "model" ? row.model : row.key) ?? "";
}
function byName(rows, stack, measure) {
  const sums = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const name = nameOf(row, stack);
    sums.set(name, sum(sums.get(name) ?? emptyRow(), row));
  }
  return [...sums].map(([name, row]) => ({ name, row })).sort((a2, b) => measured(b.row, measure) - measured(a2.row, measure) || (a2.name < b.name ? -1 : 1));
}
function stacked(days, totals, rows, stack, measure) {
  const place = new Map(days.map((day, i) => [day, i]));
  const names = byName(rows, stack, measure).slice(0, PARTS).map((one) => one.name);
  const parts2 = names.map((name) => ({ name, total: 0, values: days.map(() => 0) }));
  const rest = { name: null, total: 0, values: days.map(() => 0) };
  for (const row of totals) {
    const at = place.get(row.day ?? "");
    if (at !== void 0) rest.values[at] += measured(row, measure);
  }
  for (const row of rows) {
    const at = place.get(row.day ?? ""), part = parts2[names.indexOf(nameOf(row, stack))];
    if (at === void 0 || !part) continue;
    const value = measured(row, measure);
    part.values[at] += value;
    part.total += value;
    rest.values[at] -= value;
  }
  rest.values = rest.values.map((value) => value > 1e-9 ? value : 0);
  rest.total = rest.values.reduce((a2, b) => a2 + b, 0);
  const shown = parts2.filter((part) => part.total > 0);
  return rest.total > 0 ? [...shown, rest] : shown;
}
var COLUMNS = [
  "calls",
  "calls_estimated",
  "calls_unpriced",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "reasoning_tokens",
  "cost"
];
function csvField(value) {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
function csv(rows, stack) {
  const lines = [["day", stack, ...COLUMNS].join(",")];
  for (const row of rows) {
    lines.push(
      [csvField(row.day ?? ""), csvField(nameOf(row, stack)), ...COLUMNS.map((name) => String(row[name]))].join(",")
    );
  }
  return lines.join("\r\n") + "\r\n";
}
function missing(total, rows) {
  const known = rows.reduce(sum, emptyRow());
  return {
    calls: total.calls - known.calls,
    calls_estimated: total.calls_estimated - known.calls_estimated,
    calls_unpriced: total.calls_unpriced - known.calls_unpriced,
    input_tokens: total.input_tokens - known.input_tokens,
    output_tokens: total.output_tokens - known.output_tokens,
    cached_tokens: total.cached_tokens - known.cached_tokens,
    reasoning_tokens: total.reasoning_tokens - known.reasoning_tokens,
    cost: subtract(total.cost, known.cost)
  };
}
function axisTop(largest) {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  for (const times of [1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8]) if (times * power >= largest) return times * power;
  return 10 * power;
}

// src/pages/usage_chart.tsx
var HEIGHT = 240;
var TOP = 10;
var BOTTOM = 24;
var LINES = 4;
var LABEL = 96;
function UsageChart({ label, days, parts: parts2, nameOf: nameOf2, format, dayFormat: dayFormat2 }) {
  const chart = T(null);
  const width = useWidth(chart);
  const sums = days.map((_, i) => parts2.reduce((all, part) => all + part.values[i], 0));
  const top = axisTop(Math.max(0, ...sums));
  const marks = Array.from({ length: LINES + 1 }, (_, i) => top * i / LINES);
  const left = 12 + 7 * Math.max(...marks.map((mark) => format(mark).length));
  const step = (width - left) / days.length;
  const gap = step > 6 ? Math.min(step * 0.25, 8) : step * 0.1;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const each = Math.max(1, Math.ceil(days.length * LABEL / (width - left)));
  return /* @__PURE__ */ a("svg", { ref: chart, class: "chart", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${HEIGHT}`, children: [
    marks.map((mark) => /* @__PURE__ */ a("g", { children: [
      /* @__PURE__ */ a("line", { class: "chart-line", x1: left, x2: width, y1: y(mark), y2: y(mark) }),
      /* @__PURE__ */ a("text", { class: "chart-text", x: left - 6, y: y(mark) + 4, "text-anchor": "end", children: format(mark) })
    ] }, mark)),
    days.map((day, i) => {
      let base = 0;
      return /* @__PURE__ */ a("g", { class: "chart-day", children: [
        /* @__PURE__ */ a("title", { children: [
          `${dayFormat2(day)}: ${format(sums[i])}`,
          ...parts2.filter((part) => part.values[i] > 0).map((part) => `${nameOf2(part)}: ${format(part.values[i])}`)
        ].join("\n") }),
        /* @__PURE__ */ a("rect", { class: "chart-hover", x: left + i * step, y: TOP, width: step, height: HEIGHT - TOP - BOTTOM }),
        parts2.map((part, place) => {
          const value = part.values[i];
          if (value <= 0) return null;
          const from = y(base), to = y(base += value);
          return /* @__PURE__ */ a(
            "rect",
            {
              class: `chart-bar ${colour(part, place)}`,
              x: left + i * step + gap / 2,
              width: Math.max(step - gap, 0.5),
              y: to,
              height: Math.max(from - to, 0.5)
            },
            place
          );
        }),
        i % each === 0 && /* @__PURE__ */ a(
          "text",
          {
            class: "chart-text",
            x: left + i * step + step / 2,
            y: HEIGHT - 8,
            "text-anchor": i === 0 ? "start" : "middle",
            children: dayFormat2(day)
          }
        )
      ] }, day);
    })
  ] });
}
function useWidth(of) {
  const [width, setWidth] = d(720);
  F(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, entry.contentRect.width)));
    observer.observe(of.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
function colour(part, place) {
  return part.name === null ? "part-rest" : `part-${place}`;
}

// src/pages/usage.tsx
var RANGES = [7, 30, 90, 366];
var MEASURES = ["tokens", "cost", "calls"];
var ROWS = 1e3;
var today = () => (/* @__PURE__ */ new Date()).toISOString().slice(0, 10);
function Usage() {
  const [all, setAll] = d(admin.value && open.value);
  const [range, setRange] = d(30);
  const [measure, setMeasure] = d("tokens");
  const [stack, setStack] = d("model");
  const by = all ? stack : "model";
  const read = useLoad(
    async (signal) => {
      const path = all ? "/v1/admin/usage" : "/v1/usage";
      const span = { from: dayBefore(today(), range - 1), to: today(), limit: ROWS };
      const [days, parts2] = await Promise.all([
        get(`${path}${query({ ...span, group: "day" })}`, { signal }),
        get(`${path}${query({ ...span, group: "day" })}&group=${by}`, { signal })
      ]);
      return { days, parts: parts2 };
    },
    [all, range, by]
  );
  return /* @__PURE__ */ a("div", { class: "page usage", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.usage }),
      /* @__PURE__ */ a("div", { class: "row wrap", children: [
        admin.value && /* @__PURE__ */ a(
          Choice,
          {
            label: words.usage.whose,
            value: all ? "all" : "own",
            onChange: (value) => setAll(value === "all"),
            of: [
              ["own", words.usage.own],
              ["all", words.usage.all]
            ]
          }
        ),
        /* @__PURE__ */ a(
          Choice,
          {
            label: words.usage.range,
            value: String(range),
            onChange: (value) => setRange(Number(value)),
            of: RANGES.map((days) => [String(days), count(days, words.usage.days)])
          }
        ),
        /* @__PURE__ */ a(
          Choice,
          {
            label: words.usage.measure,
            value: measure,
            onChange: (value) => setMeasure(value),
            of: MEASURES.map((name) => [name, words.usage.measures[name]])
          }
        ),
        all && /* @__PURE__ */ a(
          Choice,
          {
            label: words.usage.by,
            value: stack,
            onChange: (value) => setStack(value),
            of: [
              ["model", words.usage.model],
              ["key", words.usage.key]
            ]
          }
        )
      ] })
    ] }),
    /* @__PURE__ */ a(State, { of: read, children: ({ days, parts: parts2 }) => /* @__PURE__ */ a($, { children: [
      days.budget && /* @__PURE__ */ a(BudgetBars, { of: days.budget }),
      days.data.length === 0 ? /* @__PURE__ */ a(Empty, { title: words.usage.none, children: /* @__PURE__ */ a("p", { children: words.usage.noneText }) }) : /* @__PURE__ */ a(Sums, { days, parts: parts2, by, measure })
    ] }) })
  ] });
}
function Choice({ label, value, of, onChange }) {
  return /* @__PURE__ */ a("label", { children: [
    label,
    /* @__PURE__ */ a("select", { value, onChange: (event) => onChange(event.currentTarget.value), children: of.map(([name, text]) => /* @__PURE__ */ a("option", { value: name, children: text }, name)) })
  ] });
}
var dates = new Intl.DateTimeFormat(void 0, { day: "numeric", month: "short", timeZone: "UTC" });
var dayFormat = (day) => dates.format(Date.parse(day));
var formats = {
  tokens: compact,
  calls: compact,
  cost: (value) => money(String(value))
};
function Sums({ days, parts: parts2, by, measure }) {
  const total = days.data.reduce(sum, emptyRow());
  const shown = daysBetween(days.from, days.to);
  const pieces = stacked(shown, days.data, parts2.data, by, measure);
  const nameOf2 = (part) => part.name === null ? words.usage.others : part.name === "" ? words.usage.noKey : part.name;
  const label = fill(words.usage.chart, {
    what: words.usage.measures[measure],
    from: dayFormat(days.from),
    to: dayFormat(days.to),
    total: totalOf(total, measure)
  });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(Totals, { of: total }),
    /* @__PURE__ */ a("figure", { class: "card", children: [
      /* @__PURE__ */ a("figcaption", { class: "row wrap between", children: [
        /* @__PURE__ */ a("h2", { children: fill(words.usage.byDay, { what: words.usage.measures[measure] }) }),
        /* @__PURE__ */ a("ul", { class: "legend", children: pieces.map((part, place) => /* @__PURE__ */ a("li", { children: [
          /* @__PURE__ */ a("span", { class: `swatch ${colour(part, place)}` }),
          nameOf2(part)
        ] }, place)) })
      ] }),
      /* @__PURE__ */ a(
        UsageChart,
        {
          label,
          days: shown,
          parts: pieces,
          nameOf: nameOf2,
          format: formats[measure],
          dayFormat
        }
      )
    ] }),
    /* @__PURE__ */ a("section", { class: "stack", children: [
      /* @__PURE__ */ a("header", { class: "row wrap between", children: [
        /* @__PURE__ */ a("h2", { children: by === "model" ? words.usage.byModel : words.usage.byKey }),
        /* @__PURE__ */ a("button", { type: "button", onClick: () => download(parts2.data, by, days), children: [
          /* @__PURE__ */ a(Icon, { name: "down" }),
          words.usage.csv
        ] })
      ] }),
      /* @__PURE__ */ a(NameTable, { total, parts: parts2, by, measure })
    ] }),
    /* @__PURE__ */ a("details", { class: "stack", children: [
      /* @__PURE__ */ a("summary", { children: words.usage.asTable }),
      /* @__PURE__ */ a(
        Table,
        {
          caption: words.usage.asTable,
          id: (row) => row.day,
          rows: [...days.data].sort((a2, b) => a2.day < b.day ? 1 : -1),
          columns: [{ title: words.usage.day, cell: (row) => dayFormat(row.day) }, ...figures]
        }
      )
    ] })
  ] });
}
function totalOf(row, measure) {
  switch (measure) {
    case "tokens":
      return number(row.input_tokens + row.output_tokens);
    case "cost":
      return money(row.cost);
    case "calls":
      return number(row.calls);
  }
}
function download(rows, by, days) {
  save(new Blob([csv(rows, by)], { type: "text/csv" }), `usage-${days.from}-${days.to}.csv`);
  announce(words.usage.saved);
}
function Totals({ of }) {
  return /* @__PURE__ */ a("dl", { class: "totals", children: [
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("dt", { children: words.usage.measures.calls }),
      /* @__PURE__ */ a("dd", { children: number(of.calls) })
    ] }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("dt", { children: words.usage.input }),
      /* @__PURE__ */ a("dd", { children: number(of.input_tokens) }),
      of.cached_tokens > 0 && /* @__PURE__ */ a("dd", { class: "fine", children: fill(words.usage.cached, { n: number(of.cached_tokens) }) })
    ] }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("dt", { children: words.usage.output }),
      /* @__PURE__ */ a("dd", { children: number(of.output_tokens) }),
      of.reasoning_tokens > 0 && /* @__PURE__ */ a("dd", { class: "fine", children: fill(words.usage.reasoning, { n: number(of.reasoning_tokens) }) }),
      of.calls_estimated > 0 && /* @__PURE__ */ a("dd", { class: "fine unsure", children: count(of.calls_estimated, words.usage.estimated) })
    ] }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("dt", { children: words.usage.measures.cost }),
      /* @__PURE__ */ a("dd", { children: of.calls_unpriced === of.calls ? words.units.none : money(of.cost) }),
      of.calls_unpriced > 0 && /* @__PURE__ */ a("dd", { class: "fine unsure", children: count(of.calls_unpriced, words.usage.unpriced) })
    ] })
  ] });
}
var figures = [
  { title: words.usage.measures.calls, numeric: true, cell: (row) => number(row.calls) },
  { title: words.usage.input, numeric: true, cell: (row) => number(row.input_tokens) },
  { title: words.usage.output, numeric: true, cell: (row) => number(row.output_tokens) },
  {
    title: words.usage.measures.cost,
    numeric: true,
    cell: (row) => row.calls_unpriced === row.calls && row.calls > 0 ? words.units.none : money(row.cost)
  },
  { title: words.usage.estimatedCalls, numeric: true, cell: (row) => number(row.calls_estimated) },
  { title: words.usage.unpricedCalls, numeric: true, cell: (row) => number(row.calls_unpriced) }
];
function NameTable({ total, parts: parts2, by, measure }) {
  const rows = byName(parts2.data, by, measure).map(({ name, row }) => ({
    name: name === "" ? words.usage.noKey : name,
    row
  }));
  if (parts2.has_more) rows.push({ name: words.usage.others, row: missing(total, parts2.data) });
  return /* @__PURE__ */ a(
    Table,
    {
      caption: by === "model" ? words.usage.byModel : words.usage.byKey,
      rows,
      id: (row) => row.name,
      columns: [
        { title: words.usage[by], cell: (row) => row.name },
        ...figures.map((column) => ({ ...column, cell: (row) => column.cell(row.row) }))
      ]
    }
  );
}
export {
  Usage as default
};
