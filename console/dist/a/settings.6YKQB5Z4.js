import {
  useOverview
} from "./chunk.RK7UPRV6.js";
import {
  prefer,
  preferences
} from "./chunk.F7CBMIQ4.js";
import {
  Table
} from "./chunk.4U3THEMF.js";
import "./chunk.G5MVI7XM.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  bytes,
  number,
  time
} from "./chunk.5KMNDZQV.js";
import {
  admin
} from "./chunk.SNUI3KLE.js";
import {
  $,
  Icon,
  State,
  a,
  d,
  fill,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/settings.tsx
function Settings() {
  return /* @__PURE__ */ a("div", { class: "page settings", children: [
    /* @__PURE__ */ a("h1", { children: words.pages.settings }),
    /* @__PURE__ */ a(Preferences, {}),
    admin.value && /* @__PURE__ */ a(Gateway, {})
  ] });
}
var themes = ["auto", "light", "dark"];
function Preferences() {
  return /* @__PURE__ */ a("section", { class: "card stack", children: [
    /* @__PURE__ */ a("h2", { children: words.settings.preferences }),
    /* @__PURE__ */ a("label", { class: "short", children: [
      words.frame.theme,
      /* @__PURE__ */ a(
        "select",
        {
          value: preferences.value.theme,
          onChange: (event) => prefer({ theme: event.currentTarget.value }),
          children: themes.map((theme) => /* @__PURE__ */ a("option", { value: theme, children: words.frame.themes[theme] }, theme))
        }
      )
    ] }),
    /* @__PURE__ */ a("label", { class: "choice", children: [
      /* @__PURE__ */ a(
        "input",
        {
          type: "checkbox",
          checked: preferences.value.letters,
          onChange: (event) => prefer({ letters: event.currentTarget.checked })
        }
      ),
      words.keyboard.letters
    ] }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.settings.preferencesText })
  ] });
}
function Gateway() {
  const read = useOverview();
  return /* @__PURE__ */ a(State, { of: read, children: (overview) => /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(Facts, { of: overview, reload: read.reload }),
    /* @__PURE__ */ a(Reload, { of: overview.config }),
    /* @__PURE__ */ a(Options, { of: overview.config.options }),
    /* @__PURE__ */ a("section", { class: "stack", children: [
      /* @__PURE__ */ a("h2", { children: words.settings.secrets }),
      /* @__PURE__ */ a("p", { class: "fine", children: words.settings.secretsText }),
      /* @__PURE__ */ a(
        Table,
        {
          caption: words.settings.secrets,
          rows: Object.entries(overview.secrets),
          id: ([name]) => name,
          columns: [
            { title: words.settings.option, cell: ([name]) => /* @__PURE__ */ a("code", { children: name }) },
            {
              title: words.settings.value,
              cell: ([, state]) => /* @__PURE__ */ a("span", { class: state === "set" ? "badge good" : "badge", children: words.settings.secretStates[state] })
            }
          ]
        }
      )
    ] })
  ] }) });
}
function Fact({ name, children }) {
  return /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("dt", { children: name }),
    /* @__PURE__ */ a("dd", { children })
  ] });
}
var outOf = (n, limit) => fill(words.settings.outOf, { n: number(n), limit: number(limit) });
function Facts({ of, reload }) {
  const { store, calls, connections } = of;
  return /* @__PURE__ */ a("section", { class: "card stack", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h2", { children: words.settings.gateway }),
      /* @__PURE__ */ a("button", { type: "button", onClick: reload, children: [
        /* @__PURE__ */ a(Icon, { name: "again" }),
        words.models.reload
      ] })
    ] }),
    !store.writable && /* @__PURE__ */ a("p", { class: "notice bad", role: "alert", children: [
      /* @__PURE__ */ a(Icon, { name: "warn" }),
      fill(words.settings.notWritable, { why: store.problem ?? "" })
    ] }),
    /* @__PURE__ */ a("dl", { class: "fact-list", children: [
      /* @__PURE__ */ a(Fact, { name: words.settings.version, children: of.version }),
      /* @__PURE__ */ a(Fact, { name: words.settings.started, children: time(of.started_at) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.calls, children: outOf(calls.active, calls.max_calls) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.waiting, children: outOf(calls.waiting, calls.max_waiting) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.connections, children: outOf(connections.open, connections.limit) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.streams, children: number(connections.streams) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.database, children: [
        bytes(store.database_bytes),
        " ",
        /* @__PURE__ */ a("span", { class: "fine", children: store.engine })
      ] }),
      /* @__PURE__ */ a(Fact, { name: words.settings.log, children: bytes(store.log_bytes) }),
      /* @__PURE__ */ a(Fact, { name: words.settings.index, children: [
        bytes(store.search.bytes),
        " ",
        /* @__PURE__ */ a("span", { class: "fine", children: fill(words.settings.indexed, { n: number(store.search.messages) }) }),
        !store.search.complete && /* @__PURE__ */ a("span", { class: "badge bad", children: words.settings.indexing })
      ] })
    ] }),
    /* @__PURE__ */ a("h3", { children: words.settings.listeners }),
    /* @__PURE__ */ a("ul", { class: "plain", children: of.listeners.map((one) => /* @__PURE__ */ a("li", { class: "row wrap", children: [
      /* @__PURE__ */ a("code", { children: one.bound }),
      one.admin && /* @__PURE__ */ a("span", { class: "badge", children: words.settings.adminListener }),
      one.tls && /* @__PURE__ */ a("span", { class: "badge", children: words.settings.tls })
    ] }, one.bound)) })
  ] });
}
function Reload({ of }) {
  return /* @__PURE__ */ a("section", { class: "stack", children: [
    /* @__PURE__ */ a("h2", { children: words.settings.configuration }),
    /* @__PURE__ */ a("p", { children: [
      of.file ? /* @__PURE__ */ a("code", { children: of.file }) : words.settings.noFile,
      " · ",
      words.settings.readAt,
      " ",
      /* @__PURE__ */ a(Time, { at: of.read_at })
    ] }),
    of.reload?.ok === false && /* @__PURE__ */ a("div", { class: "notice bad", children: [
      /* @__PURE__ */ a(Icon, { name: "warn" }),
      /* @__PURE__ */ a("div", { children: [
        /* @__PURE__ */ a("strong", { children: fill(words.settings.reloadFailed, { when: time(of.reload.at) }) }),
        /* @__PURE__ */ a("p", { children: of.reload.error })
      ] })
    ] }),
    of.reload?.ok && /* @__PURE__ */ a("p", { class: "fine", children: fill(words.settings.reloaded, { when: time(of.reload.at) }) })
  ] });
}
function show(value) {
  if (Array.isArray(value)) return value.join(", ") || words.units.none;
  return value === "" ? words.units.none : String(value);
}
function Options({ of }) {
  const [all, setAll] = d(false);
  const rows = of.filter((option) => all || option.source !== "default" || option.pending);
  return /* @__PURE__ */ a("section", { class: "stack", children: [
    /* @__PURE__ */ a("label", { class: "choice", children: [
      /* @__PURE__ */ a("input", { type: "checkbox", checked: all, onChange: (event) => setAll(event.currentTarget.checked) }),
      words.settings.defaultsToo
    ] }),
    rows.length === 0 ? /* @__PURE__ */ a("p", { class: "fine", children: words.settings.allDefault }) : /* @__PURE__ */ a(
      Table,
      {
        caption: words.settings.configuration,
        rows,
        id: (option) => option.name,
        columns: [
          { title: words.settings.option, cell: (option) => /* @__PURE__ */ a("code", { children: option.name }) },
          { title: words.settings.value, cell: (option) => /* @__PURE__ */ a("code", { children: show(option.value) }) },
          { title: words.settings.source, cell: (option) => words.settings.sources[option.source] },
          {
            title: words.settings.place,
            cell: (option) => option.place ? /* @__PURE__ */ a("code", { children: option.place }) : words.units.none
          },
          { title: words.settings.onReload, cell: (option) => /* @__PURE__ */ a(OnReload, { of: option }) }
        ]
      }
    )
  ] });
}
function OnReload({ of }) {
  if (!of.pending) return /* @__PURE__ */ a($, { children: words.settings.onReloads[of.on_reload] });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { class: "badge bad", children: words.settings.pending }),
    " ",
    /* @__PURE__ */ a("code", { children: show(of.pending.value) })
  ] });
}
export {
  Settings as default
};
