import {
  Changes,
  Import
} from "./chunk.O5PH5Z5L.js";
import "./chunk.UGZVKU5L.js";
import "./chunk.52WONUWP.js";
import "./chunk.G5MVI7XM.js";
import {
  More,
  useList
} from "./chunk.RUJWRWSJ.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  count,
  day
} from "./chunk.5KMNDZQV.js";
import "./chunk.5PW4BKAU.js";
import {
  href,
  replace
} from "./chunk.PVJQ653K.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  may
} from "./chunk.SNUI3KLE.js";
import {
  $,
  A,
  Empty,
  Icon,
  State,
  T,
  a,
  d,
  get,
  query,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/conversations_search.tsx
var PAGE = 30;
function Found({ q, turn }) {
  const list = useList(
    async (after, signal) => {
      const hits = await get(`/v1/search${query({ q, limit: PAGE, after: after ?? void 0 })}`, { signal });
      const data = hits.data.map((hit) => ({
        ...hit,
        id: hit.message_id ?? hit.conversation,
        complete: hits.complete
      }));
      return { data, has_more: hits.has_more, last_id: hits.next };
    },
    [q, turn]
  );
  A(() => {
    if (list.data) announce(count(list.data.length, words.conversations.found));
  }, [list.data]);
  return /* @__PURE__ */ a("section", { "aria-label": words.conversations.results, "aria-busy": list.busy, children: [
    /* @__PURE__ */ a(
      State,
      {
        of: list,
        empty: (data) => data.length === 0,
        none: /* @__PURE__ */ a(Empty, { title: words.conversations.notFound, children: /* @__PURE__ */ a("p", { children: words.conversations.syntax }) }),
        children: (data) => /* @__PURE__ */ a($, { children: [
          data.some((row) => !row.complete) && /* @__PURE__ */ a(Incomplete, {}),
          /* @__PURE__ */ a("ul", { class: "entries", children: data.map((row) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a(HitRow, { row }) }, row.id)) })
        ] })
      }
    ),
    /* @__PURE__ */ a(More, { of: list })
  ] });
}
function Incomplete() {
  return /* @__PURE__ */ a("p", { class: "notice", children: [
    /* @__PURE__ */ a(Icon, { name: "warn" }),
    words.conversations.incomplete
  ] });
}
function HitRow({ row }) {
  const title = row.title || words.conversations.untitled;
  const marked = /* @__PURE__ */ a(Marked, { segments: row.segments });
  return /* @__PURE__ */ a("div", { class: "what", children: [
    /* @__PURE__ */ a(
      "a",
      {
        href: href("chat", row.conversation, row.message_id ? { leaf: row.message_id } : {}),
        class: row.title ? void 0 : "untitled",
        children: row.message_id === null ? marked : title
      }
    ),
    row.message_id !== null && /* @__PURE__ */ a("p", { class: "snippet", children: marked }),
    /* @__PURE__ */ a("p", { class: "fine row wrap", children: [
      /* @__PURE__ */ a("span", { children: row.message_id === null ? words.conversations.inTitle : roleOf(row.role) }),
      /* @__PURE__ */ a(Time, { at: row.created_at })
    ] })
  ] });
}
function Marked({ segments }) {
  return /* @__PURE__ */ a($, { children: segments.map((segment, i) => segment.match ? /* @__PURE__ */ a("mark", { children: segment.text }, i) : segment.text) });
}
var roles = words.conversations.roles;
var roleOf = (role) => roles[role ?? ""] ?? role ?? "";

