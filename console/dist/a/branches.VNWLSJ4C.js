import {
  More,
  useAction,
  useList
} from "./chunk.RUJWRWSJ.js";
import "./chunk.5PW4BKAU.js";
import {
  go
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
  Icon,
  Refused,
  State,
  T,
  a,
  d,
  fill,
  get,
  query,
  w,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/branches_tree.ts
var LANES = 6;
function group(messages) {
  const turns = [];
  const of_run = /* @__PURE__ */ new Map();
  for (const message of messages) {
    const known = message.run_id === null ? void 0 : of_run.get(message.run_id);
    if (known) {
      known.messages.push(message);
      known.id = message.id;
      continue;
    }
    const turn = { id: message.id, messages: [message], parent: null, children: [], lane: 0, row: 0, latest: "" };
    turns.push(turn);
    if (message.run_id !== null) of_run.set(message.run_id, turn);
  }
  return turns;
}
function link(turns) {
  const of_message = /* @__PURE__ */ new Map();
  for (const turn of turns) for (const message of turn.messages) of_message.set(message.id, turn);
  const roots = [];
  for (const turn of turns) {
    const id = turn.messages[0].parent_id;
    const parent = id === null ? void 0 : of_message.get(id);
    if (parent && parent !== turn) {
      turn.parent = parent;
      parent.children.push(turn);
    } else roots.push(turn);
  }
  return roots;
}
function layOut(messages) {
  const rows = [];
  const waiting = link(group(messages)).map((turn) => ({ turn, lane: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { turn, lane } = next;
    const last = turn.children.length - 1;
    turn.lane = Math.min(lane, LANES - 1);
    turn.row = rows.length;
    rows.push(turn);
    for (let i = last; i >= 0; i--) waiting.push({ turn: turn.children[i], lane: i === last ? lane : lane + 1 });
  }
  for (const turn of rows.toReversed()) {
    turn.latest = turn.children.reduce((best, one) => one.latest > best ? one.latest : best, turn.id);
  }
  return rows;
}
function leafOf(turn) {
  let at = turn;
  for (; ; ) {
    const next = at.children.find((one) => one.latest === at.latest);
    if (!next) return at;
    at = next;
  }
}
function pathTo(rows, message) {
  const path = /* @__PURE__ */ new Set();
  let at = rows.find((turn) => turn.messages.some((one) => one.id === message)) ?? null;
  for (; at; at = at.parent) path.add(at);
  return path;
}
function moveFrom(rows, at, key, path) {
  const siblings = at.parent ? at.parent.children : rows.filter((turn) => !turn.parent);
  const place = siblings.indexOf(at);
  switch (key) {
    case "ArrowUp":
      return at.parent ?? siblings[place - 1] ?? at;
    case "ArrowDown":
      return at.children.find((turn) => path.has(turn)) ?? at.children.at(-1) ?? at;
    case "ArrowLeft":
      return siblings[place - 1] ?? at;
    case "ArrowRight":
      return siblings[place + 1] ?? at;
    case "Home":
      return rows[0];
    case "End":
      return leafOf(at);
  }
}
function labelOf(turn) {
  return turn.messages.find((message) => message.role === "user") ?? turn.messages[0];
}

// src/pages/branches.tsx
var TURNS = 1e3;
var ROW = 36;
var LANE = 14;
var EDGE = 12;
function Branches({ conversation, leaf, newest, onLeaf }) {
  const list = useList(
    (after, signal) => get(
      `/v1/conversations/${conversation}/tree${query({ limit: TURNS, after: after ?? void 0 })}`,
      { signal }
    ),
    [conversation, newest]
  );
  return /* @__PURE__ */ a("section", { class: "branch-side", "aria-label": words.branches.title, children: [
    /* @__PURE__ */ a(State, { of: list, empty: (data) => data.length === 0, children: (data) => /* @__PURE__ */ a(Tree, { conversation, messages: data, leaf, onLeaf }) }),
    /* @__PURE__ */ a(More, { of: list })
  ] });
}
var moves = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];
function Tree({ conversation, messages, leaf, onLeaf }) {
  const rows = w(() => layOut(messages), [messages]);
  const path = w(() => pathTo(rows, leaf ?? messages.at(-1).id), [rows, leaf]);
  const shown = [...path][0] ?? rows.at(-1);
  const [at, setAt] = d(shown.id);
  const here = rows.find((turn) => turn.id === at) ?? shown;
  const list = T(null);
  const fork = useAction();
  A(() => setAt(shown.id), [shown.id]);
  const press = (event) => {
    if (!moves.includes(event.key)) return;
    event.preventDefault();
    const next = moveFrom(rows, here, event.key, path);
    setAt(next.id);
    list.current?.querySelectorAll("button")[next.row]?.focus();
  };
  const forkHere = () => fork.run(async () => {
    const made = await get(`/v1/conversations/${conversation}/fork`, {
      method: "POST",
      body: { at: here.id },
      headers: { "Idempotency-Key": crypto.randomUUID() }
    });
    announce(words.branches.forked);
    go("chat", made.id);
  });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("p", { class: "fine", children: words.branches.help }),
    /* @__PURE__ */ a("div", { class: "branch-tree", children: [
      /* @__PURE__ */ a(Lines, { rows, path }),
      /* @__PURE__ */ a("ol", { ref: list, onKeyDown: press, children: rows.map((turn) => /* @__PURE__ */ a(
        Node,
        {
          turn,
          tabbable: turn === here,
          onPath: path.has(turn),
          shown: turn === shown,
          onFocus: () => setAt(turn.id),
          onChoose: () => onLeaf(leafOf(turn).id)
        },
        turn.id
      )) })
    ] }),
    may("chat") && /* @__PURE__ */ a("button", { type: "button", disabled: fork.busy, onClick: forkHere, children: [
      /* @__PURE__ */ a(Icon, { name: "branch" }),
      fill(words.branches.fork, { what: nameOf(here) })
    ] }),
    fork.error && /* @__PURE__ */ a(Refused, { error: fork.error })
  ] });
}
var x = (turn) => EDGE + turn.lane * LANE;
var y = (turn) => turn.row * ROW + ROW / 2;
function Lines({ rows, path }) {
  const width = EDGE * 2 + LANE * Math.max(...rows.map((turn) => turn.lane));
  return /* @__PURE__ */ a("svg", { "aria-hidden": "true", width, height: rows.length * ROW, children: [
    rows.map(
      (turn) => turn.parent && /* @__PURE__ */ a("path", { class: path.has(turn) ? "on" : void 0, d: line(turn.parent, turn) }, turn.id)
    ),
    rows.map((turn) => /* @__PURE__ */ a(
      "circle",
      {
        class: path.has(turn) ? "on" : void 0,
        cx: x(turn),
        cy: y(turn),
        r: turn.children.length ? 4 : 5
      },
      turn.id
    ))
  ] });
}
function line(from, to) {
  if (x(from) === x(to)) return `M${x(from)} ${y(from)}V${y(to)}`;
  return `M${x(from)} ${y(from)}V${y(to) - ROW / 2}Q${x(from)} ${y(to)} ${x(to)} ${y(to)}`;
}
function nameOf(turn) {
  const message = labelOf(turn);
  if (message.removed) return words.branches.removed;
  return message.preview.trim() || words.branches.noText;
}
function Node({ turn, tabbable, onPath, shown, onFocus, onChoose }) {
  const siblings = turn.parent?.children ?? [turn];
  const model = turn.messages.find((message) => message.model)?.model;
  return /* @__PURE__ */ a("li", { style: { paddingInlineStart: `${EDGE * 2 + turn.lane * LANE}px` }, children: /* @__PURE__ */ a(
    "button",
    {
      type: "button",
      class: onPath ? "bare on" : "bare",
      tabIndex: tabbable ? 0 : -1,
      "aria-current": shown ? "true" : void 0,
      title: nameOf(turn),
      onFocus,
      onClick: onChoose,
      children: [
        /* @__PURE__ */ a("span", { children: nameOf(turn) }),
        siblings.length > 1 && /* @__PURE__ */ a("span", { class: "unseen", children: fill(words.branches.place, { n: siblings.indexOf(turn) + 1, of: siblings.length }) }),
        model && /* @__PURE__ */ a("span", { class: "fine", children: model })
      ]
    }
  ) });
}
export {
  Branches as default
};