// src/pages/conversations.tsx
var PAGE2 = 50;
function Conversations({ route }) {
  const q = route.query.get("q") ?? "";
  const key = route.query.get("key") ?? "";
  const value = route.query.get("value") ?? "";
  const [imported, setImported] = d(0);
  return /* @__PURE__ */ a("div", { class: "page conversations", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.conversations }),
      may("chat") && /* @__PURE__ */ a(Import, { onDone: () => setImported((old) => old + 1) })
    ] }),
    /* @__PURE__ */ a(Search, { q, focus: route.query.get("focus") === "search" }),
    q ? /* @__PURE__ */ a(Found, { q, turn: imported }) : /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a(Filter, { name: key, value }),
      /* @__PURE__ */ a(ByTime, { name: key, value, turn: imported })
    ] })
  ] });
}
function Search({ q, focus }) {
  const input = T(null);
  const [text, setText] = d(q);
  A(() => setText(q), [q]);
  A(() => {
    if (!focus) return;
    requestAnimationFrame(() => input.current?.focus());
    replace("conversations", null, q ? { q } : {});
  }, [focus]);
  const submit = (event) => {
    event.preventDefault();
    replace("conversations", null, text.trim() ? { q: text.trim() } : {});
  };
  return /* @__PURE__ */ a("form", { role: "search", class: "search", onSubmit: submit, children: [
    /* @__PURE__ */ a(Icon, { name: "search" }),
    /* @__PURE__ */ a(
      "input",
      {
        ref: input,
        type: "search",
        "aria-label": words.conversations.search,
        placeholder: words.conversations.search,
        title: words.conversations.syntax,
        maxLength: 1024,
        value: text,
        onInput: (event) => {
          setText(event.currentTarget.value);
          if (event.currentTarget.value === "") replace("conversations");
        }
      }
    ),
    /* @__PURE__ */ a("button", { class: "primary", children: words.conversations.find })
  ] });
}
function Filter({ name, value }) {
  const [typed, setTyped] = d({ name, value });
  A(() => setTyped({ name, value }), [name, value]);
  const filter = (event) => {
    event.preventDefault();
    replace("conversations", null, typed.name ? { key: typed.name, value: typed.value } : {});
  };
  return /* @__PURE__ */ a("details", { class: "filter", open: name !== "", children: [
    /* @__PURE__ */ a("summary", { children: words.conversations.filter }),
    /* @__PURE__ */ a("form", { class: "row wrap", onSubmit: filter, children: [
      /* @__PURE__ */ a("label", { children: [
        words.conversations.labelName,
        /* @__PURE__ */ a(
          "input",
          {
            required: true,
            maxLength: 64,
            value: typed.name,
            onInput: (event) => setTyped({ ...typed, name: event.currentTarget.value })
          }
        )
      ] }),
      /* @__PURE__ */ a("label", { children: [
        words.conversations.labelValue,
        /* @__PURE__ */ a(
          "input",
          {
            maxLength: 512,
            value: typed.value,
            onInput: (event) => setTyped({ ...typed, value: event.currentTarget.value })
          }
        )
      ] }),
      /* @__PURE__ */ a("button", { children: words.conversations.filterSubmit }),
      name && /* @__PURE__ */ a("button", { type: "button", onClick: () => replace("conversations"), children: words.conversations.filterClear })
    ] })
  ] });
}
function ByTime({ name, value, turn }) {
  const [change, setChange] = d(null);
  const list = useList(
    (after, signal) => get(
      `/v1/conversations${query({ limit: PAGE2, after: after ?? void 0, ...name && { [`metadata[${name}]`]: value } })}`,
      { signal }
    ),
    [name, value, turn]
  );
  const rows = list.data ?? [];
  A(() => {
    if (name && list.data) announce(count(list.data.length, words.conversations.shown));
  }, [name, list.data]);
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(State, { of: list, empty: (data) => data.length === 0, none: /* @__PURE__ */ a(None, { filtered: name !== "" }), children: (data) => byDay(data).map((group) => /* @__PURE__ */ a("section", { children: [
      /* @__PURE__ */ a("h2", { children: group.title }),
      /* @__PURE__ */ a("ul", { class: "entries", children: group.rows.map((row) => /* @__PURE__ */ a(Row, { row, onChange: setChange }, row.id)) })
    ] }, group.title)) }),
    /* @__PURE__ */ a(More, { of: list }),
    change && /* @__PURE__ */ a(
      Changes,
      {
        change,
        onClose: () => setChange(null),
        onChanged: (changed) => list.set(rows.map((row) => row.id === changed.id ? changed : row)),
        onDeleted: (id) => list.set(rows.filter((row) => row.id !== id))
      }
    )
  ] });
}
function None({ filtered }) {
  if (filtered) return /* @__PURE__ */ a(Empty, { title: words.conversations.noneFiltered });
  return /* @__PURE__ */ a(Empty, { title: words.conversations.none, children: [
    /* @__PURE__ */ a("p", { children: words.conversations.noneText }),
    may("chat") && /* @__PURE__ */ a("a", { class: "button primary", href: href("chat"), children: words.frame.newChat })
  ] });
}
function Row({ row, onChange }) {
  const title = row.title || words.conversations.untitled;
  const act = (kind) => () => onChange({ kind, of: row });
  return /* @__PURE__ */ a("li", { children: [
    /* @__PURE__ */ a("div", { class: "what", children: [
      /* @__PURE__ */ a("a", { href: href("chat", row.id), class: row.title ? void 0 : "untitled", children: title }),
      /* @__PURE__ */ a("p", { class: "fine row wrap", children: [
        /* @__PURE__ */ a(Clock, { at: row.created_at }),
        Object.entries(row.metadata).map(([name, value]) => /* @__PURE__ */ a(
          "a",
          {
            class: "badge label",
            title: words.conversations.filterBy,
            href: href("conversations", null, { key: name, value }),
            children: [
              name,
              ": ",
              value
            ]
          },
          name
        ))
      ] })
    ] }),
    /* @__PURE__ */ a("div", { class: "row does", children: [
      may("chat") && /* @__PURE__ */ a(Does, { icon: "edit", word: words.conversations.edit, title, act: act("edit") }),
      /* @__PURE__ */ a(Does, { icon: "down", word: words.conversations.export, title, act: act("export") }),
      may("chat") && /* @__PURE__ */ a(Does, { icon: "trash", word: words.actions.delete, title, act: act("delete") })
    ] })
  ] });
}
function Does({ icon, word, title, act }) {
  return /* @__PURE__ */ a("button", { type: "button", class: "bare", title: word, "aria-label": `${word}: ${title}`, onClick: act, children: /* @__PURE__ */ a(Icon, { name: icon }) });
}
var clocks = new Intl.DateTimeFormat(void 0, { timeStyle: "short" });
function Clock({ at }) {
  return /* @__PURE__ */ a("time", { dateTime: new Date(at * 1e3).toISOString(), children: clocks.format(at * 1e3) });
}
var relative = new Intl.RelativeTimeFormat(void 0, { numeric: "auto" });
function byDay(rows) {
  const midnight = /* @__PURE__ */ new Date();
  midnight.setHours(0, 0, 0, 0);
  const groups = [];
  for (const row of rows) {
    const past = Math.ceil((midnight.getTime() / 1e3 - row.created_at) / 86400);
    const title = past <= 0 ? relative.format(0, "day") : past === 1 ? relative.format(-1, "day") : day(row.created_at);
    const last = groups.at(-1);
    if (last?.title === title) last.rows.push(row);
    else groups.push({ title, rows: [row] });
  }
  return groups;
}
export {
  Conversations as default
};
